import {
  code,
  fieldTable,
  integer,
  list,
  money,
  number,
  object,
  optional,
  text,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { MICRO_PER_RUB } from '../../kernel/money.js';
import { ASSUMPTION_SOURCES, MICRO_MAX } from './vocabulary.js';

const AMOUNT = { min: 0n, max: MICRO_MAX };
const PERCENT = { min: 0, max: 100 };
const MINUTES = { min: 0, max: 10_000 };

/** What stands in where the caller states nothing. Each is published as an assumption. */
export const ESTIMATE_DEFAULTS = {
  minutesPerItem: 10,
  hourlyCostMicro: 700n * MICRO_PER_RUB,
  automatedPercent: 70,
  reviewMinutesPerItem: 1,
  aiCostPerItemMicro: 2n * MICRO_PER_RUB,
  monthlyFeeMicro: 0n,
  setupCostMicro: 0n,
} as const;

/** Work to estimate. */
export const ESTIMATE_INPUT = fieldTable('RoiEstimateInput', 'Manual work that AI would do.', {
  itemsPerMonth: integer('Items in a month, such as documents or tickets.', {
    min: 1,
    max: 100_000_000,
  }),
  minutesPerItem: optional(
    number('Minutes that a person needs for an item; 10 unless stated.', MINUTES),
  ),
  hourlyCostMicro: optional(
    money('What an hour of that person costs, all included; 700 RUB unless stated.', AMOUNT),
  ),
  automatedPercent: optional(
    number('The share of items that AI does, in percent; 70 unless stated.', PERCENT),
  ),
  reviewMinutesPerItem: optional(
    number('Minutes in which a person looks at what AI did; 1 unless stated.', MINUTES),
  ),
  aiCostPerItemMicro: optional(
    money('What AI costs for an item, VAT included; 2 RUB unless stated.', AMOUNT),
  ),
  monthlyFeeMicro: optional(money('Fees of a month; none unless stated.', AMOUNT)),
  setupCostMicro: optional(money('What the start costs, once; nothing unless stated.', AMOUNT)),
});

/** Work to estimate. */
export type EstimateInput = ValuesOf<typeof ESTIMATE_INPUT.fields>;

const ASSUMPTION = fieldTable('RoiAssumption', 'A figure that an estimate rests on.', {
  name: text('The field of the input.'),
  value: text('The figure, in the unit of the field.'),
  source: code(ASSUMPTION_SOURCES, 'Whether the caller has stated it.'),
});

/** An estimate. */
export const ESTIMATE = fieldTable(
  'RoiEstimate',
  'What a month of manual work costs, and what it would cost with AI.',
  {
    manualCostMicro: money('All items by hand.'),
    remainingManualCostMicro: money('The items that stay with a person.'),
    reviewCostMicro: money('Looking at what AI did.'),
    aiCostMicro: money('AI for the items that it does, and the fees.'),
    netSavingMicro: money('What a month costs less with AI; negative where it costs more.'),
    hoursSaved: number('Hours of people in a month, to a tenth; negative where it takes more.'),
    roiPercent: optional(
      number('The saving in percent of what AI costs; null where AI costs nothing.'),
    ),
    paybackMonths: optional(
      number('Months until the start is earned, rounded up to a tenth; null where it never is.'),
    ),
    formula: text('How the figures follow from the assumptions.'),
    assumptions: list(object(ASSUMPTION, 'An assumption.'), 'Every figure that it rests on.'),
  },
);

/** An estimate. */
export type Estimate = ValuesOf<typeof ESTIMATE.fields>;
