import { createHash } from 'node:crypto';
import { isoTime } from '../kernel/time.js';
import { type CodeOf, vocabulary } from '../kernel/vocabulary.js';

/** A receipt as it is stored; the rules below read nothing else. */
export interface StoredReceipt {
  readonly id: string;
  readonly tenantId: string;
  readonly kind: string;
  readonly sealKey: string;
  /** 1 for the tenant's first receipt, then without a gap. */
  readonly position: bigint;
  /** The canonical text by RFC 8785; null where it was erased. */
  readonly content: string | null;
  /** Set where the content is sealed with a data key; absent where it stands open. */
  readonly contentSealed?: Uint8Array | null;
  readonly sha256: Uint8Array;
  /** The chain hash at the position before; null at position 1. */
  readonly previousHash: Uint8Array | null;
  readonly chainHash: Uint8Array;
  readonly createdAt: Date;
}

/** The sha256 of a canonical text. */
export function contentHash(content: string): Buffer {
  return createHash('sha256').update(content, 'utf8').digest();
}

/**
 * The chain hash: sha256 over the previous chain hash, the content's hash and, line by line, what
 * the row says about the content. The database computes the same in `receipt_chain_hash`.
 */
export function chainHash(receipt: Omit<StoredReceipt, 'content' | 'chainHash'>): Buffer {
  const { tenantId, position, id, kind, createdAt, sealKey } = receipt;
  return createHash('sha256')
    .update(receipt.previousHash ?? '')
    .update(receipt.sha256)
    .update([tenantId, position, id, kind, isoTime(createdAt), sealKey].join('\n'), 'utf8')
    .digest();
}

/**
 * Whether the stored hash is that of the stored content. Of content that was erased the hash is
 * left, which the chain covers.
 */
export function isContentIntact({ content, contentSealed, sha256 }: StoredReceipt): boolean {
  if (content === null) return contentSealed != null;
  return contentHash(content).equals(sha256);
}

/** What can be wrong at a position of the chain of receipts. */
export const CHAIN_FAULTS = vocabulary(
  'ReceiptChainFaultKind',
  'What can be wrong at a position of the chain of receipts.',
  [
    { code: 'content_changed', description: 'The content is not the one that was hashed.' },
    {
      code: 'row_changed',
      description: 'A fact beside the content is not the one that was hashed.',
    },
    { code: 'link_broken', description: 'It does not carry the hash of the receipt before it.' },
    { code: 'rows_missing', description: 'Receipts are missing in front of it.' },
  ],
);

/** What is wrong at one position of a chain. */
export interface ChainFault {
  readonly position: bigint;
  readonly fault: CodeOf<typeof CHAIN_FAULTS>;
}

/** A verified stretch of a chain: the next receipt must follow on it. */
export interface ChainHead {
  readonly position: bigint;
  /** Null before the first receipt. */
  readonly chainHash: Uint8Array | null;
}

/** Where every chain begins. */
export const CHAIN_START: ChainHead = { position: 0n, chainHash: null };

/** The faults of one receipt that stands after `previous`. */
export function linkFaults(previous: ChainHead, receipt: StoredReceipt): ChainFault[] {
  const { position } = receipt;
  const faults: ChainFault[] = [];
  if (!isContentIntact(receipt)) faults.push({ position, fault: 'content_changed' });
  if (!chainHash(receipt).equals(receipt.chainHash))
    faults.push({ position, fault: 'row_changed' });
  if (position !== previous.position + 1n) faults.push({ position, fault: 'rows_missing' });
  else if (!sameHash(previous.chainHash, receipt.previousHash)) {
    faults.push({ position, fault: 'link_broken' });
  }
  return faults;
}

/**
 * Checks a stretch of a chain, in the order of positions, that follows on `head`. Receipts removed
 * from the end leave an intact chain, so whoever wants to see that compares the head with one that
 * was kept elsewhere.
 */
export function checkChain(
  receipts: readonly StoredReceipt[],
  head: ChainHead = CHAIN_START,
): { readonly faults: readonly ChainFault[]; readonly head: ChainHead } {
  const faults: ChainFault[] = [];
  let last = head;
  for (const receipt of receipts) {
    faults.push(...linkFaults(last, receipt));
    last = receipt;
  }
  return { faults, head: { position: last.position, chainHash: last.chainHash } };
}

function sameHash(a: Uint8Array | null, b: Uint8Array | null): boolean {
  if (a === null || b === null) return a === b;
  return Buffer.from(a).equals(b);
}
