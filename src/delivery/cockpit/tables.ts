import {
  code,
  fieldTable,
  flag,
  instant,
  integer,
  json,
  list,
  money,
  object,
  optional,
  text,
  uuid,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { CHECK_STATUSES, CHECKS, RUN_STATUSES } from './vocabulary.js';

/** One live check as it is kept and told. */
export const CHECK = fieldTable(
  'MigrationCheck',
  'One live check: a real request to this server with the own credential.',
  {
    code: code(CHECKS, 'What was checked.'),
    status: code(CHECK_STATUSES, 'How the check ended.'),
    message: text('What was seen, in a sentence.'),
    fix: optional(text('What to do, as the error catalogue says it; null where nothing is to do.')),
    latencyMs: optional(
      integer('Measured from the request to the last byte; null where it was skipped.'),
    ),
    statusCode: optional(integer('The status of the answer; null without one.')),
    requestId: optional(text('The id of the request in usage and ledger; null without an answer.')),
    evidence: json('What was seen: model, chunks, called function, fields of the error.'),
    simulated: flag('True when a simulated model answered: no evidence about a real one.'),
    costMicro: optional(
      money('What the ledger took for it, VAT included; null where no answer told its id.'),
    ),
  },
);

/** How a check ended. */
export type CheckResult = ValuesOf<typeof CHECK.fields>;

/** A run of all live checks as it is shown. */
export const RUN_FIELDS = {
  status: code(RUN_STATUSES, 'How the run ended.'),
  checks: list(object(CHECK, 'A check.'), 'The checks in the order in which they ran.'),
  simulated: CHECK.fields.simulated,
  costMicro: money('What the ledger took for all checks, VAT included.'),
  callerKind: text('`user` or `api_key`.'),
  callerId: uuid('Whose credential was used.'),
  requestId: text('The request that ran the checks.'),
  startedAt: instant('When the run began.'),
  createdAt: instant('When the run ended.'),
} as const;
