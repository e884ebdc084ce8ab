import { sharedNowMs } from '../../kernel/clock.js';
import { moscowDay } from '../../kernel/time.js';
import { whatIf } from '../../records/what-if.js';
import { categoryOf, isLoss, missingFacts, workFaults } from './categories.rules.js';
import { engineeringGate, profitabilityMap, velocityOf } from './economics.rules.js';
import { ladderStanding } from './ladder.rules.js';
import { leakageOf } from './leakage.rules.js';
import { consumerFaults, hasUnits, sharesOf } from './pools.rules.js';
import { reconcile } from './reconcile.rules.js';
import {
  CATEGORY,
  CATEGORY_INPUT,
  GATE,
  GATE_INPUT,
  LADDER_INPUT,
  LADDER_STANDING,
  LEAKAGE,
  LEAKAGE_INPUT,
  MAP,
  MAP_INPUT,
  POOL,
  POOL_INPUT,
  RECONCILE_INPUT,
  RECONCILED,
  VAT,
  VAT_INPUT,
  VELOCITY,
  VELOCITY_INPUT,
} from './tables.js';
import { vatFaults, vatOf } from './vat.rules.js';

whatIf({
  field: 'vatNormalize',
  description: 'Tells net, VAT and gross of an amount apart, at the rate of its day of supply.',
  input: VAT_INPUT,
  output: VAT,
  faults: (asked) => vatFaults(asked, moscowDay(sharedNowMs())),
  rule: vatOf,
});

whatIf({
  field: 'costCategorize',
  description: 'What became of paid work, and what of its cost was lost; failed work has a cost.',
  input: CATEGORY_INPUT,
  output: CATEGORY,
  faults: workFaults,
  failClosed: {
    otherwise: 'cannot_classify',
    reason: 'The facts do not show what became of the work and what it cost.',
    missing: missingFacts,
  },
  rule: ({ costMicro, ...facts }) => {
    const { category, why } = categoryOf(facts);
    if (!category) throw new TypeError('facts that show no category have passed');
    const cost = costMicro ?? 0n;
    const isLost = isLoss(category);
    const lostMicro = isLost ? cost : 0n;
    return {
      verdict: 'classified' as const,
      category,
      why,
      isLoss: isLost,
      costMicro: cost,
      lostMicro,
    };
  },
});

whatIf({
  field: 'costPoolAllocate',
  description: 'Splits a shared cost by units of an approved driver, to the micro-ruble.',
  input: POOL_INPUT,
  output: POOL,
  faults: ({ consumers }) => consumerFaults(consumers),
  failClosed: {
    otherwise: 'cannot_allocate',
    reason: 'No consumer has units of the driver.',
    missing: ({ consumers }) => (hasUnits(consumers) ? [] : ['consumers with units above 0']),
  },
  rule: ({ poolMicro, driver, consumers }) => ({
    verdict: 'allocated' as const,
    driver,
    units: consumers.reduce((sum, { units }) => sum + units, 0n),
    poolMicro,
    shares: sharesOf(poolMicro, consumers),
  }),
});

whatIf({
  field: 'costReconcile',
  description: 'Compares a reported cost with its invoice; without one nothing is certified.',
  input: RECONCILE_INPUT,
  output: RECONCILED,
  rule: reconcile,
});

whatIf({
  field: 'budgetLadder',
  description: 'Which of the six steps of the ladder hold for a budget, by what is spent of it.',
  input: LADDER_INPUT,
  output: LADDER_STANDING,
  rule: ({ spentMicro, budgetMicro }) => ladderStanding(spentMicro, budgetMicro),
});

whatIf({
  field: 'costVelocity',
  description: 'How much is spent an hour, and when nothing remains at that rate.',
  input: VELOCITY_INPUT,
  output: VELOCITY,
  rule: velocityOf,
});

whatIf({
  field: 'profitabilityMap',
  description: 'How profitable customers are, by their margins; without a ledger CANNOT_CLASSIFY.',
  input: MAP_INPUT,
  output: MAP,
  rule: ({ customers }) => profitabilityMap(customers),
});

whatIf({
  field: 'engineeringCostGate',
  description: 'Whether a change makes a unit dearer than is tolerated; a projection.',
  input: GATE_INPUT,
  output: GATE,
  rule: engineeringGate,
});

whatIf({
  field: 'marginLeakage',
  description: 'What of stated cost went into work that nobody had any use of.',
  input: LEAKAGE_INPUT,
  output: LEAKAGE,
  rule: ({ revenueMicro, ...costs }) =>
    leakageOf(
      [
        { category: 'accepted', costMicro: costs.acceptedCostMicro },
        { category: 'failed_delivery', costMicro: costs.failedDeliveryCostMicro },
        { category: 'retry', costMicro: costs.retryCostMicro },
        { category: 'wasted', costMicro: costs.wastedCostMicro },
        { category: null, costMicro: costs.unknownCostMicro },
      ],
      revenueMicro,
    ),
});
