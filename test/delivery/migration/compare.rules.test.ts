import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PriceRow } from '../../../src/catalog/providers/price.js';
import {
  blendedPrice,
  COMPARISON_GUARDS,
  type ComparisonFacts,
  costDeltaPercent,
  decideComparison,
  latencyOf,
  monthAhead,
  monthlyDelta,
  percentile,
} from '../../../src/delivery/migration/compare.rules.js';
import type { Evidence, Quality } from '../../../src/delivery/migration/comparison-tables.js';
import { compareFaults } from '../../../src/delivery/migration/input.rules.js';
import type { Scan } from '../../../src/delivery/migration/tables.js';
import { allocate } from '../../../src/kernel/money.js';
import { measured } from '../../../src/kernel/provenance.js';

function recorded(samples: readonly number[]) {
  return measured(samples, (rows) => rows);
}

function price(input: bigint, output?: bigint): PriceRow {
  const microRubPerMillion = { input_uncached: input, output_text: output };
  return {
    effectiveFrom: '2026-01-01',
    microRubPerMillion,
    sourceKind: 'operator',
    vatBasis: 'included',
  };
}

describe('the price of a route', () => {
  it('is the stated mix of input and output, half to even', () => {
    expect(blendedPrice(price(10_000_000n, 20_000_000n), 0.75)).toBe(12_500_000n);
    expect(blendedPrice(price(1n, 2n), 0.5)).toBe(2n);
    expect(blendedPrice(price(2n, 3n), 0.5)).toBe(2n);
    expect(blendedPrice(price(7n, 9n), 1)).toBe(7n);
    expect(blendedPrice(price(7n, 9n), 0)).toBe(9n);
  });

  it('needs a price only for what the mix has', () => {
    expect(blendedPrice(price(7n), 1)).toBe(7n);
    expect(blendedPrice(price(7n), 0.5)).toBeUndefined();
  });

  it('lies between both prices', () => {
    const micro = fc.bigInt({ min: 0n, max: 10n ** 12n });
    const share = fc.integer({ min: 0, max: 10_000 }).map((units) => units / 10_000);
    fc.assert(
      fc.property(micro, micro, share, (input, output, inputShare) => {
        const blended = blendedPrice(price(input, output), inputShare) ?? -1n;
        expect(blended >= (input < output ? input : output)).toBe(true);
        expect(blended <= (input > output ? input : output)).toBe(true);
      }),
    );
  });
});

describe('the difference of cost', () => {
  it.each([
    [12_500_000n, 120_000_000n, -89.58],
    [120_000_000n, 120_000_000n, 0],
    [240_000_000n, 120_000_000n, 100],
    [0n, 1n, -100],
    [20_001n, 20_000n, 0],
    [20_003n, 20_000n, 0.02],
  ])('of %i against %i is %d percent', (route, source, percent) => {
    expect(costDeltaPercent(route, source)).toBe(percent);
  });

  it('is within half a hundredth of the exact quotient, and has its sign', () => {
    const micro = fc.bigInt({ min: 10_000n, max: 10n ** 11n });
    fc.assert(
      fc.property(micro, micro, (route, source) => {
        const hundredths = BigInt(Math.round(costDeltaPercent(route, source) * 100));
        const off = hundredths * source - (route - source) * 10_000n;
        expect((off < 0n ? -off : off) * 2n <= source).toBe(true);
      }),
    );
  });

  it('of a month is that of its tokens', () => {
    expect(monthlyDelta(12_500_000n, 120_000_000n, 2_000_000n)).toBe(-215_000_000n);
  });
});

describe('a percentile', () => {
  it('is the nearest rank: the smallest sample that enough samples do not pass', () => {
    const samples = [5, 1, 4, 2, 3, 10, 9, 8, 7, 6];
    expect(percentile(samples, 0.5)).toBe(5);
    expect(percentile(samples, 0.95)).toBe(10);
    expect(percentile([7], 0.5)).toBe(7);
    expect(() => percentile([], 0.5)).toThrow(RangeError);
  });

  it('is not shown as measured for too few samples', () => {
    expect(latencyOf(recorded([1, 2, 3]), 'measured_by_evaluation', 100)).toEqual({
      verdict: 'not_measured',
      reason: '3 requests are fewer than the 20 that a percentile needs',
      samples: 3,
      p50Ms: null,
      p95Ms: null,
      provenance: null,
      sourceLatencyMs: 100,
    });
    const samples = Array.from({ length: 20 }, (_, index) => index + 1);
    expect(latencyOf(recorded(samples), 'measured_by_usage', null)).toEqual({
      verdict: 'measured_by_usage',
      reason: 'nearest rank over 20 requests',
      samples: 20,
      p50Ms: 10,
      p95Ms: 19,
      provenance: 'live_measured',
      sourceLatencyMs: null,
    });
  });
});

const SCAN: Scan = {
  usedCapabilities: ['chat'],
  score: 100,
  knownGaps: [],
  scannedAt: new Date('2026-01-01T00:00:00.000Z'),
};

function quality({
  verdict = 'measured' as Quality['quality'],
  delta = 'better' as Quality['qualityDelta'],
  share = 0.95,
  differenceLow = -0.2 as number | null,
}) {
  return {
    quality: verdict,
    qualityDelta: delta,
    qualityEvidence: { share, reason: '', differenceLow },
  };
}

const SHORT = {
  useCase: 'support.reply',
  minimum: 'live_requests',
  required: 20,
  found: 19,
  provenance: null,
} as const;

const READY: ComparisonFacts = {
  scan: SCAN,
  costDeltaPercent: -10,
  simulated: false,
  quality: quality({}),
  latency: { p95Ms: 100, sourceLatencyMs: 100 },
  evidence: [],
};

const BLOCKING = {
  code: 'no_model',
  capability: 'vision',
  gap: '',
  severity: 'blocking',
  workaround: '',
} as const;

describe('the decision of a comparison', () => {
  it('is ready when nothing speaks against it', () => {
    expect(decideComparison(READY)).toMatchObject({
      outcome: 'ready',
      guard: 'otherwise',
      reasons: [{ rule: 'otherwise', outcome: 'ready' }],
    });
  });

  it.each<[string, string, Partial<ComparisonFacts>]>([
    ['no_scan', 'hold', { scan: undefined }],
    ['blocking_gap', 'hold', { scan: { ...SCAN, knownGaps: [BLOCKING] } }],
    ['score_low', 'hold', { scan: { ...SCAN, score: 59 } }],
    ['no_route', 'hold', { costDeltaPercent: undefined }],
    ['cost_increase', 'hold', { costDeltaPercent: 20.01 }],
    ['quality_worse', 'hold', { quality: quality({ delta: 'worse' }) }],
    ['quality_low', 'hold', { quality: quality({ share: 0.79 }) }],
    ['simulated_route', 'hold', { simulated: true }],
    ['quality_unknown', 'conditional', { quality: quality({ verdict: 'not_measured' }) }],
    ['quality_uncertain', 'conditional', { quality: quality({ differenceLow: -0.2001 }) }],
    ['evidence_short', 'conditional', { evidence: [SHORT] }],
    ['slower', 'conditional', { latency: { p95Ms: 201, sourceLatencyMs: 100 } }],
    ['dearer', 'conditional', { costDeltaPercent: 0.01 }],
  ])('by the rule %s is %s', (guard, outcome, change) => {
    expect(decideComparison({ ...READY, ...change })).toMatchObject({ outcome, guard });
  });

  it.each<[string, Partial<ComparisonFacts>]>([
    ['a cost increase at the threshold', { costDeltaPercent: 20 }],
    ['a score at the threshold', { scan: { ...SCAN, score: 60 } }],
    ['a quality at the threshold', { quality: quality({ share: 0.8 }) }],
    ['a latency at the threshold', { latency: { p95Ms: 200, sourceLatencyMs: 100 } }],
  ])('does not hold %s', (_name, change) => {
    expect(decideComparison({ ...READY, ...change }).outcome).not.toBe('hold');
  });

  it('is total, is the gravest of its reasons, and is never ready on missing data', () => {
    const facts = fc.record<ComparisonFacts>({
      scan: fc.constantFrom(undefined, SCAN, { ...SCAN, score: 10, knownGaps: [BLOCKING] }),
      costDeltaPercent: fc.option(fc.double({ min: -100, max: 100, noNaN: true }), {
        nil: undefined,
      }),
      simulated: fc.boolean(),
      quality: fc.record({
        quality: fc.constantFrom(
          'not_measured' as const,
          'not_conclusive' as const,
          'measured' as const,
        ),
        qualityDelta: fc.constantFrom(
          'cannot_compare' as const,
          'better' as const,
          'worse' as const,
        ),
        qualityEvidence: fc.record({
          share: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
          reason: fc.string(),
          differenceLow: fc.option(fc.double({ min: -1, max: 1, noNaN: true })),
        }),
      }),
      evidence: fc.subarray<Evidence>([SHORT, { ...SHORT, found: 20 }]),
      latency: fc.record({
        p95Ms: fc.option(fc.nat()),
        sourceLatencyMs: fc.option(fc.nat()),
      }),
    });
    fc.assert(
      fc.property(facts, (given) => {
        const { outcome, reasons } = decideComparison(given);
        const outcomes = reasons.map((reason) => reason.outcome);
        expect(reasons[0]?.outcome).toBe(outcome);
        expect(outcome === 'hold').toBe(outcomes.includes('hold'));
        const incomplete =
          !given.scan ||
          given.costDeltaPercent === undefined ||
          given.quality.quality !== 'measured' ||
          given.evidence.includes(SHORT);
        if (given.simulated) expect(outcome).toBe('hold');
        if (incomplete) expect(outcome).not.toBe('ready');
      }),
    );
  });

  it('has rules that hold before those that only set conditions', () => {
    const rank = { hold: 0, conditional: 1, ready: 2 };
    const ranks = COMPARISON_GUARDS.map(({ outcome }) => rank[outcome]);
    expect(ranks).toEqual([...ranks].sort());
  });
});

describe('the figures of a comparison', () => {
  const fits = {
    sourceCostPer1mMicro: 120_000_000n,
    model: null,
    evaluationSet: null,
    sourceQuality: null,
    sourceLatencyMs: null,
    monthlyTokens: null,
    inputShare: null,
  };

  it('need the price of the source alone', () => {
    expect(compareFaults(fits)).toEqual([]);
  });

  it('are all named when they are out of bounds', () => {
    const faults = compareFaults({
      ...fits,
      sourceCostPer1mMicro: 9_999n,
      sourceQuality: 1.01,
      sourceLatencyMs: 0,
      monthlyTokens: 0n,
      inputShare: 0.12345,
      evaluationSet: [],
    });
    expect(faults.map(({ path }) => path)).toEqual([
      'input.sourceCostPer1mRub',
      'input.evaluationSet',
      'input.sourceQuality',
      'input.sourceLatencyMs',
      'input.monthlyTokens',
      'input.inputShare',
    ]);
  });
});

describe('the month to come of a route', () => {
  const from = new Date('2026-11-25T15:00:00Z');
  const span = { from, until: new Date(from.getTime() + 30 * 86_400_000) };
  const tokens = 2_000_000n;

  it('is dearer by exactly the days after a row that doubles the price', () => {
    const amounts = fc.bigInt({ min: 0n, max: 10n ** 9n });
    fc.assert(
      fc.property(amounts, amounts, (input, output) => {
        const dearer = { ...price(input * 2n, output * 2n), effectiveFrom: '2026-11-26' };
        const priceMicro = blendedPrice(price(input, output), 0.75) ?? 0n;
        const rows = [price(input, output), dearer];
        const route = { deployment: 'a:one', rows, inputShare: 0.75 };
        const { changeMicro } = monthAhead(route, { priceMicro, tokens, span });
        // Six of 720 hours are before midnight in Moscow.
        const [, later] = allocate(priceMicro * 2n, [6n, 714n]);
        if (input + output > 0n) expect(changeMicro).toBe(later);
        const same = monthAhead(
          { ...route, rows: [price(input, output)] },
          {
            priceMicro,
            tokens,
            span,
          },
        );
        expect(same.changeMicro).toBe(0n);
      }),
    );
  });
});
