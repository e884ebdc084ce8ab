import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/kernel/canonical.js';
import { newId } from '../../src/kernel/ids.js';
import {
  chainHash,
  checkChain,
  contentHash,
  linkFaults,
  type StoredReceipt,
} from '../../src/records/receipts.rules.js';

const TENANT = newId('Tenant');
const BEGIN_MS = Date.UTC(2026, 0, 1);

function chainOf(length: number): StoredReceipt[] {
  const chain: StoredReceipt[] = [];
  for (let i = 0; i < length; i += 1) {
    const content = canonicalJson({ amount_micro: String(i * 7), route: 'inside', note: 'цена' });
    const unlinked = {
      id: newId('SealedReceipt'),
      tenantId: TENANT,
      kind: 'quote',
      sealKey: `quote-${i}`,
      position: BigInt(i + 1),
      sha256: contentHash(content),
      previousHash: chain.at(-1)?.chainHash ?? null,
      createdAt: new Date(BEGIN_MS + i),
    };
    chain.push({ ...unlinked, content, chainHash: chainHash(unlinked) });
  }
  return chain;
}

const CHAIN = chainOf(40);

function flipped(bytes: Uint8Array, index: number, mask: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[index] = (copy[index] ?? 0) ^ mask;
  return copy;
}

/** Every place of a receipt where one byte can be changed, with the change. */
const TAMPERS: readonly ((receipt: StoredReceipt, at: number, mask: number) => StoredReceipt)[] = [
  (r, at, mask) => {
    const bytes = Buffer.from(r.content ?? '', 'utf8');
    // latin1 keeps any changed byte as it is, which utf8 would replace.
    return {
      ...r,
      content: Buffer.from(flipped(bytes, at % bytes.length, mask)).toString('latin1'),
    };
  },
  (r, at, mask) => ({ ...r, sha256: flipped(r.sha256, at % 32, mask) }),
  (r, at, mask) => ({ ...r, chainHash: flipped(r.chainHash, at % 32, mask) }),
  (r, at, mask) => ({ ...r, previousHash: flipped(r.previousHash ?? r.sha256, at % 32, mask) }),
  (r, at, mask) => ({ ...r, position: r.position ^ BigInt(mask) ^ (BigInt(at % 4) << 8n) }),
  (r, at, mask) => ({ ...r, createdAt: new Date(r.createdAt.getTime() ^ (mask << (at % 16))) }),
  (r, at, mask) => ({ ...r, kind: changed(r.kind, at, mask) }),
  (r, at, mask) => ({ ...r, sealKey: changed(r.sealKey, at, mask) }),
  (r, at, mask) => ({ ...r, id: changed(r.id, at, mask) }),
  (r, at, mask) => ({ ...r, tenantId: changed(r.tenantId, at, mask) }),
];

function changed(text: string, at: number, mask: number): string {
  return Buffer.from(flipped(Buffer.from(text), at % text.length, mask)).toString('latin1');
}

describe('a chain of receipts', () => {
  it('is free of faults as it was sealed, also when it is walked in pieces', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: CHAIN.length }), (cut) => {
        const first = checkChain(CHAIN.slice(0, cut));
        const second = checkChain(CHAIN.slice(cut), first.head);
        expect([...first.faults, ...second.faults]).toEqual([]);
        expect(second.head).toEqual(checkChain(CHAIN).head);
      }),
    );
  });

  it('shows each of 10,000 changes of one byte, whichever column it is in', () => {
    let found = 0;
    fc.assert(
      fc.property(
        fc.nat(CHAIN.length - 1),
        fc.nat(TAMPERS.length - 1),
        fc.nat(1_000),
        fc.integer({ min: 1, max: 255 }),
        (index, tamper, at, mask) => {
          const receipt = CHAIN[index] as StoredReceipt;
          const edited = TAMPERS[tamper]?.(receipt, at, mask) as StoredReceipt;
          const around = CHAIN.slice(index + 1, index + 2);
          const before = CHAIN[index - 1];
          const { faults } = checkChain([edited, ...around], before);
          found += faults.length > 0 ? 1 : 0;
          return faults.length > 0;
        },
      ),
      { numRuns: 10_000 },
    );
    expect(found).toBe(10_000);
  });

  it('shows a receipt whose content was changed together with its own hashes', () => {
    const edited = CHAIN.map((receipt, index) => {
      if (index !== 20) return receipt;
      const content = canonicalJson({ amount_micro: '1' });
      const forged = { ...receipt, content, sha256: contentHash(content) };
      return { ...forged, chainHash: chainHash(forged) };
    });
    expect(checkChain(edited).faults).toEqual([{ position: 22n, fault: 'link_broken' }]);
  });

  it('shows a removed receipt and two that changed places', () => {
    const removed = CHAIN.filter((_, index) => index !== 10);
    expect(checkChain(removed).faults).toEqual([{ position: 12n, fault: 'rows_missing' }]);
    const swapped = [...CHAIN.slice(0, 5), CHAIN[6], CHAIN[5], ...CHAIN.slice(7)];
    expect(checkChain(swapped as StoredReceipt[]).faults.length).toBeGreaterThan(0);
    const renumbered = swapped.map((receipt, i) => ({ ...receipt, position: BigInt(i + 1) }));
    const { faults } = checkChain(renumbered as StoredReceipt[]);
    expect(faults.map(({ position }) => position)).toEqual(expect.arrayContaining([6n, 7n]));
  });

  it('shows a receipt of another tenant that was put in its place', () => {
    const foreign = { ...(CHAIN[7] as StoredReceipt), tenantId: newId('Tenant') };
    const moved = { ...foreign, chainHash: chainHash(foreign) };
    expect(linkFaults(CHAIN[6] as StoredReceipt, moved)).toEqual([]);
    const chain = [...CHAIN.slice(0, 7), moved, ...CHAIN.slice(8)];
    expect(checkChain(chain).faults).toEqual([{ position: 9n, fault: 'link_broken' }]);
  });
});
