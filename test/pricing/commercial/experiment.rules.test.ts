import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assignmentFaults, assignVariant } from '../../../src/pricing/commercial/assign.rules.js';
import {
  concludeExperiment,
  experimentFaults,
} from '../../../src/pricing/commercial/experiment.rules.js';
import {
  newcombeInterval,
  sequenceRadius,
  sequentialInterval,
} from '../../../src/pricing/commercial/interval.rules.js';
import { ASSIGNMENT_SALT } from '../../../src/pricing/commercial/vocabulary.js';

const COUNT = fc.integer({ min: 0, max: 5_000 });

describe('intervals of a difference', () => {
  it("are Newcombe's, as in his paper of 1998", () => {
    // The first example of method 10: 56/70 against 48/80.
    const { low, high } = newcombeInterval({ n: 80, conversions: 48 }, { n: 70, conversions: 56 });
    expect([low.toFixed(4), high.toFixed(4)]).toEqual(['0.0524', '0.3339']);
  });

  it('hold the difference, and the one for every look is never the narrower one', () => {
    const arm = fc.integer({ min: 30, max: 5_000 }).chain((n) =>
      fc.record({
        n: fc.constant(n),
        conversions: fc.integer({ min: 1, max: n - 1 }),
      }),
    );
    fc.assert(
      fc.property(arm, arm, (a, b) => {
        const difference = b.conversions / b.n - a.conversions / a.n;
        const once = newcombeInterval(a, b);
        const always = sequentialInterval(a, b);
        expect(once.low).toBeLessThanOrEqual(difference);
        expect(once.high).toBeGreaterThanOrEqual(difference);
        expect(always.high - always.low).toBeGreaterThanOrEqual(once.high - once.low);
      }),
    );
  });

  it('for every look err in one experiment of twenty at most, looked at throughout', () => {
    let state = 0x9e3779b9;
    const coin = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state >>> 31;
    };
    const runs = 400;
    let wrong = 0;
    for (let run = 0; run < runs; run += 1) {
      let [a, b] = [0, 0];
      for (let n = 1; n <= 1_000; n += 1) {
        a += coin();
        b += coin();
        if (Math.abs(b - a) / n <= 2 * sequenceRadius(n)) continue;
        wrong += 1;
        break;
      }
    }
    expect(wrong / runs).toBeLessThanOrEqual(0.05);
  });
});

describe('an experiment', () => {
  const arm = (n: number, conversions: number) => ({ n, conversions });
  const conclude = (
    a: ReturnType<typeof arm>,
    b: ReturnType<typeof arm>,
    plannedN: number | null = null,
  ) => concludeExperiment({ a, b, plannedN });

  it('leader_is_directional: names the higher share, and claims no proof of it', () => {
    expect(conclude(arm(100, 20), arm(100, 30))).toEqual({
      verdict: 'DIRECTIONAL',
      leader: 'b',
      rateA: 0.2,
      rateB: 0.3,
      difference: 0.1,
      intervalLow: expect.any(Number),
      intervalHigh: expect.any(Number),
      intervalMethod: 'normal_mixture_sequence',
      confidence: 0.95,
      intervalHoldsZero: true,
      peekingGuard: 'sequential',
      sampleRatioMismatch: false,
      notClaimed: ['significance', 'optimal_price'],
      brokenRules: [],
      reason: null,
      needed: [],
    });
  });

  it('small_sample_concludes_nothing: below the minimum, with the interval shown', () => {
    expect(conclude(arm(29, 20), arm(30, 3))).toMatchObject({
      verdict: 'CANNOT_CONCLUDE',
      leader: null,
      difference: expect.any(Number),
      intervalLow: expect.any(Number),
      brokenRules: ['small_sample_concludes_nothing'],
      needed: ['a: 1 more subjects'],
    });
    expect(conclude(arm(30, 20), arm(30, 3)).verdict).toBe('DIRECTIONAL');
    expect(conclude(arm(0, 0), arm(30, 3))).toMatchObject({ rateA: null, intervalLow: null });
  });

  it('degenerate_sample_concludes_nothing: where all, none or equally many converted', () => {
    for (const [a, b] of [
      [arm(500, 0), arm(500, 90)],
      [arm(500, 90), arm(500, 500)],
      [arm(500, 100), arm(1_000, 200)],
    ] as const) {
      expect(conclude(a, b)).toMatchObject({
        verdict: 'CANNOT_CONCLUDE',
        leader: null,
        brokenRules: ['degenerate_sample_concludes_nothing'],
      });
    }
  });

  it('horizon_before_conclusion: says nothing early, and then uses one look', () => {
    expect(conclude(arm(400, 80), arm(400, 120), 500)).toMatchObject({
      verdict: 'CANNOT_CONCLUDE',
      peekingGuard: 'fixed_horizon',
      brokenRules: ['horizon_before_conclusion'],
      needed: [expect.stringContaining('b: 100 more subjects until the stated horizon')],
    });
    expect(conclude(arm(505, 100), arm(500, 150), 500)).toMatchObject({
      verdict: 'DIRECTIONAL',
      leader: 'b',
      peekingGuard: 'fixed_horizon',
      intervalMethod: 'newcombe',
      intervalHoldsZero: false,
    });
  });

  it('that went on well past its horizon is judged as one that was looked at throughout', () => {
    expect(conclude(arm(551, 100), arm(500, 150), 500)).toMatchObject({
      peekingGuard: 'sequential',
      intervalMethod: 'normal_mixture_sequence',
    });
  });

  it('tells a split that is hardly even, and refuses more conversions than subjects', () => {
    expect(conclude(arm(1_000, 100), arm(800, 100)).sampleRatioMismatch).toBe(true);
    const given = { a: arm(10, 11), b: arm(10, 1), plannedN: null };
    expect(experimentFaults(given).map(({ path }) => path)).toEqual(['input.a.conversions']);
  });

  it('mirrors itself when its variants change places', () => {
    const any = fc.record({ n: COUNT, conversions: COUNT });
    fc.assert(
      fc.property(any, any, (a, b) => {
        fc.pre(a.conversions <= a.n && b.conversions <= b.n);
        const [one, other] = [conclude(a, b), conclude(b, a)];
        const mirrored = { a: 'b', b: 'a' } as const;
        expect(other.verdict).toBe(one.verdict);
        expect(other.leader).toBe(one.leader && mirrored[one.leader]);
      }),
    );
  });
});

describe('an assignment', () => {
  const assign = (subject: string, variants: readonly string[], experiment = 'price-1') =>
    assignVariant({ experiment, subject, variants });

  it('assignment_is_recomputable: by the published formula, written anew', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.integer({ min: 2, max: 20 }), (subject, size) => {
        const variants = Array.from({ length: size }, (_, index) => `v${index}`);
        const hmac = createHmac('sha256', ASSIGNMENT_SALT).update(`price-1:${subject}`);
        const digest = BigInt(`0x${hmac.digest('hex')}`);
        const bucket = Number((digest * BigInt(size)) / 2n ** 256n);
        expect(assign(subject, variants)).toMatchObject({
          variant: [...variants].sort()[bucket],
          bucket,
          digest: digest.toString(16).padStart(64, '0'),
        });
      }),
    );
  });

  it('is the same for ever', () => {
    expect(assign('account-17', ['a', 'b'])).toMatchObject({
      variant: expect.stringMatching(/^[ab]$/),
      digest: createHmac('sha256', 'gw-commercial-assignment-v1')
        .update('price-1:account-17')
        .digest('hex'),
    });
  });

  it.each([
    // The chi-square that one uniform sample of a thousand exceeds, by degrees of freedom.
    [2, 10.828],
    [3, 13.816],
    [7, 22.458],
  ])('is uniform over %i variants: chi-square of 70,000 subjects below %d', (size, limit) => {
    const variants = Array.from({ length: size }, (_, index) => `v${index}`);
    const counts = new Map(variants.map((name) => [name, 0]));
    const subjects = 70_000;
    for (let index = 0; index < subjects; index += 1) {
      const { variant } = assign(`subject-${index}`, variants);
      counts.set(variant, (counts.get(variant) ?? 0) + 1);
    }
    const expected = subjects / size;
    const chi = [...counts.values()].reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0);
    expect(chi).toBeLessThan(limit);
  });

  it('of one experiment tells nothing of another: chi-square of independence', () => {
    const cells = [0, 0, 0, 0];
    for (let index = 0; index < 40_000; index += 1) {
      const first = assign(`s${index}`, ['a', 'b'], 'one').bucket;
      const second = assign(`s${index}`, ['a', 'b'], 'two').bucket;
      const cell = first * 2 + second;
      cells[cell] = (cells[cell] ?? 0) + 1;
    }
    const chi = cells.reduce((sum, n) => sum + (n - 10_000) ** 2 / 10_000, 0);
    expect(chi).toBeLessThan(16.266);
  });

  it('does not depend on the order of the variants', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (subject) => {
        expect(assign(subject, ['b', 'c', 'a'])).toEqual(assign(subject, ['a', 'b', 'c']));
      }),
    );
  });

  it('refuses names that could be read in two ways, and repeated variants', () => {
    const paths = (experiment: string, variants: readonly string[]) =>
      assignmentFaults({ experiment, subject: 's', variants }).map(({ path }) => path);
    expect(paths('a:b', ['a', 'b'])).toEqual(['input.experiment']);
    expect(paths('x', ['a'])).toEqual(['input.variants']);
    expect(paths('x', ['a', 'a'])).toEqual(['input.variants']);
    expect(paths('x', ['a', 'б'])).toEqual(['input.variants.1']);
  });
});
