import { MICRO_PER_RUB } from '../../kernel/money.js';
import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';

/** How sure it is whose cost something is; the server decides it from what it can join. */
export const CONFIDENCES = vocabulary(
  'CostConfidence',
  'How sure it is whose cost something is. The server decides it, never the caller.',
  [
    { code: 'DIRECT', description: 'The cost names a request in the usage of the organization.' },
    {
      code: 'ALLOCATED',
      description: 'A shared cost, split by units of an approved driver that usage shows.',
    },
    { code: 'ESTIMATED', description: 'Only a tag of the caller says whose cost it is.' },
    { code: 'UNALLOCATED', description: 'Nothing says whose cost it is.' },
  ],
);

/** How sure it is whose cost something is. */
export type Confidence = CodeOf<typeof CONFIDENCES>;

/** What became of the work that a cost was paid for. `isLoss`: nobody had any use of it. */
export const CATEGORIES = vocabulary(
  'CostCategory',
  'What became of the work that a cost was paid for.',
  [
    { code: 'accepted', description: 'Delivered and used.', isLoss: false },
    {
      code: 'failed_delivery',
      description: 'Failed or cut off before it was delivered; it cost what it cost.',
      isLoss: true,
    },
    {
      code: 'retry',
      description: 'A further attempt after one that failed, which brought nothing used either.',
      isLoss: true,
    },
    { code: 'wasted', description: 'Delivered, and used by nobody.', isLoss: true },
  ],
);

/** What became of paid work. */
export type Category = CodeOf<typeof CATEGORIES>;

/** How paid work ended. */
export const DELIVERIES = vocabulary('CostDelivery', 'How work that was paid for ended.', [
  { code: 'complete', description: 'Delivered as a whole.' },
  { code: 'partial', description: 'Cut off before its end.' },
  { code: 'failed', description: 'Nothing was delivered.' },
]);

/** What became of delivered work. */
export const USES = vocabulary('CostUse', 'What became of work that was delivered.', [
  { code: 'used', description: 'It was used, as it was or after a correction.' },
  { code: 'not_used', description: 'It was rejected, or nobody looked at it.' },
]);

/** Whether a cost could be put into a category. */
export const CATEGORY_VERDICTS = vocabulary(
  'CostCategoryVerdict',
  'Whether a cost could be put into a category.',
  [
    { code: 'classified', description: 'The facts show what became of the work.' },
    { code: 'cannot_classify', description: 'The facts do not show it, and none is assumed.' },
  ],
);

/**
 * By what a shared cost may be split. `isMeasured`: the gateway counts the units itself, so that a
 * recorded cost can be allocated by it; units of the others are stated by the caller.
 */
export const DRIVERS = vocabulary('CostDriver', 'An approved driver: by what a cost is split.', [
  { code: 'requests', description: 'Requests that were answered.', isMeasured: true },
  { code: 'tokens', description: 'Tokens, read and written.', isMeasured: true },
  { code: 'usage_cost', description: 'What was charged for usage, net of VAT.', isMeasured: true },
  { code: 'busy_ms', description: 'Time that requests took, in milliseconds.', isMeasured: true },
  { code: 'active_users', description: 'Persons who used it.', isMeasured: false },
  { code: 'work_hours', description: 'Hours of people.', isMeasured: false },
  { code: 'storage_gb_hours', description: 'Gigabytes kept, times hours.', isMeasured: false },
  { code: 'gpu_hours', description: 'Hours of accelerators.', isMeasured: false },
]);

/** An approved driver. */
export type Driver = CodeOf<typeof DRIVERS>;

/** Whether a pool could be split. */
export const POOL_VERDICTS = vocabulary('CostPoolVerdict', 'Whether a shared cost was split.', [
  { code: 'allocated', description: 'Split by the units; the shares add up to the cost exactly.' },
  {
    code: 'cannot_allocate',
    description: 'There are no units, so no split is fairer than another.',
  },
]);

/** How far the figure of a cost has come. */
export const INVOICE_STATES = vocabulary(
  'CostInvoiceState',
  'How far the figure of a cost has come: each state follows on the one before it.',
  [
    { code: 'estimated', description: 'Expected before it was incurred.' },
    { code: 'reported', description: 'Measured or recorded as it was incurred.' },
    { code: 'invoiced', description: 'Stands in an invoice; only now it can be reconciled.' },
  ],
);

/** What reconciling with an invoice shows. */
export const RECONCILE_VERDICTS = vocabulary(
  'CostReconcileVerdict',
  'What reconciling a reported cost with its invoice shows.',
  [
    {
      code: 'reconciled',
      description: 'The invoice is within the tolerance of what was reported.',
    },
    { code: 'variance', description: 'The invoice is further from what was reported.' },
    { code: 'cannot_certify', description: 'There is no invoice, or nothing to compare it with.' },
  ],
);

/** The steps of the budget ladder: each begins where so much of the budget is spent. */
export const LADDER = vocabulary(
  'BudgetLadderStep',
  'A step of the budget ladder. Every step holds together with all steps before it.',
  [
    {
      code: 'alert',
      description: 'The feed of anomalies tells of it, as it does of every later step.',
      fromBasisPoints: 7_000,
    },
    {
      code: 'restrict_premium',
      description:
        'Models of a premium quality tier answer no more: the router keeps them out, and who ' +
        'names one is refused.',
      fromBasisPoints: 8_000,
    },
    {
      code: 'disable_exploration',
      description: 'Routers try out nothing.',
      fromBasisPoints: 8_500,
    },
    {
      code: 'force_batch',
      description:
        'Only requests that can wait are answered: not streamed, with the class DEFERRABLE or ' +
        'BATCH in `metadata.interaction_class`.',
      fromBasisPoints: 9_000,
    },
    {
      code: 'read_only',
      description:
        'Requests with tools are refused, and the action policy blocks every action of the ' +
        'session that changes something.',
      fromBasisPoints: 9_500,
    },
    { code: 'hard_stop', description: 'Every request is refused.', fromBasisPoints: 10_000 },
  ],
);

/** A step of the budget ladder. */
export type LadderStep = CodeOf<typeof LADDER>;

/** How profitable a customer is, by its margin alone. `fromBasisPoints` is the lowest margin. */
export const PROFITABILITIES = vocabulary(
  'CustomerProfitability',
  'How profitable a customer is, by its margin alone and never by its size.',
  [
    { code: 'HEALTHY', description: 'At least 30 % of revenue remain.', fromBasisPoints: 3_000 },
    { code: 'THIN', description: '10 % to 30 % of revenue remain.', fromBasisPoints: 1_000 },
    { code: 'FRAGILE', description: '0 % to 10 % of revenue remain.', fromBasisPoints: 0 },
    { code: 'LOSS', description: 'The customer costs more than it pays.', fromBasisPoints: null },
    {
      code: 'CANNOT_CLASSIFY',
      description: 'No ledger shows both what the customer pays and what it costs.',
      fromBasisPoints: null,
    },
  ],
);

/** Whether a map of customers could be drawn. */
export const MAP_VERDICTS = vocabulary('ProfitabilityMapVerdict', 'Whether there is a map.', [
  { code: 'classified', description: 'At least one customer could be classified.' },
  { code: 'CANNOT_CLASSIFY', description: 'No customer has figures of a ledger.' },
]);

/** What the gate of engineering cost decides. */
export const GATE_VERDICTS = vocabulary(
  'EngineeringCostVerdict',
  'What a change does to the cost of a unit.',
  [
    { code: 'PASS', description: 'The cost of a unit grows by no more than is tolerated.' },
    { code: 'BLOCKED', description: 'The cost of a unit grows by more than is tolerated.' },
  ],
);

/** Whether margin leaks. */
export const LEAKAGE_VERDICTS = vocabulary('MarginLeakageVerdict', 'Whether margin leaks.', [
  { code: 'leaking', description: 'Work that nobody had any use of was paid for.' },
  { code: 'no_leakage', description: 'No such work is among the costs.' },
  { code: 'cannot_certify', description: 'There is no cost of which is known what became of it.' },
]);

/** Whether measured figures certify something. */
export const CERTIFICATIONS = vocabulary(
  'CostCertification',
  'Whether recorded rows suffice to certify a figure.',
  [
    { code: 'certified', description: 'The figure follows from recorded rows.' },
    { code: 'cannot_certify', description: 'Rows are missing; `needed` says which.' },
  ],
);

/** What a cost was paid for. */
export const COST_KINDS = vocabulary('CostKind', 'What a cost was paid for.', [
  { code: 'model', description: 'Answers of a model.' },
  { code: 'tool', description: 'Calls of a tool or another service.' },
  { code: 'human', description: 'Work of people, such as a review.' },
  { code: 'infrastructure', description: 'Servers, accelerators, storage and network.' },
  { code: 'license', description: 'Licences and subscriptions.' },
  { code: 'other', description: 'Anything that no other kind says.' },
  {
    code: 'invoice',
    description: 'An invoice over recorded costs: it confirms them and is never a cost itself.',
  },
]);

/** Where a sum of recorded costs comes from. */
export const COST_SOURCES = vocabulary('CostSource', 'Where recorded costs come from.', [
  { code: 'ledger', description: 'Charges of real models, less what was refunded.' },
  { code: 'event', description: 'Cost events that organizations record.' },
  { code: 'repeated', description: 'Events of model cost that the ledger knows; counted once.' },
  { code: 'simulated', description: 'Charges of simulated models; never evidence.' },
]);

/** The metrics of a FinOps receipt. */
export const METRICS = vocabulary('FinopsMetricName', 'A metric of a FinOps receipt.', [
  {
    code: 'allocated_coverage',
    description: 'The share of recorded cost that is DIRECT, rounded down.',
  },
  {
    code: 'invoice_variance',
    description: 'How far invoices are from what was recorded, as a share of it.',
  },
  { code: 'forecast_error', description: 'How far a forecast was from the cost, as its share.' },
  {
    code: 'margin_leakage',
    description: 'The share of cost that went into work nobody had any use of.',
  },
]);

/** The rules that no caller can move, each with a code. */
export const HARD_RULES = vocabulary('UnitEconomicsHardRule', 'A rule of unit economics.', [
  {
    code: 'provenance_per_metric',
    description: 'Each metric says where it comes from, or that it cannot be certified, and why.',
  },
  { code: 'vat_apart', description: 'Net, VAT and gross are always apart; net + VAT = gross.' },
  { code: 'vat_by_supply_day', description: 'The VAT rate is that of the day of supply.' },
  { code: 'failed_work_has_a_cost', description: 'Work that failed keeps its cost.' },
  { code: 'approved_driver_only', description: 'A shared cost is split by an approved driver.' },
  {
    code: 'no_units_no_allocation',
    description: 'Without units a shared cost is not split: cannot_allocate.',
  },
  {
    code: 'shares_add_up',
    description: 'Shares of a pool add up to it, to the micro-ruble, by largest remainder.',
  },
  {
    code: 'no_invoice_no_certificate',
    description: 'Without an invoice nothing is reconciled: cannot_certify.',
  },
  {
    code: 'ladder_in_order',
    description: 'The steps of the ladder begin in their order and hold together.',
  },
  { code: 'margin_not_size', description: 'A customer is judged by its margin, not its size.' },
  {
    code: 'no_ledger_no_class',
    description: 'Without figures of a ledger a customer is CANNOT_CLASSIFY.',
  },
  { code: 'projection_not_bill', description: 'Stated figures give a projection, never a bill.' },
  {
    code: 'server_decides_confidence',
    description: 'Whose cost it is, and how sure, is decided by the server from what it joins.',
  },
  { code: 'tag_at_most_estimated', description: 'A tag of a caller gives ESTIMATED at most.' },
  { code: 'one_id_one_event', description: 'An event id stands for one content, for ever.' },
  { code: 'events_only_grow', description: 'A recorded event is replaced, never changed.' },
  { code: 'counted_once', description: 'A cost that the ledger knows is not counted twice.' },
  { code: 'empty_is_not_certified', description: 'Without recorded costs: cannot_certify.' },
  { code: 'sealed_once', description: 'A period is sealed once.' },
]);

/** Shares of a whole are in basis points: 10,000 are all of it. */
export const BASIS_POINTS = 10_000;
/** A share that grows over every bound is told as this one. */
export const SHARE_MAX = 2_000_000_000;
/** The most money that a field takes: ten billion rubles. */
export const MICRO_MAX = 10_000_000_000n * MICRO_PER_RUB;
/** The most units of a driver that a consumer has. */
export const UNITS_MAX = 1_000_000_000_000_000n;
/** The most consumers of a pool, and customers of a map. */
export const CONSUMERS_MAX = 1_000;
/** An invoice may differ by 1 % of what was reported. */
export const TOLERANCE_BASIS_POINTS = 100;
/** What the gateway itself is called among suppliers. */
export const GATEWAY_SUPPLIER = 'gateway';
/** So many suppliers without an invoice are named. */
export const MISSING_INVOICES_MAX = 20;

/** The hours over which a velocity is taken where nobody states them: a day. */
export const VELOCITY_HOURS_DEFAULT = 24;
