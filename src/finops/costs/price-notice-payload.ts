import { USAGE_DIMENSIONS, VAT_BASES } from '../../catalog/providers/vocabulary.js';
import {
  bigInteger,
  code,
  day,
  fieldTable,
  integer,
  list,
  money,
  object,
  optional,
  text,
} from '../../kernel/fields/field.js';

const DIMENSION = fieldTable(
  'PriceChangeDimension',
  'A part of usage whose price changes and which the organization has used.',
  {
    dimension: code(USAGE_DIMENSIONS, 'The part of usage.'),
    priceBeforeMicro: optional(money('A million tokens until then; null for no price.')),
    priceMicro: optional(money('A million tokens from then on; null for no price.')),
    tokens: bigInteger('The tokens of it that the organization used in these days.'),
    differenceMicro: money('What these tokens would cost more; negative is less.'),
  },
);

/** A price row that begins later, as the feed tells it. */
export const PRICE_CHANGE_TOLD = fieldTable(
  'PriceChangePayload',
  'A price row that begins later and is of a model which the organization has used, or such a ' +
    'row that will not begin as it was announced; the subject of the event is the deployment ' +
    'and the day.',
  {
    deployment: text('The deployment: its provider, a colon, its public model.'),
    provider: text('The id of the provider.'),
    model: text('The public id of the model.'),
    effectiveFrom: day('The first day of the new price, in Moscow time.'),
    vatBasis: code(VAT_BASES, 'Whether VAT is inside the new prices.'),
    dimensions: list(
      object(DIMENSION, 'A part of usage.'),
      'The parts of usage whose price changes, of those that the organization has used.',
    ),
    usageDays: integer(
      'The days before that of the announcement whose usage is counted, beside that day.',
    ),
    requests: bigInteger('The requests of the organization to the deployment in these days.'),
    differenceMicro: money(
      'What the usage of these days would cost more at the new prices; negative is less. An ' +
        'answer from the response cache is counted at its full price.',
    ),
  },
);
