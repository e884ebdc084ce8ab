import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cacheAdvice } from '../../../src/finops/observability/cacheability.rules.js';
import {
  binned,
  compared,
  proportionZ,
  stabilityIndex,
  worstOf,
} from '../../../src/finops/observability/drift.rules.js';
import { healthOf } from '../../../src/finops/observability/health.rules.js';
import { exposition } from '../../../src/platform/exposition.rules.js';
import { parseExposition } from './exposition-parser.js';

const counts = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 1, max: 1_000 })), {
    minLength: 1,
    maxLength: 30,
  })
  .map((pairs) => new Map(pairs.sort(([a], [b]) => a - b)));

describe('the stability index', () => {
  it('is nothing between a distribution and itself, never negative, and the same both ways', () => {
    fc.assert(
      fc.property(counts, counts, (a, b) => {
        expect(stabilityIndex(a, a)).toBeCloseTo(0, 12);
        expect(stabilityIndex(a, b)).toBeGreaterThanOrEqual(0);
        expect(stabilityIndex(a, b)).toBeCloseTo(stabilityIndex(b, a), 9);
      }),
    );
  });

  it('is as published of a worked example', () => {
    const [now, before] = [
      new Map([
        ['a', 300],
        ['b', 700],
      ]),
      new Map([
        ['a', 500],
        ['b', 500],
      ]),
    ];
    const [p, q] = [300.5 / 1_001, 700.5 / 1_001];
    const expected = (p - 0.5) * Math.log(p / 0.5) + (q - 0.5) * Math.log(q / 0.5);
    expect(stabilityIndex(now, before)).toBeCloseTo(expected, 12);
  });
});

describe('bins', () => {
  it('are at most ten, lose no count, and never split a bucket', () => {
    fc.assert(
      fc.property(counts, counts, (now, baseline) => {
        const bins = binned(now, baseline);
        const total = (of: ReadonlyMap<number | string, number>) =>
          [...of.values()].reduce((sum, each) => sum + each, 0);
        expect(bins.size).toBeLessThanOrEqual(10);
        expect(total(bins)).toBe(total(now));
      }),
    );
  });
});

describe('a two-proportion z', () => {
  it('is as in textbooks: 30 of 200 against 20 of 250', () => {
    const z = proportionZ({ part: 30, whole: 200 }, { part: 20, whole: 250 });
    expect(z).toBeCloseTo(0.07 / Math.sqrt((50 / 450) * (400 / 450) * (1 / 200 + 1 / 250)), 12);
  });

  it('is nothing of equal shares, of none and of all among them', () => {
    for (const part of [0, 50, 100]) {
      expect(proportionZ({ part, whole: 100 }, { part, whole: 100 })).toBe(0);
    }
  });
});

describe('a rule of drift', () => {
  it('cannot compare with too few requests, and says how many it needs on which side', () => {
    const judged = compared('latency', { now: 499, before: 500 }, () => {
      throw new Error('is not computed');
    });
    expect(judged).toEqual({
      rule: 'latency',
      statistic: 'psi',
      value: null,
      moderateAt: 0.1,
      driftAt: 0.25,
      verdict: 'cannot_compare',
      requests: 499,
      requestsBefore: 500,
      reason: 'too few requests are recorded to tell a change from chance',
      needed: ['500 requests in the window'],
    });
  });

  it.each([
    [0.0999, 'stable'],
    [0.1, 'moderate'],
    [0.25, 'drift'],
  ])('judges the index %d as %s', (value, verdict) => {
    expect(compared('model_mix', { now: 500, before: 500 }, () => value).verdict).toBe(verdict);
  });

  it('is worse the later in the list, and cannot be compared only where none can', () => {
    expect(worstOf(['stable', 'drift', 'moderate'])).toBe('drift');
    expect(worstOf(['cannot_compare', 'stable'])).toBe('stable');
    expect(worstOf(['cannot_compare'])).toBe('cannot_compare');
  });
});

describe('the health score', () => {
  const best = {
    error_rate: 0,
    latency_ms_p95: 100,
    first_token_ms_p95: 100,
    refusal_rate: 0,
    retry_rate: 0,
    overhead_ms: 1,
  };

  it('is 100 at its best and 0 at its worst, and shows what each term gives', () => {
    expect(healthOf(best)).toMatchObject({ score: 100, verdict: 'healthy' });
    const worst = Object.fromEntries(Object.keys(best).map((name) => [name, 1e9]));
    const found = healthOf(worst as typeof best);
    expect(found).toMatchObject({ score: 0, verdict: 'unhealthy' });
    expect(found.terms.map(({ points }) => points)).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it('leaves terms out that nothing was measured of', () => {
    const found = healthOf({ ...best, first_token_ms_p95: null, error_rate: 0.025 });
    expect(found.score).toBe(Math.round((65 / 85) * 1_000) / 10);
    expect(found.terms[2]).toMatchObject({ value: null, points: null });
  });

  it('never rises when a term gets worse', () => {
    const value = fc.double({ min: 0, max: 100_000, noNaN: true });
    fc.assert(
      fc.property(
        fc.constantFrom(...(Object.keys(best) as (keyof typeof best)[])),
        value,
        value,
        (term, a, b) => {
          const at = (each: number) => healthOf({ ...best, [term]: each }).score;
          expect(at(Math.max(a, b))).toBeLessThanOrEqual(at(Math.min(a, b)));
        },
      ),
    );
  });
});

describe('advice on caches', () => {
  const facts = {
    requests: 100,
    hits: 0,
    fingerprinted: 100,
    repeats: 0,
    inputTokens: 10_000,
    cachedInputTokens: 0,
  };

  it.each([
    ['cannot_recommend', { fingerprinted: 49 }],
    ['enable_exact_cache', { repeats: 10 }],
    ['widen_exact_cache', { repeats: 10, hits: 1 }],
    ['keep_as_is', { hits: 10 }],
    ['stabilize_prefix', { inputTokens: 102_400 }],
    ['not_worth_it', { inputTokens: 102_400, cachedInputTokens: 51_200 }],
    ['not_worth_it', {}],
  ])('is %s where the facts are %o', (advice, more) => {
    expect(cacheAdvice({ ...facts, ...more })).toBe(advice);
  });
});

describe('the exposition', () => {
  it('is read back as it was meant, whatever stands in labels and help texts', () => {
    const label = fc.string({ unit: 'grapheme', maxLength: 20 });
    fc.assert(
      fc.property(label, label, fc.integer(), (model, help, value) => {
        const text = exposition([
          { name: 'a_total', help, type: 'counter', samples: [{ labels: { model }, value }] },
        ]);
        expect(parseExposition(text)).toEqual([
          {
            name: 'a_total',
            help,
            type: 'counter',
            samples: [{ name: 'a_total', labels: { model }, value }],
          },
        ]);
      }),
    );
  });
});
