import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leafHash, rootOfRow } from '../../../src/kernel/merkle.rules.js';
import {
  afterSlice,
  keptReading,
  openedReading,
  type Reading,
  readingOf,
  rootOfReading,
} from '../../../src/money/integrity/reading.rules.js';
import { NO_SUMS } from '../../../src/money/integrity/tally.rules.js';

const FROM = new Date('2026-10-01T00:00:00Z');
const WINDOW = { from: FROM, to: new Date('2026-11-01T00:00:00Z') };

const hashesOf = (count: number, first = 0) =>
  Buffer.concat(Array.from({ length: count }, (_, n) => leafHash(`leaf ${first + n}`)));

/** Reads slices of so many leaves, and keeps the reading between two of them. */
function readIn(slices: readonly number[]): Reading {
  let first = 0;
  return slices.reduce(
    (reading, leaves, index) => {
      const slice = {
        until: index === slices.length - 1 ? WINDOW.to : new Date(reading.at.getTime() + 1_000),
        hashes: hashesOf(leaves, first),
        leaves,
        sums: { ...NO_SUMS, holds: BigInt(leaves) },
        witnessed: leaves,
        versionMin: BigInt(first + 1),
        versionMax: BigInt(first + leaves),
      };
      first += leaves;
      return openedReading(JSON.parse(keptReading(afterSlice(reading, slice, WINDOW))));
    },
    readingOf(WINDOW, FROM),
  );
}

describe('the reading of a period', () => {
  it('has the same root and figures however its rows are sliced, and when it is kept', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 8 }),
        (slices) => {
          const total = slices.reduce((sum, each) => sum + each, 0);
          const whole = readIn([total]);
          const sliced = readIn(slices);
          expect(rootOfReading(sliced)).toBe(rootOfReading(whole));
          expect(sliced).toMatchObject({
            phase: 'holds',
            leaves: total,
            witnessed: total,
            sums: { ...NO_SUMS, holds: BigInt(total) },
          });
        },
      ),
    );
  });

  it('has the root of the tree of RFC 6962 over its leaves', () => {
    const root = Buffer.from(rootOfRow(hashesOf(8))).toString('hex');
    expect(rootOfReading(readIn([3, 5]))).toBe(root);
  });

  it('goes on with hold rows only behind the last row', () => {
    const slice = {
      until: new Date(FROM.getTime() + 1_000),
      hashes: new Uint8Array(),
      leaves: 0,
      sums: NO_SUMS,
      witnessed: 0,
      versionMin: null,
      versionMax: 7n,
    };
    const reading = afterSlice(readingOf(WINDOW, FROM), slice, WINDOW);
    expect(reading).toMatchObject({ phase: 'rows', at: slice.until, versionMax: 7n });
    expect(afterSlice(reading, { ...slice, until: WINDOW.to }, WINDOW).phase).toBe('holds');
  });
});
