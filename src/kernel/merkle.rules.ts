import { hash } from 'node:crypto';

/**
 * The Merkle tree of RFC 6962, section 2.1. Trees have at most 2^53 leaves; ranges of leaves are
 * half open. A node of a level covers 2^level leaves.
 */

/** How many bytes a hash has. */
export const HASH_BYTES = 32;

const LEAF = Buffer.of(0);

/** The bytes of the node at hand: 0x01 and two hashes. One for all: a tree has millions. */
const NODE = Buffer.alloc(1 + 2 * HASH_BYTES, 1);

function sha256(bytes: Buffer): Buffer {
  return hash('sha256', bytes, 'buffer');
}

/** The root of a tree without leaves. */
export const EMPTY_ROOT = sha256(Buffer.alloc(0));

/** The hash of a leaf: SHA-256 over 0x00 and its bytes. */
export function leafHash(text: string): Buffer {
  return sha256(Buffer.concat([LEAF, Buffer.from(text, 'utf8')]));
}

/** The hash of a node: SHA-256 over 0x01 and the hashes of its two children. */
function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  NODE.set(left, 1);
  NODE.set(right, 1 + HASH_BYTES);
  return sha256(NODE);
}

/** Leaves from `begin` up to and without `end`. */
export interface Range {
  readonly begin: number;
  readonly end: number;
}

/** A complete subtree: the leaves from index × 2^level on, 2^level of them. */
export interface Subtree {
  readonly level: number;
  readonly index: number;
}

/** The largest power of two that is smaller than a size of at least 2. */
function split(size: number): number {
  let power = 1;
  while (power * 2 < size) power *= 2;
  return power;
}

/**
 * The audit path of a leaf, from its sibling up: the ranges whose roots prove that it stands in the
 * tree of this size (PATH of RFC 6962, 2.1.1).
 */
export function inclusionRanges(index: number, size: number): Range[] {
  const ranges: Range[] = [];
  let [begin, end] = [0, size];
  while (end - begin > 1) {
    const middle = begin + split(end - begin);
    if (index < middle) {
      ranges.unshift({ begin: middle, end });
      end = middle;
    } else {
      ranges.unshift({ begin, end: middle });
      begin = middle;
    }
  }
  return ranges;
}

/**
 * The ranges whose roots prove that the tree of `first` leaves is the begin of that of `second`
 * (PROOF of RFC 6962, 2.1.2). None where it is empty or they are the same.
 */
export function consistencyRanges(first: number, second: number): Range[] {
  if (first === 0 || first === second) return [];
  const ranges: Range[] = [];
  let [begin, end] = [0, second];
  while (end !== first) {
    const middle = begin + split(end - begin);
    if (first <= middle) {
      ranges.unshift({ begin: middle, end });
      end = middle;
    } else {
      ranges.unshift({ begin, end: middle });
      begin = middle;
    }
  }
  // The old root itself is known to whoever verifies, and is not sent.
  return begin === 0 ? ranges : [{ begin, end }, ...ranges];
}

/** The complete subtrees that a range of a tree is made of, from the largest to the smallest. */
export function subtreesOf({ begin, end }: Range): Subtree[] {
  const subtrees: Subtree[] = [];
  for (let at = begin; at < end; ) {
    let level = 0;
    while (at % 2 ** (level + 1) === 0 && at + 2 ** (level + 1) <= end) level += 1;
    subtrees.push({ level, index: at / 2 ** level });
    at += 2 ** level;
  }
  return subtrees;
}

/** The root of a range that begins where a subtree of its size could, by its complete subtrees. */
export function rootOf(hashes: readonly Uint8Array[]): Uint8Array {
  const [last, ...before] = [...hashes].reverse();
  if (!last) return EMPTY_ROOT;
  return before.reduce((right, left) => nodeHash(left, right), last);
}

/** The root over hashes that stand side by side, whose number is a power of two. */
export function rootOfRow(row: Uint8Array): Uint8Array {
  let hashes = row;
  while (hashes.length > HASH_BYTES) {
    const above = Buffer.allocUnsafe(hashes.length / 2);
    for (let at = 0; at < above.length; at += HASH_BYTES) {
      const left = hashes.subarray(at * 2, at * 2 + HASH_BYTES);
      nodeHash(left, hashes.subarray(at * 2 + HASH_BYTES, at * 2 + 2 * HASH_BYTES)).copy(above, at);
    }
    hashes = above;
  }
  return hashes;
}

/** A complete subtree at the right edge of a tree that grows. */
export interface Peak {
  readonly level: number;
  readonly hash: Uint8Array;
}

/** The peaks of a tree to which the hashes of further leaves are added, side by side in `row`. */
export function grown(peaks: readonly Peak[], row: Uint8Array): readonly Peak[] {
  const next = [...peaks];
  for (let at = 0; at < row.length; at += HASH_BYTES) {
    let peak: Peak = { level: 0, hash: row.subarray(at, at + HASH_BYTES) };
    for (let left = next.at(-1); left?.level === peak.level; left = next.at(-1)) {
      next.pop();
      peak = { level: peak.level + 1, hash: nodeHash(left.hash, peak.hash) };
    }
    next.push(peak);
  }
  return next;
}

/** The root of the tree that has these peaks. */
export function rootOfPeaks(peaks: readonly Peak[]): Uint8Array {
  return rootOf(peaks.map(({ hash }) => hash));
}
