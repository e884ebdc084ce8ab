import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  consistencyRanges,
  EMPTY_ROOT,
  inclusionRanges,
  leafHash,
  type Range,
  rootOf,
  rootOfRow,
  subtreesOf,
} from '../../src/kernel/merkle.rules.js';

const SIZE_MAX = 200;
const LEAVES = Array.from({ length: SIZE_MAX }, (_, index) => `leaf ${index}`);

const sha256 = (...parts: readonly Uint8Array[]) =>
  createHash('sha256').update(Buffer.concat(parts)).digest();

/** MTH of RFC 6962, 2.1, word by word. */
function naiveRoot(leaves: readonly string[]): Buffer {
  if (leaves.length === 0) return sha256();
  if (leaves.length === 1) return sha256(Buffer.of(0), Buffer.from(leaves[0] ?? ''));
  const k = splitOf(leaves.length);
  return sha256(Buffer.of(1), naiveRoot(leaves.slice(0, k)), naiveRoot(leaves.slice(k)));
}

function splitOf(size: number): number {
  let k = 1;
  while (2 * k < size) k *= 2;
  return k;
}

/** PATH(m, D[n]) of RFC 6962, 2.1.1. */
function naivePath(m: number, leaves: readonly string[]): Buffer[] {
  if (leaves.length === 1) return [];
  const k = splitOf(leaves.length);
  const [left, right] = [leaves.slice(0, k), leaves.slice(k)];
  return m < k
    ? [...naivePath(m, left), naiveRoot(right)]
    : [...naivePath(m - k, right), naiveRoot(left)];
}

/** SUBPROOF(m, D[n], b) of RFC 6962, 2.1.2. */
function naiveProof(m: number, leaves: readonly string[], isKnown = true): Buffer[] {
  if (m === leaves.length) return isKnown ? [] : [naiveRoot(leaves)];
  const k = splitOf(leaves.length);
  const [left, right] = [leaves.slice(0, k), leaves.slice(k)];
  return m <= k
    ? [...naiveProof(m, left, isKnown), naiveRoot(right)]
    : [...naiveProof(m - k, right, false), naiveRoot(left)];
}

/** As the log computes it: by complete subtrees, each the root of a row of hashes. */
function rootOfRange(range: Range): string {
  const roots = subtreesOf(range).map(({ level, index }) => {
    const wide = 2 ** level;
    const row = LEAVES.slice(index * wide, (index + 1) * wide).map(leafHash);
    return rootOfRow(Buffer.concat(row));
  });
  return Buffer.from(rootOf(roots)).toString('hex');
}

const hex = (hashes: readonly Buffer[]) => hashes.map((hash) => hash.toString('hex'));

describe('the tree is that of RFC 6962', () => {
  it('has its root for every size from 0 to 200', () => {
    for (let size = 0; size <= SIZE_MAX; size += 1) {
      const root = naiveRoot(LEAVES.slice(0, size)).toString('hex');
      expect([size, rootOfRange({ begin: 0, end: size })]).toEqual([size, root]);
    }
    expect(EMPTY_ROOT.toString('hex')).toBe(sha256().toString('hex'));
  });

  it('proves every leaf of every size by its audit path', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: SIZE_MAX }), fc.nat(), (size, any) => {
        const index = any % size;
        const path = inclusionRanges(index, size).map(rootOfRange);
        expect(path).toEqual(hex(naivePath(index, LEAVES.slice(0, size))));
      }),
      { numRuns: 400 },
    );
  });

  it('proves that every tree is the begin of every larger one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: SIZE_MAX }), fc.nat(), (second, any) => {
        const first = 1 + (any % second);
        const proof = consistencyRanges(first, second).map(rootOfRange);
        expect(proof).toEqual(hex(naiveProof(first, LEAVES.slice(0, second))));
      }),
      { numRuns: 400 },
    );
    expect(consistencyRanges(0, 7)).toEqual([]);
  });

  it('asks for no more hashes than the tree is high', () => {
    for (const size of [1, 2, 3, 255, 256, 257, 1_000_000, 2 ** 40 + 1]) {
      const high = Math.ceil(Math.log2(size));
      expect(inclusionRanges(size - 1, size).length).toBeLessThanOrEqual(high);
      expect(inclusionRanges(0, size).length).toBe(high);
      expect(consistencyRanges(Math.ceil(size / 3), size).length).toBeLessThanOrEqual(high + 1);
    }
  });

  it('takes a node for no leaf', () => {
    const [one, two] = [leafHash('one'), leafHash('two')];
    const node = Buffer.from(rootOf([one, two]));
    expect(node.equals(leafHash(Buffer.concat([one, two]).toString('latin1')))).toBe(false);
    expect(node.equals(sha256(one, two))).toBe(false);
  });
});
