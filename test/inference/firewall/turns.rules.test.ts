import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  countedMs,
  isForgotten,
  nextOwner,
  USED_HALF_LIFE_MS,
  type UsedTime,
  type WaitingOwner,
  withWork,
} from '../../../src/inference/firewall/apart/turns.rules.js';

/** The longest that one piece of work takes. */
const WORK_MS_MAX = 20_000;

const workMs = fc.integer({ min: 0, max: WORK_MS_MAX });
const momentMs = fc.integer({ min: 0, max: 10_000_000 });
const usedTime = fc.record({ ms: fc.integer({ min: 0, max: 100_000 }), atMs: momentMs });
const owners = fc
  .uniqueArray(fc.nat(50), { minLength: 1, maxLength: 20 })
  .chain((names) =>
    fc.tuple(...names.map((name) => fc.tuple(fc.constant(name), fc.option(usedTime)))),
  )
  .map((all) =>
    all.map(
      ([name, used], arrival): WaitingOwner => ({
        owner: `o${name}`,
        arrival,
        used: used ?? undefined,
      }),
    ),
  );

describe('the time that an owner has used', () => {
  it('counts half after each half-life and never grows by waiting', () => {
    fc.assert(
      fc.property(usedTime, momentMs, momentMs, (used, one, other) => {
        const [early, late] = [Math.min(one, other), Math.max(one, other)];
        expect(countedMs(used, late)).toBeLessThanOrEqual(countedMs(used, early));
        const halved = countedMs(used, used.atMs + USED_HALF_LIFE_MS);
        expect(halved).toBeCloseTo(used.ms / 2, 6);
      }),
    );
  });

  it('adds the time of new work to what still counts', () => {
    fc.assert(
      fc.property(usedTime, workMs, fc.nat(1_000_000), (used, tookMs, laterMs) => {
        const nowMs = used.atMs + laterMs;
        const after = withWork(used, tookMs, nowMs);
        expect(after).toEqual({ ms: countedMs(used, nowMs) + tookMs, atMs: nowMs });
      }),
    );
  });

  it('is forgotten in the end', () => {
    const used = { ms: WORK_MS_MAX, atMs: 0 };
    expect(isForgotten(used, 14 * USED_HALF_LIFE_MS)).toBe(false);
    expect(isForgotten(used, 15 * USED_HALF_LIFE_MS)).toBe(true);
  });
});

describe('the owner that is next', () => {
  it('is nobody where nobody waits', () => {
    expect(nextOwner([], 0)).toBeUndefined();
  });

  it('has used the least time, or as little as others and waited longest', () => {
    const counted = (used: UsedTime | undefined, nowMs: number) =>
      used ? Math.floor(countedMs(used, nowMs)) : 0;
    fc.assert(
      fc.property(owners, momentMs, (waiting, nowMs) => {
        const next = waiting.find(({ owner }) => owner === nextOwner(waiting, nowMs));
        const least = Math.min(...waiting.map(({ used }) => counted(used, nowMs)));
        const equal = waiting.filter(({ used }) => counted(used, nowMs) === least);
        expect(next?.arrival).toBe(Math.min(...equal.map(({ arrival }) => arrival)));
      }),
    );
  });

  it('is the same in whatever order those that wait are listed', () => {
    fc.assert(
      fc.property(owners, momentMs, fc.infiniteStream(fc.nat()), (waiting, nowMs, dice) => {
        const keyed = waiting.map((each) => [dice.next().value as number, each] as const);
        const shuffled = keyed.sort(([one], [other]) => one - other).map(([, each]) => each);
        expect(nextOwner(shuffled, nowMs)).toBe(nextOwner(waiting, nowMs));
      }),
    );
  });
});

/** Owners with work of these lengths, always more of it, who are served until a moment. */
function served(lengths: Readonly<Record<string, number>>, untilMs: number) {
  const used = new Map<string, UsedTime>();
  const totals = new Map(Object.keys(lengths).map((owner) => [owner, 0]));
  let nowMs = 0;
  for (let arrival = 0; nowMs < untilMs; arrival += 1) {
    const waiting = Object.keys(lengths).map((owner, at) => {
      return { owner, arrival: arrival + at, used: used.get(owner) };
    });
    const next = nextOwner(waiting, nowMs) ?? '';
    const tookMs = lengths[next] ?? 0;
    nowMs += tookMs;
    used.set(next, withWork(used.get(next), tookMs, nowMs));
    totals.set(next, (totals.get(next) ?? 0) + tookMs);
  }
  return totals;
}

describe('owners who always have work', () => {
  it('get nearly as much time as one another, however long their pieces are', () => {
    const lengths = fc.integer({ min: 1, max: WORK_MS_MAX });
    fc.assert(
      fc.property(lengths, lengths, (one, other) => {
        const totals = served({ one, other }, 50 * WORK_MS_MAX);
        const [first = 0, second = 0] = [...totals.values()];
        // What fades while the longest piece is done is all that its owner may be ahead by.
        const fadesBy = 1 - 2 ** (-WORK_MS_MAX / USED_HALF_LIFE_MS);
        const share = Math.min(first, second) / (first + second);
        expect(share).toBeGreaterThan(0.5 - fadesBy / 2);
      }),
      { numRuns: 30 },
    );
  });
});

describe('whoever waits', () => {
  it('is served although others who have used nothing arrive all the time', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 200_000 }),
        fc.integer({ min: 0, max: 10 }),
        fc.infiniteStream(fc.integer({ min: 1, max: WORK_MS_MAX })),
        (ms, before, works) => {
          const heavy = { owner: 'heavy', arrival: before, used: { ms, atMs: 0 } };
          const fresh = (arrival: number) => ({
            owner: `fresh ${arrival}`,
            arrival,
            used: undefined,
          });
          let waiting: WaitingOwner[] = [heavy];
          for (let at = 0; at < before; at += 1) waiting.push(fresh(at));
          let nowMs = 0;
          let arrivals = before + 1;
          let next: string | undefined;
          while (next !== 'heavy') {
            waiting.push(fresh(arrivals));
            arrivals += 1;
            next = nextOwner(waiting, nowMs);
            waiting = waiting.filter(({ owner }) => owner !== next);
            if (next !== 'heavy') nowMs += works.next().value as number;
          }
          const fadedMs = USED_HALF_LIFE_MS * Math.max(0, Math.log2(ms + 1));
          expect(nowMs).toBeLessThanOrEqual(fadedMs + (before + 1) * WORK_MS_MAX);
        },
      ),
    );
  });
});
