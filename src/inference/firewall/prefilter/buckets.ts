import { FIRST_CYRILLIC } from './folds.js';
import type { Shape } from './windows.js';

const BUCKETS = 8;

/** The folds that a bucket takes at each place of a window; a bit each, in two words. */
type Bucket = readonly (readonly [latin: number, russian: number])[];

function bucketOf(shape: Shape): Bucket {
  return shape.map((folds) => {
    const bits: [number, number] = [0, 0];
    for (const fold of folds) bits[fold < FIRST_CYRILLIC ? 0 : 1] |= 1 << (fold & 31);
    return bits;
  });
}

const EMPTY: Bucket = [0, 1, 2, 3].map(() => [0, 0]);

function joined(left: Bucket, right: Bucket): Bucket {
  return left.map(([latin, russian], place) => {
    const [moreLatin = 0, moreRussian = 0] = right[place] ?? [];
    return [latin | moreLatin, russian | moreRussian];
  });
}

function ones(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

/** How many windows a bucket takes, whether they are meant or not. */
function sizeOf(bucket: Bucket): number {
  return bucket.reduce((size, [latin, russian]) => size * (ones(latin) + ones(russian)), 1);
}

/** Eight buckets, each shape in that which it makes take the fewest other windows. */
function bucketsOf(shapes: readonly Shape[]): readonly Bucket[] {
  const buckets = Array.from({ length: BUCKETS }, () => EMPTY);
  for (const alone of shapes.map(bucketOf)) {
    const growths = buckets.map((bucket) => sizeOf(joined(bucket, alone)) - sizeOf(bucket));
    const best = growths.indexOf(Math.min(...growths));
    buckets[best] = joined(buckets[best] ?? EMPTY, alone);
  }
  return buckets;
}

/** For each place of a window and each of the first folds the buckets that take it, a bit each. */
function tableOf(shapes: readonly Shape[], folds: number): number[] {
  const buckets = bucketsOf(shapes);
  return EMPTY.flatMap((_, place) =>
    Array.from({ length: folds }, (_each, fold) =>
      buckets.reduce((taken, bucket, index) => {
        const bits = bucket[place]?.[fold < FIRST_CYRILLIC ? 0 : 1] ?? 0;
        return taken | (((bits >>> (fold & 31)) & 1) << index);
      }, 0),
    ),
  );
}

/** Of windows without a Russian letter: 32 bytes for each place. */
export function latinTable(shapes: readonly Shape[]): number[] {
  const latin = shapes.map((shape) =>
    shape.map((folds) => folds.filter((fold) => fold < FIRST_CYRILLIC)),
  );
  return tableOf(
    latin.filter((shape) => shape.every((folds) => folds.length > 0)),
    FIRST_CYRILLIC,
  );
}

/** Of windows that may have a Russian letter: 64 bytes for each place. */
export function russianTable(shapes: readonly Shape[]): number[] {
  const isRussian = (folds: readonly number[]) => folds.some((fold) => fold >= FIRST_CYRILLIC);
  return tableOf(
    shapes.filter((shape) => shape.some(isRussian)),
    2 * FIRST_CYRILLIC,
  );
}
