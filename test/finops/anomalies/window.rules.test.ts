import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judge, robust } from '../../../src/finops/anomalies/judge.rules.js';
import { afterDecision } from '../../../src/finops/anomalies/pause.rules.js';
import { ANOMALY_TYPES, REMEMBERED } from '../../../src/finops/anomalies/vocabulary.js';
import {
  comparedIn,
  driversIn,
  folded,
  requestsIn,
  type SeenRequest,
  type WatchState,
} from '../../../src/finops/anomalies/window.rules.js';

const REQUEST: SeenRequest = {
  id: 'r',
  minute: 100,
  model: 'm',
  inputTokens: 10,
  outputTokens: 5,
  micro: 1_000_000,
  failed: false,
  isAsked: true,
  attempts: 1,
  fellBack: false,
};

function windowOf(state: WatchState, minute: number, weeks: [number, number][] = []) {
  return { state, minute, windowMinutes: 10, weeks };
}

describe('what is remembered', () => {
  const row = fc.record({
    minute: fc.integer({ min: 0, max: 400 }),
    inputTokens: fc.integer({ min: 0, max: 5 }),
    failed: fc.boolean(),
    micro: fc.integer({ min: 0, max: 1_000 }),
  });
  const rows = fc
    .array(row, { minLength: 1, maxLength: 200 })
    .map((all) =>
      [...all]
        .sort((left, right) => left.minute - right.minute)
        .map((each) => ({ ...REQUEST, ...each })),
    );

  it('is bounded, and the same however the rows are cut into batches', () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: 0, max: 200 }), (all, cut) => {
        const whole = folded(undefined, all);
        const first = all.slice(0, cut);
        const rest = all.slice(cut);
        const before = first.length > 0 ? folded(undefined, first) : undefined;
        const parts = rest.length > 0 ? folded(before, rest) : before;
        expect(parts).toEqual(whole);
        expect(whole.minutes.length).toBeLessThanOrEqual(REMEMBERED.minutes);
        expect(whole.repeats.length).toBeLessThanOrEqual(REMEMBERED.distinct);
        expect(whole.recent.length).toBeLessThanOrEqual(REMEMBERED.requests);
      }),
    );
  });

  it('has the repeats of a list that is made anew for each request', () => {
    type Repeat = WatchState['repeats'][number];
    const withRepeat = (repeats: readonly Repeat[], row: SeenRequest): readonly Repeat[] => {
      const key = `${row.model} ${row.inputTokens}`;
      const alive = repeats.filter(([, , , last]) => last > row.minute - 10);
      const known = alive.find(([each]) => each === key);
      const others = alive.filter((each) => each !== known);
      const kept = [...others].sort((left, right) => right[1] - left[1]);
      const next: Repeat = [key, (known?.[1] ?? 0) + 1, known?.[2] ?? row.minute, row.minute];
      return [next, ...kept.slice(0, REMEMBERED.distinct - 1)];
    };
    const many = fc.array(
      fc.record({
        minute: fc.integer({ min: 0, max: 30 }),
        inputTokens: fc.integer({ min: 0, max: 40 }),
      }),
      { minLength: 1, maxLength: 300 },
    );
    fc.assert(
      fc.property(many, fc.integer({ min: 1, max: 300 }), (given, cut) => {
        const all = given.map((each) => ({ ...REQUEST, ...each }));
        const before = folded(undefined, all.slice(0, cut));
        const state = cut < all.length ? folded(before, all.slice(cut)) : before;
        expect(state.repeats).toEqual(all.reduce(withRepeat, []));
      }),
    );
  });

  it('counts every request of the last ten minutes', () => {
    fc.assert(
      fc.property(rows, (all) => {
        const last = all.at(-1)?.minute ?? 0;
        const own = all.filter(({ minute }) => minute > last - 10);
        const window = windowOf(folded(undefined, all), last);
        expect(requestsIn('cost_spike', window)).toBe(own.length);
        const asked = own.filter(({ isAsked }) => isAsked).length;
        expect(requestsIn('error_spike', window)).toBe(asked);
      }),
    );
  });
});

describe('a window', () => {
  it('shows the repeats of one request, and attempts after failures', () => {
    const rows = Array.from({ length: 6 }, () => REQUEST);
    const state = folded(undefined, [...rows, { ...REQUEST, inputTokens: 99, attempts: 3 }]);
    expect(comparedIn('retry_loop', windowOf(state, 100))?.observed).toBe(7);
  });

  it('shows the share of errors among what reached a provider; kept answers never hide it', () => {
    const failed = { ...REQUEST, failed: true };
    const kept = { ...REQUEST, isAsked: false, attempts: 0 };
    const rows = [failed, failed, failed, REQUEST, ...Array.from({ length: 96 }, () => kept)];
    const window = windowOf(folded(undefined, rows), 100);
    expect(comparedIn('error_spike', window)?.observed).toBe(0.75);
    expect(requestsIn('error_spike', window)).toBe(4);
    const nothing = windowOf(folded(undefined, [kept]), 100);
    expect(comparedIn('error_spike', nothing)).toBeUndefined();
  });

  it('of minutes from before this was counted takes all requests as having reached one', () => {
    const before = { ...folded(undefined, [REQUEST]), minutes: [[100, 2, 1, 0, 0, 0, 0]] as const };
    const state = folded(before, [REQUEST]);
    expect(comparedIn('error_spike', windowOf(state, 100))?.observed).toBe(1 / 3);
  });

  it('compares a prompt with those right before it', () => {
    const usual = Array.from({ length: 6 }, () => REQUEST);
    const state = folded(undefined, [...usual, { ...REQUEST, inputTokens: 500 }]);
    expect(comparedIn('context_explosion', windowOf(state, 100))).toEqual({
      observed: 500,
      expected: 10,
      spread: 0,
      method: 'trailing_window',
    });
    expect(
      comparedIn('context_explosion', windowOf(folded(undefined, usual.slice(0, 3)), 100)),
    ).toBe(undefined);
  });

  it('sees a prompt that exploded amid others of its batch, and names it alone', () => {
    const usual = Array.from({ length: 6 }, (_, index) => ({ ...REQUEST, id: `u${index}` }));
    const big = { ...REQUEST, id: 'big', inputTokens: 500, outputTokens: 400 };
    const state = folded(undefined, [...usual, big, REQUEST, REQUEST]);
    for (const type of ['context_explosion', 'output_explosion'] as const) {
      const window = { ...windowOf(state, 100), fresh: 3 };
      expect(comparedIn(type, window)?.observed).toBe(type === 'context_explosion' ? 500 : 400);
      expect(driversIn(type, window)).toEqual(['big']);
      // What was judged before is not told again.
      expect(comparedIn(type, { ...window, fresh: 2 })?.observed).toBeLessThan(11);
    }
  });

  it('names those that failed, those that another model answered, else all', () => {
    const failed = { ...REQUEST, id: 'failed', failed: true };
    const other = { ...REQUEST, id: 'other', fellBack: true };
    const window = windowOf(folded(undefined, [REQUEST, failed, other]), 100);
    expect(driversIn('error_spike', window)).toEqual(['failed']);
    expect(driversIn('fallback_cost_spike', window)).toEqual(['other']);
    expect(driversIn('cost_spike', window)).toEqual(['r', 'failed', 'other']);
    const former = { ...window, state: { ...window.state, recent: [['old', 100, 1, 1] as const] } };
    expect(driversIn('error_spike', former)).toEqual(['old']);
  });

  it('compares cost with the windows right before, or with three earlier weeks', () => {
    const minutes = Array.from({ length: 50 }, (_, index) => ({ ...REQUEST, minute: 51 + index }));
    const state = folded(undefined, minutes);
    const trailing = comparedIn('cost_spike', windowOf(state, 100));
    expect(trailing).toEqual({ observed: 10, expected: 10, spread: 0, method: 'trailing_window' });
    const hour: [number, number] = [60, 6_000_000];
    const weekly = comparedIn('cost_spike', windowOf(state, 100, [hour, hour, hour]));
    expect(weekly).toEqual({ observed: 10, expected: 1, spread: 0, method: 'same_hour' });
    const young = windowOf(folded(undefined, minutes.slice(-12)), 100, [hour, hour]);
    expect(comparedIn('cost_spike', young)).toBe(undefined);
  });

  it('compares answers that stood in with the others', () => {
    const dear = { ...REQUEST, fellBack: true, micro: 5_000_000 };
    const state = folded(undefined, [...Array.from({ length: 5 }, () => REQUEST), dear]);
    expect(comparedIn('fallback_cost_spike', windowOf(state, 100))).toEqual({
      observed: 5,
      expected: 1,
      method: 'trailing_window',
    });
  });
});

describe('the judgement', () => {
  it('is never triggered below its limit, and graver the further beyond it', () => {
    const value = fc.double({ min: 0, max: 1e6, noNaN: true });
    const type = fc.constantFrom(...ANOMALY_TYPES.codes);
    fc.assert(
      fc.property(type, value, value, (of, observed, expected) => {
        const judged = judge(of, 3, { observed, expected, method: 'declared' });
        expect(judged.triggered).toBe(observed > 0 && observed >= judged.limit);
        expect(judged.severity === null).toBe(!judged.triggered);
      }),
    );
    const at = (observed: number) =>
      judge('retry_loop', 10, { observed, expected: 0, method: 'declared' }).severity;
    expect([9, 10, 15, 30].map(at)).toEqual([null, 'medium', 'high', 'critical']);
  });

  it('takes what varies widely for usual', () => {
    const wide = robust([1, 10, 1, 10, 1]);
    const noisy = { observed: 12, ...robust([2, 4, 6, 2, 10]), method: 'trailing_window' as const };
    expect(wide.expected).toBe(1);
    expect(judge('cost_spike', 2, noisy).triggered).toBe(false);
    expect(judge('cost_spike', 2, { ...noisy, spread: 0 }).triggered).toBe(true);
  });
});

describe('a decision', () => {
  it.each([
    ['paused', 'approved', 'resumed'],
    ['paused', 'rejected', undefined],
    ['paused', 'expired', undefined],
    ['under_review', 'approved', 'cleared'],
    ['under_review', 'rejected', 'paused'],
    ['under_review', 'expired', 'paused'],
    ['resumed', 'rejected', undefined],
  ])('about what is %s, %s, makes it %s', (status, decision, next) => {
    expect(afterDecision(status, decision)).toBe(next);
  });
});
