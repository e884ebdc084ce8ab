import {
  bigInteger,
  code,
  defaulting,
  fieldTable,
  flag,
  money,
  number,
  optional,
  text,
  uuid,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import {
  FOCUS_CHARGE_CATEGORIES,
  FOCUS_CHARGE_CLASSES,
  FOCUS_GRANULARITIES,
} from './vocabulary.js';

/** What is asked of the export. */
export const FOCUS_QUESTION = {
  from: optional(
    text(
      'Begin of the window: a time such as 2026-01-31T09:00:00Z, or a day, from its midnight in ' +
        'Moscow on; by default the begin of the month, in Moscow, that it ends in.',
      { max: 40 },
    ),
  ),
  to: optional(
    text(
      'End of the window, itself outside; a day is in it to its end. By default the end of this ' +
        'second.',
      { max: 40 },
    ),
  ),
  granularity: defaulting(code(FOCUS_GRANULARITIES, 'How long a charge period is.'), 'day'),
};

/** `datetime_format.md`: UTC, whole seconds. */
const TIME = 'in UTC as YYYY-MM-DDTHH:mm:ssZ';

const COSTS = {
  billedCostMicro: money('What the ledger moved for the row; all rows together are its movement.'),
  effectiveCostMicro: money('The same as billed: nothing is amortized.'),
  listCostMicro: money('List unit price times pricing quantity, rounded half even.'),
  contractedCostMicro: money('Contracted unit price times pricing quantity, rounded half even.'),
};

const PERIODS = {
  billingPeriodStart: text(`Begin of the calendar month in Moscow, ${TIME}.`),
  billingPeriodEnd: text(`End of the calendar month in Moscow, not part of it, ${TIME}.`),
  chargePeriodStart: text(`Begin of the charge period within the window, ${TIME}.`),
  chargePeriodEnd: text(`End of the charge period within the window, not part of it, ${TIME}.`),
};

const PARTIES = {
  billingAccountId: uuid('The ruble account.'),
  billingAccountName: text('The name of the organization.'),
  billingCurrency: text('The currency of every amount: always `RUB`.'),
  subAccountId: optional(uuid('The project; null for what is of the whole account.')),
  subAccountName: optional(text('The name of the project.')),
  invoiceIssuerName: text('Who invoices: the operator of the gateway.'),
  providerName: text('Who makes the service available: the operator of the gateway.'),
  publisherName: text('Who runs the model; for what is of the whole account, the operator.'),
};

const NATURE = {
  chargeCategory: code(FOCUS_CHARGE_CATEGORIES, 'What kind of charge it is.'),
  chargeClass: optional(
    code(FOCUS_CHARGE_CLASSES, 'Set where a charge of an earlier billing period is corrected.'),
  ),
  chargeDescription: text('What the charge is for and at which price, in a sentence.'),
  chargeFrequency: text('How often the charge occurs: `Usage-Based` or `One-Time`.'),
};

const SERVICE = {
  serviceCategory: text('The category of the service in the list of FOCUS.'),
  serviceSubcategory: text('The subcategory of the service in the list of FOCUS.'),
  serviceName: text('The service: chat completions, embeddings, or the account itself.'),
  resourceId: optional(text('The model at its provider, as `provider:model`.')),
  resourceName: optional(text('The display name of the model; null where it is not listed now.')),
  resourceType: optional(text('The kind of the resource: `Model`.')),
  regionId: optional(text('The data route where it is a region; null for others.')),
  regionName: optional(text('The name of the region.')),
};

const USE = {
  consumedQuantity: optional(bigInteger('Tokens that were used; negative for a refund.')),
  consumedUnit: optional(text('What is counted: `Tokens`.')),
};

const PRICE = {
  pricingCategory: optional(text('The pricing model: `Standard`, the published price.')),
  pricingQuantity: optional(number('Millions of tokens, which is what prices are for.')),
  pricingUnit: optional(text('What a price is for: `1000000 Tokens`.')),
  listUnitPriceMicro: optional(money('The published price without VAT, rounded half even.')),
  contractedUnitPriceMicro: optional(
    money('The price without VAT that was agreed: the published one.'),
  ),
  skuId: optional(text('The meter of a model at its provider.')),
  skuMeter: optional(text('The name of the meter, such as `Output Tokens`.')),
  skuPriceId: optional(
    text('The price of the meter; answers from the response cache have another.'),
  ),
  skuPriceDetails: optional(text('What the price is for, as a JSON object.')),
};

/** Columns of the gateway's own; `column_handling.md` has them begin with `x_` on the wire. */
export const FOCUS_OWN = {
  requestCount: optional(
    bigInteger('Charged requests, each counted once: on the first meter of its rows.'),
  ),
  feature: optional(text('`metadata.feature` of the requests.')),
  environment: optional(text('`metadata.environment` of the requests.')),
  clientId: optional(text('`metadata.client_id` of the requests.')),
  keyId: optional(uuid('The key of the requests, if one.')),
  userId: optional(uuid('The member of the requests, if one asked with a token.')),
  operation: optional(text('What was asked of the model: `chat` or `embeddings`.')),
  model: optional(text('The model that answered.')),
  provider: optional(text('The id of the provider that answered.')),
  tokenMeter: optional(text('The part of the usage vector that the row counts.')),
  cachedAnswer: optional(flag('True for answers from the response cache, at their own price.')),
  simulated: optional(flag('True for answers of the sandbox.')),
  priceEffectiveFrom: optional(text('The first day of the price row, in Moscow.')),
  vatRatePercent: optional(number('The VAT rate by date of supply; null where no tax is in it.')),
};

/** A row of the export. Its names are the columns of FOCUS in camelCase. */
export const FOCUS_CHARGE = fieldTable(
  'FocusCharge',
  'A row of the cost and usage export by FOCUS 1.2: the charges of one period, meter and price.',
  {
    ...COSTS,
    ...PARTIES,
    ...PERIODS,
    ...NATURE,
    ...USE,
    ...PRICE,
    ...SERVICE,
    tags: optional(text('`feature`, `environment` and `client_id` as a JSON object.')),
    ...FOCUS_OWN,
  },
);

/** A row of the export. */
export type FocusCharge = ValuesOf<typeof FOCUS_CHARGE.fields>;
