import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimateRoi } from '../../../src/growth/value/estimate.rules.js';
import {
  confidenceOf,
  dashboardOf,
  decisionOf,
  roiOf,
  type UseCaseFacts,
} from '../../../src/growth/value/roi.rules.js';
import { verticalCosts } from '../../../src/growth/value/vertical.rules.js';
import { DECISIONS, EVENT_TYPES } from '../../../src/growth/value/vocabulary.js';

const WINDOW = { from: new Date('2026-10-01T00:00:00Z'), to: new Date('2026-11-01T00:00:00Z') };
const MEASURED = 'live_measured' as const;
const FACTS: UseCaseFacts = {
  useCase: 'support.reply',
  events: 40,
  results: 50,
  eventsWithoutValue: 0,
  evidencedEvents: 40,
  valueMicro: 900n,
  costMicro: 300n,
  requests: 120,
  simulatedRequests: 0,
  simulatedCostMicro: 0n,
};
const MICRO = fc.bigInt({ min: 0n, max: 10n ** 15n });
const COST = fc.bigInt({ min: 1n, max: 10n ** 15n });

describe('the decision about a use case', () => {
  it.each([
    [200n, 100n, 'scale'],
    [199n, 100n, 'fix'],
    [100n, 100n, 'fix'],
    [99n, 100n, 'pause'],
    [50n, 100n, 'pause'],
    [49n, 100n, 'kill'],
    [0n, 100n, 'kill'],
  ])('of value %s and cost %s is by the published thresholds: %s', (value, cost, decision) => {
    expect(decisionOf(value, cost)).toBe(decision);
  });

  it('is never worse for more value, and never better for more cost', () => {
    const rank = (value: bigint, cost: bigint) => DECISIONS.codes.indexOf(decisionOf(value, cost));
    fc.assert(
      fc.property(MICRO, COST, MICRO, (value, cost, more) => {
        expect(rank(value + more, cost)).toBeLessThanOrEqual(rank(value, cost));
        expect(rank(value, cost + more)).toBeGreaterThanOrEqual(rank(value, cost));
      }),
    );
  });
});

describe('the return of a use case', () => {
  it('is value, cost, net, percent and recommendation, with confidence beside it', () => {
    expect(roiOf(FACTS, WINDOW, MEASURED)).toEqual({
      ...FACTS,
      ...WINDOW,
      status: 'computed',
      valueProvenance: 'declared',
      costProvenance: 'live_measured',
      netMicro: 600n,
      roiPercent: 200,
      roiProvenance: 'declared',
      recommendation: 'scale',
      confidence: 'high',
      confidenceLimits: [],
      costPerResultMicro: 6n,
      reason: null,
      needed: [],
    });
  });

  it.each([
    ['value_without_cost', { costMicro: 0n, requests: 0 }],
    ['cost_without_value', { events: 0, results: 0, evidencedEvents: 0, valueMicro: 0n }],
    ['value_not_stated', { eventsWithoutValue: 40, valueMicro: 0n }],
    ['nothing_recorded', { events: 0, results: 0, valueMicro: 0n, costMicro: 0n, requests: 0 }],
  ])('says %s instead of inventing a ratio', (status, facts) => {
    const receipt = roiOf({ ...FACTS, ...facts }, WINDOW, MEASURED);
    expect(receipt).toMatchObject({
      status,
      netMicro: null,
      roiPercent: null,
      recommendation: null,
      confidence: null,
      reason: expect.any(String),
    });
    expect(receipt.needed.length).toBeGreaterThan(0);
  });

  it('has a confidence that names what the next higher one would take', () => {
    expect(confidenceOf({ ...FACTS, requests: 99 })).toEqual({
      confidence: 'medium',
      confidenceLimits: ['1 more requests'],
    });
    expect(confidenceOf({ ...FACTS, events: 9, evidencedEvents: 1, requests: 5 })).toEqual({
      confidence: 'low',
      confidenceLimits: [
        '1 more events',
        '25 more requests',
        'an external reference or a request in 50 % of the events',
      ],
    });
  });

  it('adds up over the portfolio, whose return is over what can be compared alone', () => {
    const facts = [
      FACTS,
      { ...FACTS, useCase: 'dear', costMicro: 5_000n, events: 0, results: 0, valueMicro: 0n },
      { ...FACTS, useCase: 'free', costMicro: 0n, valueMicro: 70n },
    ];
    expect(dashboardOf(facts, WINDOW, MEASURED)).toMatchObject({
      useCases: 3,
      costMicro: 5_300n,
      valueMicro: 970n,
      comparableCostMicro: 300n,
      comparableValueMicro: 900n,
      comparableNetMicro: 600n,
      roiPercent: 200,
      unknownReturns: 2,
      portfolio: [{ useCase: 'dear' }, { useCase: 'support.reply' }, { useCase: 'free' }],
      decisions: [
        { recommendation: 'scale', useCases: 1, valueMicro: 900n, costMicro: 300n },
        { recommendation: 'fix', useCases: 0 },
        { recommendation: 'pause', useCases: 0 },
        { recommendation: 'kill', useCases: 0 },
      ],
    });
    expect(dashboardOf([], WINDOW, MEASURED)).toMatchObject({
      roiPercent: null,
      comparableNetMicro: null,
    });
  });
});

describe('cost per result by vertical', () => {
  it('loses no micro-ruble and no result, however use cases and types are mixed', () => {
    const useCase = fc.constantFrom('a', 'b', 'c', 'd');
    const cost = fc.record({ useCase, costMicro: MICRO });
    const result = fc.record({
      useCase,
      eventType: fc.constantFrom(...EVENT_TYPES.codes),
      results: fc.integer({ min: 1, max: 1_000 }),
      valueMicro: fc.option(MICRO),
    });
    const costs = fc.uniqueArray(cost, { selector: (each) => each.useCase });
    fc.assert(
      fc.property(costs, fc.array(result), (each, results) => {
        const lines = verticalCosts(each, results, MEASURED);
        const total = lines.reduce((sum, { costMicro }) => sum + costMicro, 0n);
        expect(total).toBe(each.reduce((sum, { costMicro }) => sum + costMicro, 0n));
        const counted = lines.reduce((sum, line) => sum + line.results, 0);
        expect(counted).toBe(results.reduce((sum, row) => sum + row.results, 0));
      }),
    );
  });

  it('is estimated where a use case stands in several lines, and says what is missing', () => {
    const lines = verticalCosts(
      [
        { useCase: 'mixed', costMicro: 100n },
        { useCase: 'idle', costMicro: 7n },
      ],
      [
        { useCase: 'mixed', eventType: 'tender_won', results: 1, valueMicro: 10n },
        { useCase: 'mixed', eventType: 'call_scored', results: 2, valueMicro: null },
        { useCase: 'free', eventType: 'invoice_extracted', results: 3, valueMicro: null },
      ],
      MEASURED,
    );
    const of = (wanted: string) => lines.find(({ vertical }) => vertical === wanted);
    expect(of('tenders')).toMatchObject({
      costMicro: 33n,
      costPerResultMicro: 33n,
      costProvenance: 'estimated',
      valueMicro: 10n,
    });
    expect(of('calls')).toMatchObject({ costMicro: 67n, costPerResultMicro: 34n, results: 2 });
    expect(of('documents')).toMatchObject({
      costPerResultMicro: null,
      costProvenance: 'live_measured',
      reason: 'Results were recorded, and no cost of real models in their use cases.',
    });
    expect(of('unattributed')).toMatchObject({ costMicro: 7n, costPerResultMicro: null });
    expect(of('creatives')).toMatchObject({ reason: 'Nothing was recorded.' });
  });
});

describe('an estimate of a return', () => {
  const stated = {
    itemsPerMonth: 6_000,
    minutesPerItem: 10,
    hourlyCostMicro: 600_000_000n,
    automatedPercent: 50,
    reviewMinutesPerItem: 1,
    aiCostPerItemMicro: 2_000_000n,
    monthlyFeeMicro: 4_000_000_000n,
    setupCostMicro: 26_000_000_000n,
  };

  it('follows its formula', () => {
    expect(estimateRoi(stated)).toMatchObject({
      manualCostMicro: 600_000_000_000n,
      remainingManualCostMicro: 300_000_000_000n,
      reviewCostMicro: 30_000_000_000n,
      aiCostMicro: 10_000_000_000n,
      netSavingMicro: 260_000_000_000n,
      hoursSaved: 450,
      roiPercent: 2_600,
      paybackMonths: 0.1,
    });
  });

  it('names every assumption, and which of them nobody has stated', () => {
    const none = Object.fromEntries(Object.keys(stated).map((name) => [name, null]));
    const { assumptions } = estimateRoi({ ...none, itemsPerMonth: 1 } as never);
    expect(assumptions).toEqual([
      { name: 'items_per_month', value: '1', source: 'stated' },
      { name: 'minutes_per_item', value: '10', source: 'default' },
      { name: 'hourly_cost_rub', value: '700.00', source: 'default' },
      { name: 'automated_percent', value: '70', source: 'default' },
      { name: 'review_minutes_per_item', value: '1', source: 'default' },
      { name: 'ai_cost_per_item_rub', value: '2.00', source: 'default' },
      { name: 'monthly_fee_rub', value: '0.00', source: 'default' },
      { name: 'setup_cost_rub', value: '0.00', source: 'default' },
    ]);
    expect(estimateRoi(stated).assumptions.every(({ source }) => source === 'stated')).toBe(true);
  });

  it('never rounds in favour of the saving, and earns nothing back from a loss', () => {
    const input = fc.record({
      itemsPerMonth: fc.integer({ min: 1, max: 1_000_000 }),
      minutesPerItem: fc.integer({ min: 0, max: 60 }),
      hourlyCostMicro: MICRO,
      automatedPercent: fc.integer({ min: 0, max: 100 }),
      reviewMinutesPerItem: fc.integer({ min: 0, max: 60 }),
      aiCostPerItemMicro: MICRO,
      monthlyFeeMicro: MICRO,
      setupCostMicro: MICRO,
    });
    fc.assert(
      fc.property(input, (given) => {
        const found = estimateRoi(given);
        const [items, automated] = [BigInt(given.itemsPerMonth), BigInt(given.automatedPercent)];
        const minutes = BigInt(given.minutesPerItem - given.reviewMinutesPerItem);
        // The saving without any rounding, times 6,000.
        const exact =
          items * automated * minutes * given.hourlyCostMicro -
          items * automated * given.aiCostPerItemMicro * 60n -
          given.monthlyFeeMicro * 6_000n;
        expect(found.netSavingMicro * 6_000n).toBeLessThanOrEqual(exact);
        expect(found.netSavingMicro * 6_000n).toBeGreaterThan(exact - 4n * 6_000n);
        expect(found.paybackMonths === null).toBe(found.netSavingMicro <= 0n);
      }),
    );
  });
});
