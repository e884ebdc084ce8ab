import { PRICE_ROWS } from '../../catalog/providers/price-ahead.js';
import {
  code,
  defaulting,
  fieldTable,
  flag,
  instant,
  integer,
  list,
  money,
  number,
  object,
  optional,
  text,
  uuid,
} from '../../kernel/fields/field.js';
import { PROVENANCES } from '../../kernel/provenance.js';
import { BUDGET_SCOPES, EVERY_REF, SCOPE_REF_MAX } from '../budgets/vocabulary.js';
import {
  APPROVAL_MICRO_DEFAULT,
  COST_DIMENSIONS,
  MICRO_MAX,
  RISK_FLAGS,
  TOKENS_DEFAULT,
  VARIATION_MAX,
} from './vocabulary.js';

const AMOUNT = { min: 0n, max: MICRO_MAX };
const TOKENS = { min: 0, max: 10_000_000 };
const REF = { max: 128 };

/** A run that is to be forecast. */
export const FORECAST_INPUT = fieldTable('CostForecastInput', 'A run before it is made.', {
  units: integer('How many units, such as requests or documents, the run has.', {
    min: 1,
    max: 100_000_000,
  }),
  scope: defaulting(code(BUDGET_SCOPES, 'What the run spends for.'), 'use_case'),
  scopeRef: defaulting(text('Which one of the scope.', { max: SCOPE_REF_MAX }), EVERY_REF),
  costPerUnitMicro: optional(
    money('What a unit costs; from recorded requests or the model where it is left out.', AMOUNT),
  ),
  model: optional(
    text(
      'The model of the run, for its list price; where nothing is recorded and none is stated, ' +
        'the mean over all models that can be called.',
      { max: 200 },
    ),
  ),
  inputTokens: defaulting(integer('Prompt tokens of a unit.', TOKENS), TOKENS_DEFAULT.input),
  outputTokens: defaulting(integer('Answer tokens of a unit.', TOKENS), TOKENS_DEFAULT.output),
  toolCostMicro: defaulting(money('What the tools of a unit cost elsewhere.', AMOUNT), 0n),
  retryShare: defaulting(
    number('The share of units that are asked a second time.', { min: 0, max: 1 }),
    0,
  ),
  variation: optional(
    number('The standard deviation of the cost of the run by its mean; recorded, or 0.5.', {
      min: 0,
      max: VARIATION_MAX,
    }),
  ),
  approvalAboveMicro: defaulting(
    money('A run whose worst case is above it needs an approval.', AMOUNT),
    APPROVAL_MICRO_DEFAULT,
  ),
  hours: defaulting(
    integer(
      'How long the run takes. Its units are spread evenly over it, each day at the price rows ' +
        'of that day; its actual cost is what the scope spends meanwhile.',
      { min: 1, max: 8_760 },
    ),
    24,
  ),
  forecastRef: optional(text('What the forecast is called; it is recorded once.', REF)),
});

/** A forecast as it is recorded. */
export const FORECAST_FIELDS = {
  forecastRef: text('What the forecast is called.'),
  scope: code(BUDGET_SCOPES, 'What the run spends for.'),
  scopeRef: text('Which one of the scope; `*` is all of them.'),
  units: integer('How many units the run has.'),
  costPerUnitMicro: money('The mean cost of a unit, with retries and tools.'),
  costProvenance: code(PROVENANCES, 'Recorded, stated by the caller, or from a list price.'),
  recordedRequests: integer('The recorded requests that the cost of a unit comes from.'),
  model: optional(text('The model whose list price was taken; null unless one was.')),
  basis: optional(
    text('What the cost of a unit comes from, in a sentence; null in forecasts of before.'),
  ),
  priceRows: optional(PRICE_ROWS),
  priceChangeMicro: optional(
    money(
      'What the price rows of the run change of its base, which holds it: of recorded requests ' +
        'against the prices they were recorded at. Null where a row has no price for what is ' +
        'used, so that the base is unchanged, and in forecasts of before.',
    ),
  ),
  optimisticMicro: money('One run of ten costs at most this.'),
  baseMicro: money('The mean of the distribution.'),
  worstMicro: money('Nineteen of twenty runs cost at most this.'),
  variation: number('The standard deviation of the cost of the run by its mean.'),
  distribution: text('How the scenarios follow from mean and deviation.'),
  intervalPercent: integer('The share of runs between the optimistic and the worst case.'),
  riskFlags: list(code(RISK_FLAGS, 'A warning.'), 'What stands against the run.'),
  budgetLeftMicro: optional(
    money('What the tightest budget of the scope has left; null where there is none.'),
  ),
  approvalAboveMicro: money('The limit above which a run needs an approval.'),
  approvalRequired: flag('Whether the run needs an approval: by its worst case or a budget.'),
  startsAt: instant('From when on spending counts as that of the run.'),
  endsAt: instant('Until when it does.'),
} as const;

/** A cost that is to be itemized. */
export const RECEIPT_INPUT = fieldTable('CostReceiptInput', 'A cost that is to be itemized.', {
  requestId: optional(uuid('A request of yours: tokens and their cost come from its usage row.')),
  useCase: optional(text('The use case; that of the request unless stated.', REF)),
  receiptRef: optional(text('What the receipt is called where it is of no request.', REF)),
  inputTokens: defaulting(integer('Prompt tokens, where no request says them.', TOKENS), 0),
  cachedTokens: defaulting(integer('Prompt tokens from a cache.', TOKENS), 0),
  outputTokens: defaulting(integer('Answer tokens, where no request says them.', TOKENS), 0),
  tokensMicro: optional(money('What all tokens cost, where no request says it.', AMOUNT)),
  toolCalls: defaulting(integer('How often tools were called.', { min: 0, max: 1_000_000 }), 0),
  toolsMicro: optional(money('What the tools cost.', AMOUNT)),
  retries: optional(integer('How many attempts came after failures.', { min: 0, max: 1_000_000 })),
  retriesMicro: optional(money('What retries cost.', AMOUNT)),
  fallbackMicro: optional(money('What a fallback cost more than the model asked.', AMOUNT)),
  markupMicro: optional(money('What is added to pass the cost on.', AMOUNT)),
});

const ITEM = fieldTable('CostReceiptItem', 'A part of the cost.', {
  dimension: code(COST_DIMENSIONS, 'What was paid for.'),
  quantity: integer('How many units of it.'),
  costMicro: money('What they cost.'),
  provenance: code(PROVENANCES, 'From the usage row of the request, or stated by the caller.'),
});

/** A cost receipt as it is sealed. */
export const RECEIPT_FIELDS = {
  receiptRef: text('What the receipt is called: the id of the request, or a name of your own.'),
  requestId: optional(text('The request; null where the cost was stated.')),
  useCase: optional(text('The use case; null where none is known.')),
  model: optional(text('The model that answered; null where no request says it.')),
  requestedModel: optional(text('The model that was asked; null where no request says it.')),
  items: list(object(ITEM, 'A part of the cost.'), 'Every part; they add up to the total.'),
  totalMicro: money('All parts together, VAT included.'),
  vatMicro: money('The VAT inside what the gateway has charged.'),
  provenance: code(PROVENANCES, '`declared` as soon as one part that costs anything was stated.'),
} as const;
