import type { Sample } from './exposition.rules.js';

/**
 * The observations of one histogram under one set of labels. Whoever observes keeps it, so that an
 * observation is a look at its bounds and two additions: nothing is hashed and nothing is made.
 */
export class HistogramSeries {
  private readonly counts: number[];
  private sum = 0;
  private count = 0;

  /** @param bounds the upper bounds of its buckets, in the unit of the metric, ascending */
  constructor(private readonly bounds: readonly number[]) {
    this.counts = bounds.map(() => 0);
  }

  /** Counts a value, in the unit of the metric. */
  observe(value: number): void {
    const { bounds, counts } = this;
    let place = 0;
    while (place < bounds.length && value > (bounds[place] as number)) place += 1;
    if (place < bounds.length) counts[place] = (counts[place] as number) + 1;
    this.sum += value;
    this.count += 1;
  }

  /** As the exposition shows it, each bucket with all below it; nothing before it was observed. */
  samples(labels: Sample['labels']): Sample[] {
    const { bounds, counts, sum, count } = this;
    if (count === 0) return [];
    let upTo = 0;
    const buckets = bounds.map((bound, place): Sample => {
      upTo += counts[place] ?? 0;
      return { suffix: '_bucket', labels: { ...labels, le: String(bound) }, value: upTo };
    });
    return [
      ...buckets,
      { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: count },
      { suffix: '_sum', labels, value: sum },
      { suffix: '_count', labels, value: count },
    ];
  }
}

/** Adds one to the count of a name. */
export function count<Name>(counts: Map<Name, number>, name: Name): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
