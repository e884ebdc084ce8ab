import {
  bigInteger,
  code,
  fieldTable,
  integer,
  list,
  money,
  number,
  object,
  optional,
  text,
  uuid,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { SLA_CLASSES } from '../billing/vocabulary.js';
import { SLA_REQUESTS_MIN, SLA_VERDICTS } from './vocabulary.js';

const MONTH = text('The calendar month of Moscow, `YYYY-MM`, which has ended.');

/** Which month is assessed. */
export const SLA_QUESTION = { month: MONTH } as const;

/** Whose month is credited. */
export const SLA_CREDIT_INPUT = fieldTable('SlaCreditInput', 'Which month is credited.', {
  tenantId: uuid('The id of the organization.'),
  month: MONTH,
});

/** A class of the service level in a month. */
const SLA_CLASS_MONTH = fieldTable(
  'SlaClassMonth',
  'How requests of one class met the targets of `gw_slo`: live chat requests that were answered, ' +
    'or failed by a fault of the server or provider (status 500 and above).',
  {
    slaClass: code(SLA_CLASSES, 'The class by the terms of the moment of each request.'),
    requests: bigInteger('Requests that were measured.'),
    met: bigInteger('Those that were answered in time.'),
    sharePercent: optional(number('Met of measured, rounded down to two places; null of none.')),
    targetPercent: number('The published target.'),
    verdict: code(SLA_VERDICTS, `Needs ${SLA_REQUESTS_MIN} requests at least.`),
    chargedMicro: money('What these requests were charged, less refunds, VAT included.'),
    creditPercent: integer('What the published terms credit of it.'),
    creditMicro: money('The credit, rounded down to the kopeck.'),
  },
);

/** A class in a month. */
export type SlaClassMonth = ValuesOf<typeof SLA_CLASS_MONTH.fields>;

/** A month of the service level. */
export const SLA_MONTH = fieldTable(
  'SlaMonth',
  'The service level of a month, as it was measured.',
  {
    month: MONTH,
    classes: list(object(SLA_CLASS_MONTH, 'A class.'), 'The classes that were in force.'),
    creditMicro: money('What the terms credit for the month.'),
  },
);
