import { expect, it } from 'vitest';
import type { Counters, Limit } from '../../../src/platform/counters/counters.js';

/** Counters under test. */
export interface Bench {
  readonly counters: Counters;
  /** Lets at least so many milliseconds pass on the clock that the counters read. */
  pass(ms: number): Promise<void>;
  /** A key that nobody has used. */
  key(): string;
}

export const rate = (key: string, perMinute: number, points = 1): Limit => ({
  kind: 'rate',
  key,
  perMinute,
  points,
});

export const slotOf = (key: string, limit: number, slot: string, leaseMs = 60_000): Limit => ({
  kind: 'concurrency',
  key,
  limit,
  slot,
  leaseMs,
});

export const windowOf = (key: string, limit: number, points = 1): Limit => ({
  kind: 'window',
  key,
  limit,
  points,
});

/** Takes one limit after the other and says which were admitted. */
async function admitted(counters: Counters, limits: readonly Limit[]): Promise<boolean[]> {
  const answers: boolean[] = [];
  for (const limit of limits) answers.push((await counters.take([limit])).refused === undefined);
  return answers;
}

/** What holds for all limits of one request, whoever counts. */
export function describeTaking(bench: () => Bench): void {
  it('takes from every limit, and says how each stands', async () => {
    const { counters, key } = bench();
    expect(await counters.take([rate(key(), 10, 3), slotOf(key(), 2, 'a')])).toEqual({
      refused: undefined,
      retryAfterMs: 0,
      states: [
        { limit: 10, remaining: 7, resetMs: 18_000 },
        { limit: 2, remaining: 1, resetMs: 0 },
      ],
    });
  });

  it('takes from no limit when one refuses, and names the first that does', async () => {
    const { counters, key } = bench();
    const [plenty, scarce, slots] = [key(), key(), key()];
    await counters.take([rate(scarce, 10, 8), slotOf(slots, 1, 'a')]);
    const all = [rate(plenty, 10, 4), rate(scarce, 10, 4), slotOf(slots, 1, 'b')];
    const refused = await counters.take(all);
    expect(refused).toMatchObject({
      refused: 1,
      states: [{ remaining: 10, resetMs: 0 }, { remaining: 2 }, { remaining: 0 }],
    });
    expect(refused.retryAfterMs).toBeGreaterThan(0);
    expect(await admitted(counters, [rate(plenty, 10, 10), rate(scarce, 10, 2)])).toEqual([
      true,
      true,
    ]);
  });

  it('keeps keys apart', async () => {
    const { counters, key } = bench();
    expect(await admitted(counters, [rate(key(), 1), rate(key(), 1)])).toEqual([true, true]);
  });
}

/** What holds for buckets, whoever counts. */
export function describeBuckets(bench: () => Bench): void {
  it('admits after the time that the refusal named', async () => {
    const { counters, key, pass } = bench();
    const limit = rate(key(), 6_000, 6_000);
    const small = rate(limit.key, 6_000, 2);
    expect(await admitted(counters, [limit])).toEqual([true]);
    const { refused, retryAfterMs } = await counters.take([small]);
    expect(refused).toBe(0);
    await pass(retryAfterMs);
    expect(await admitted(counters, [small])).toEqual([true]);
  });

  it('takes more points than a bucket holds once it is full, and remembers the debt', async () => {
    const { counters, key } = bench();
    const name = key();
    expect((await counters.take([rate(name, 10, 25)])).states).toEqual([
      { limit: 10, remaining: 0, resetMs: 150_000 },
    ]);
    const { refused, retryAfterMs } = await counters.take([rate(name, 10, 1)]);
    expect(refused).toBe(0);
    expect(retryAfterMs).toBeGreaterThan(60_000);
  });

  it('lets pass what needs fewer points than it takes, and remembers the debt', async () => {
    const { counters, key } = bench();
    const name = key();
    const taking = { ...rate(name, 600, 600), needed: 100 };
    await counters.take([rate(name, 600, 450)]);
    expect((await counters.take([taking])).refused).toBeUndefined();
    const { refused, retryAfterMs } = await counters.take([rate(name, 600, 1)]);
    expect(refused).toBe(0);
    expect(retryAfterMs).toBeGreaterThan(40_000);
    counters.adjust(name, 600, 500);
    expect((await counters.take([taking])).refused).toBe(0);
    expect((await counters.take([rate(name, 600, 40)])).refused).toBeUndefined();
  });

  it('gives points back, and never more than the bucket holds', async () => {
    const { counters, key } = bench();
    const name = key();
    await counters.take([rate(name, 10, 10)]);
    counters.adjust(name, 10, 4);
    expect(await admitted(counters, [rate(name, 10, 5), rate(name, 10, 4)])).toEqual([false, true]);
    counters.adjust(name, 10, 1_000);
    expect(await admitted(counters, [rate(name, 10, 10), rate(name, 10, 1)])).toEqual([
      true,
      false,
    ]);
  });

  it('takes more points once the real use is known, from an unknown bucket too', async () => {
    const { counters, key } = bench();
    const [known, unknown] = [key(), key()];
    await counters.take([rate(known, 10, 2)]);
    for (const name of [known, unknown]) {
      counters.adjust(name, 10, -9);
      expect(await admitted(counters, [rate(name, 10, 2)])).toEqual([false]);
    }
  });
}

/** What holds for slots, whoever counts. */
export function describeSlots(bench: () => Bench): void {
  it('gives a slot back once, whoever gives it back twice', async () => {
    const { counters, key } = bench();
    const name = key();
    const slots = ['a', 'b', 'c'].map((slot) => slotOf(name, 2, slot));
    expect(await admitted(counters, slots)).toEqual([true, true, false]);
    counters.release(name, 'a');
    counters.release(name, 'a');
    counters.release(name, 'unknown');
    const more = ['d', 'e'].map((slot) => slotOf(name, 2, slot));
    expect(await admitted(counters, more)).toEqual([true, false]);
  });

  it('frees a slot whose lease has expired', async () => {
    const { counters, key, pass } = bench();
    const name = key();
    expect(await admitted(counters, [slotOf(name, 1, 'a', 20), slotOf(name, 1, 'b')])).toEqual([
      true,
      false,
    ]);
    await pass(20);
    expect(await admitted(counters, [slotOf(name, 1, 'b'), slotOf(name, 1, 'c')])).toEqual([
      true,
      false,
    ]);
  });

  it('keeps a long lease when a shorter one is taken after it', async () => {
    const { counters, key, pass } = bench();
    const name = key();
    await counters.take([slotOf(name, 2, 'long', 60_000)]);
    await counters.take([slotOf(name, 2, 'short', 20)]);
    await pass(20);
    const two = [slotOf(name, 2, 'c'), slotOf(name, 2, 'd')];
    expect(await admitted(counters, two)).toEqual([true, false]);
  });

  it('names a time after which to ask again', async () => {
    const { counters, key } = bench();
    const name = key();
    await counters.take([slotOf(name, 1, 'a')]);
    expect(await counters.take([slotOf(name, 1, 'b')])).toEqual({
      refused: 0,
      retryAfterMs: 250,
      states: [{ limit: 1, remaining: 0, resetMs: 0 }],
    });
  });
}

/** What holds for windows, whoever counts. */
export function describeWindows(bench: () => Bench): void {
  it('hold no more than their figure, and say how they stand', async () => {
    const { counters, key } = bench();
    const name = key();
    expect(await admitted(counters, [windowOf(name, 3), windowOf(name, 3, 2)])).toEqual([
      true,
      true,
    ]);
    const { refused, retryAfterMs, states } = await counters.take([windowOf(name, 3)]);
    expect([refused, states[0]?.limit, states[0]?.remaining]).toEqual([0, 3, 0]);
    expect(retryAfterMs).toBeGreaterThan(55_000);
    expect(retryAfterMs).toBeLessThanOrEqual(61_000);
    expect(states[0]?.resetMs).toBe(retryAfterMs);
  });

  it('take nothing of any limit when one refuses', async () => {
    const { counters, key } = bench();
    const [plenty, scarce] = [key(), key()];
    await counters.take([windowOf(scarce, 1)]);
    const both = [windowOf(plenty, 1), windowOf(scarce, 1)];
    expect((await counters.take(both)).refused).toBe(1);
    expect(await admitted(counters, [windowOf(plenty, 1)])).toEqual([true]);
  });

  it('let one through that is larger than all of the window once it is empty', async () => {
    const { counters, key } = bench();
    const [empty, used] = [key(), key()];
    expect(await admitted(counters, [windowOf(empty, 5, 50), windowOf(empty, 5)])).toEqual([
      true,
      false,
    ]);
    expect(await admitted(counters, [windowOf(used, 5), windowOf(used, 5, 50)])).toEqual([
      true,
      false,
    ]);
  });

  it('are corrected by what was really used, and never below nothing', async () => {
    const { counters, key } = bench();
    const name = key();
    const first = await counters.take([windowOf(name, 10, 10)]);
    first.correct?.(name, 4);
    expect(await admitted(counters, [windowOf(name, 10, 4), windowOf(name, 10)])).toEqual([
      true,
      false,
    ]);
    const other = key();
    const taken = await counters.take([windowOf(other, 10, 2)]);
    taken.correct?.(other, 1_000);
    taken.correct?.(other, -7);
    expect(await admitted(counters, [windowOf(other, 10, 4), windowOf(other, 10, 3)])).toEqual([
      false,
      true,
    ]);
  });
}
