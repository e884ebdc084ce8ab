import {
  bigInteger,
  code,
  day,
  defaulting,
  fieldTable,
  flag,
  integer,
  list,
  money,
  number,
  object,
  optional,
  text,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import {
  CATEGORIES,
  CATEGORY_VERDICTS,
  CONSUMERS_MAX,
  DELIVERIES,
  DRIVERS,
  GATE_VERDICTS,
  INVOICE_STATES,
  LADDER,
  LEAKAGE_VERDICTS,
  MAP_VERDICTS,
  MICRO_MAX,
  POOL_VERDICTS,
  PROFITABILITIES,
  RECONCILE_VERDICTS,
  TOLERANCE_BASIS_POINTS,
  UNITS_MAX,
  USES,
  VELOCITY_HOURS_DEFAULT,
} from './vocabulary.js';

const AMOUNT = { min: 0n, max: MICRO_MAX };
const NAME = { max: 128 };
const REASON = optional(text('Why nothing is certified; null where something is.'));
const NEEDED = list(text('A missing part.'), 'What would have to be known; empty where all is.');

/** An amount with its tax to take apart. */
export const VAT_INPUT = fieldTable('VatInput', 'An amount whose tax is to be told apart.', {
  netMicro: optional(money('The amount without VAT; this or the gross one.', AMOUNT)),
  grossMicro: optional(money('The amount with VAT; this or the net one.', AMOUNT)),
  supplyDay: optional(day('The day of supply in Moscow, which names the rate; today by default.')),
  statedVatMicro: optional(
    money('The VAT that a document states, to see how far it is from the rate.', AMOUNT),
  ),
});
export type VatAsked = ValuesOf<typeof VAT_INPUT.fields>;

/** An amount with its tax apart. */
export const VAT = fieldTable('VatNormalization', 'An amount with its tax apart.', {
  netMicro: money('The amount without VAT.'),
  vatMicro: money('The VAT, rounded half up to the micro-ruble.'),
  grossMicro: money('The amount with VAT: net and VAT together, exactly.'),
  supplyDay: day('The day of supply.'),
  vatRateBasisPoints: integer('The rate on that day, in basis points.'),
  rateEffectiveFrom: day('The day from which on the rate holds.'),
  vatDifferenceMicro: optional(
    money('The stated VAT less the one that the rate gives; null where none is stated.'),
  ),
});
export type Vat = ValuesOf<typeof VAT.fields>;

/** Paid work to put into a category. */
export const CATEGORY_INPUT = fieldTable('CostCategoryInput', 'Paid work and how it ended.', {
  costMicro: optional(money('What the work cost, net of VAT; needed for failed work too.', AMOUNT)),
  delivery: optional(code(DELIVERIES, 'How the work ended.')),
  attempt: defaulting(
    integer('Which attempt it was; later ones than 1 are retries.', { min: 1, max: 1_000 }),
    1,
  ),
  use: optional(code(USES, 'What became of what was delivered.')),
});
export type CategoryAsked = ValuesOf<typeof CATEGORY_INPUT.fields>;

/** Paid work in its category. */
export const CATEGORY = fieldTable('CostCategorization', 'Paid work in its category.', {
  verdict: code(CATEGORY_VERDICTS, 'Whether the facts show what became of the work.'),
  category: code(CATEGORIES, 'What became of the work.'),
  why: text('Why it is in this category.'),
  isLoss: flag('Whether nobody had any use of it.'),
  costMicro: money('What the work cost, also where it failed.'),
  lostMicro: money('What of it was lost: all of it, or nothing.'),
});

const CONSUMER = fieldTable('CostPoolConsumerInput', 'Who shares a pool.', {
  consumer: text('Its name, such as a client or a team.', NAME),
  units: bigInteger('Its units of the driver.', { min: 0n, max: UNITS_MAX }),
});

/** A pool to split. */
export const POOL_INPUT = fieldTable('CostPoolInput', 'A shared cost that is to be split.', {
  poolMicro: money('The shared cost, net of VAT.', AMOUNT),
  driver: code(DRIVERS, 'The approved driver that the units are of.'),
  consumers: defaulting(
    list(object(CONSUMER, 'A consumer.'), 'Who shares the cost.', { max: CONSUMERS_MAX }),
    [],
  ),
});

/** The share of a consumer. */
export const SHARE = fieldTable('CostPoolShare', 'What a consumer bears of a shared cost.', {
  consumer: optional(text('Its name; null for requests that name no client.')),
  units: bigInteger('Its units of the driver.'),
  shareMicro: money('What it bears; all shares add up to the cost exactly.'),
});
export type PoolShare = ValuesOf<typeof SHARE.fields>;

/** A pool as it was split. */
export const POOL = fieldTable('CostPool', 'A shared cost as it was split.', {
  verdict: code(POOL_VERDICTS, 'Whether there were units to split it by.'),
  driver: code(DRIVERS, 'The driver that the units are of.'),
  units: bigInteger('Units of all consumers together.'),
  poolMicro: money('The shared cost: the sum of the shares.'),
  shares: list(object(SHARE, 'A share.'), 'The shares, in the order of the consumers.'),
});

/** A cost to reconcile. */
export const RECONCILE_INPUT = fieldTable(
  'CostReconcileInput',
  'The figures of a cost, as far as they have come. All of them are net of VAT.',
  {
    estimatedMicro: optional(money('What was expected.', AMOUNT)),
    reportedMicro: optional(money('What was measured or recorded.', AMOUNT)),
    invoicedMicro: optional(money('What the invoice says.', AMOUNT)),
    toleranceBasisPoints: defaulting(
      integer('How far the invoice may be from the report, in basis points of the report.', {
        min: 0,
        max: 10_000,
      }),
      TOLERANCE_BASIS_POINTS,
    ),
  },
);

/** A cost against its invoice. */
export const RECONCILED = fieldTable('CostReconciliation', 'A cost against its invoice.', {
  verdict: code(RECONCILE_VERDICTS, 'What the comparison shows.'),
  state: optional(code(INVOICE_STATES, 'How far the figure has come; null without any.')),
  estimatedMicro: optional(money('What was expected; null where nobody said.')),
  reportedMicro: optional(money('What was reported; null where nothing was.')),
  invoicedMicro: optional(money('What was invoiced; null where nothing was.')),
  varianceMicro: optional(money('Invoiced less reported; null without both.')),
  varianceBasisPoints: optional(
    integer('The same as a share of the report, half up; null where that is nothing.'),
  ),
  reason: REASON,
  needed: NEEDED,
});
export type Reconciled = ValuesOf<typeof RECONCILED.fields>;

/** A budget to put on the ladder. */
export const LADDER_INPUT = fieldTable('BudgetLadderInput', 'A budget and what is spent of it.', {
  spentMicro: money('What is spent of the budget.', AMOUNT),
  budgetMicro: money('The budget; one of nothing stands on the last step.', AMOUNT),
});

/** A budget on the ladder. */
export const LADDER_STANDING = fieldTable('BudgetLadder', 'Where a budget stands on the ladder.', {
  step: optional(code(LADDER, 'The highest step that has begun; null below the first.')),
  steps: list(code(LADDER, 'A step.'), 'Every step that holds, in their order.'),
  nextStep: optional(code(LADDER, 'The step that begins next; null on the last one.')),
  nextAtMicro: optional(money('The spend at which it begins, rounded up; null on the last one.')),
  usedBasisPoints: optional(
    integer('Spent of the budget, rounded down; null where the budget is nothing.'),
  ),
});

/** Spend over a time. */
export const VELOCITY_INPUT = fieldTable('CostVelocityInput', 'Spend over a time.', {
  spentMicro: money('What was spent in that time.', AMOUNT),
  hours: defaulting(
    number('Hours of that time; a day, 24, unless stated.', { min: 0.001, max: 100_000 }),
    VELOCITY_HOURS_DEFAULT,
  ),
  remainingMicro: optional(money('What remains to be spent, of a balance or a budget.', AMOUNT)),
});
export type VelocityAsked = ValuesOf<typeof VELOCITY_INPUT.fields>;

/** How fast money goes. */
export const VELOCITY_FIELDS = {
  hours: number('The hours that the spend was taken over: as stated, or 24.'),
  burnPerHourMicro: money('Spend an hour, rounded half up.'),
  remainingMicro: optional(money('What remains; null where nobody said.')),
  hoursToExhaustion: optional(
    number(
      'Hours until nothing remains at that rate, rounded down to two places, at most 1,000,000; ' +
        'null where nothing is spent or what remains is not stated.',
    ),
  ),
} as const;

/** How fast money goes. */
export const VELOCITY = fieldTable('CostVelocity', 'How fast money goes.', VELOCITY_FIELDS);

const CUSTOMER = fieldTable('ProfitabilityCustomerInput', 'What a ledger shows of a customer.', {
  customer: text('The customer, such as a client id.', NAME),
  revenueMicro: optional(money('What it has paid, net of VAT.', AMOUNT)),
  costMicro: optional(money('What serving it has cost, net of VAT.', AMOUNT)),
});
export type CustomerFigures = ValuesOf<typeof CUSTOMER.fields>;

/** Customers to map. */
export const MAP_INPUT = fieldTable('ProfitabilityInput', 'Customers with their figures.', {
  customers: defaulting(
    list(object(CUSTOMER, 'A customer.'), 'The customers that the map shows.', {
      max: CONSUMERS_MAX,
    }),
    [],
  ),
});

const STANDING = fieldTable('CustomerStanding', 'How profitable a customer is.', {
  customer: text('The customer, as it was named.'),
  profitability: code(PROFITABILITIES, 'Its class, by its margin alone.'),
  revenueMicro: optional(money('What it has paid; null where no ledger shows it.')),
  costMicro: optional(money('What it has cost; null where no ledger shows it.')),
  marginMicro: optional(money('What remains; null without both.')),
  marginBasisPoints: optional(
    integer('The same of its revenue, rounded down; null where it has paid nothing.'),
  ),
});
export type CustomerStanding = ValuesOf<typeof STANDING.fields>;

const CLASS_COUNT = fieldTable('ProfitabilityClassCount', 'Customers of a class.', {
  profitability: code(PROFITABILITIES, 'The class of the customers.'),
  customers: integer('How many are in it.'),
});

/** The map of customers. */
export const MAP_FIELDS = {
  verdict: code(MAP_VERDICTS, 'Whether any customer could be classified.'),
  reason: optional(text('Why there is no map; null where there is one.')),
  needed: NEEDED,
  customers: list(
    object(STANDING, 'A customer.'),
    'Those that lose most come first, those that cannot be classified last.',
  ),
  classes: list(object(CLASS_COUNT, 'A class.'), 'How many customers are in each class.'),
  revenueMicro: optional(money('What the classified ones have paid; null where none is.')),
  costMicro: optional(money('What they have cost; null where none is.')),
  marginMicro: optional(money('What remains of them; null where none is.')),
  marginBasisPoints: optional(integer('The same of their revenue, rounded down.')),
} as const;

/** The map of customers. */
export const MAP = fieldTable('ProfitabilityMap', 'How profitable customers are.', MAP_FIELDS);

/** A change to judge by its cost. */
export const GATE_INPUT = fieldTable('EngineeringCostInput', 'What a change does to cost.', {
  cogsBeforeMicro: money('Cost of goods sold of a unit before the change.', AMOUNT),
  cogsAfterMicro: money('The same after the change.', AMOUNT),
  units: optional(bigInteger('Units of a month.', { min: 0n, max: 1_000_000_000n })),
  revenueMicro: optional(money('What a unit earns, net of VAT.', AMOUNT)),
  growthBasisPointsMax: defaulting(
    integer('By how much the cost of a unit may grow, in basis points.', { min: 0, max: 10_000 }),
    0,
  ),
});
export type GateAsked = ValuesOf<typeof GATE_INPUT.fields>;

/** A change judged by its cost. */
export const GATE = fieldTable('EngineeringCostGate', 'What a change would do to cost.', {
  verdict: code(GATE_VERDICTS, 'Whether the growth is tolerated.'),
  deltaMicro: money('Cost of a unit after less before.'),
  deltaBasisPoints: optional(
    integer('The same of the cost before, rounded up; null where that was nothing.'),
  ),
  monthlyDeltaMicro: optional(money('The delta of all units; null where they are not stated.')),
  marginBeforeBasisPoints: optional(
    integer('What of revenue remained, rounded down; null without revenue.'),
  ),
  marginAfterBasisPoints: optional(
    integer('What of revenue would remain, rounded down; null without revenue.'),
  ),
  growthBasisPointsMax: integer('The growth that is tolerated.'),
});

/** Costs by what became of the work. */
export const LEAKAGE_INPUT = fieldTable(
  'MarginLeakageInput',
  'Costs by what became of the work, net of VAT.',
  {
    acceptedCostMicro: defaulting(money('Of work that was used.', AMOUNT), 0n),
    failedDeliveryCostMicro: defaulting(money('Of work that failed.', AMOUNT), 0n),
    retryCostMicro: defaulting(money('Of work that was done once more.', AMOUNT), 0n),
    wastedCostMicro: defaulting(money('Of work that nobody used.', AMOUNT), 0n),
    unknownCostMicro: defaulting(money('Of work of which it is not known.', AMOUNT), 0n),
    revenueMicro: optional(money('What all the work has earned, net of VAT.', AMOUNT)),
  },
);

const SOURCE = fieldTable('MarginLeakageSource', 'Cost of one category.', {
  category: code(CATEGORIES, 'What became of the work.'),
  isLoss: flag('Whether nobody had any use of it.'),
  costMicro: money('What such work has cost.'),
  shareBasisPoints: optional(integer('The same of all cost that is known about, half up.')),
});

/** What leaks. */
export const LEAKAGE_FIELDS = {
  verdict: code(LEAKAGE_VERDICTS, 'Whether margin leaks.'),
  reason: REASON,
  needed: NEEDED,
  knownMicro: optional(money('Cost of which is known what became of the work.')),
  unknownMicro: money('Cost of which it is not known; it is in no share.'),
  leakageMicro: optional(money('What went into work that nobody had any use of.')),
  leakageBasisPoints: optional(integer('The same of the known cost, rounded up.')),
  sources: list(object(SOURCE, 'A category.'), 'Where the known cost went.'),
  marginMicro: optional(money('Revenue less all cost; null without revenue.')),
  marginWithoutLeakageMicro: optional(
    money('What the margin would be without the leakage; null without revenue.'),
  ),
} as const;
export type Leakage = ValuesOf<typeof LEAKAGE_FIELDS>;

/** What leaks. */
export const LEAKAGE = fieldTable(
  'MarginLeakage',
  'What of margin leaks, and where.',
  LEAKAGE_FIELDS,
);
