import {
  code,
  fieldTable,
  flag,
  instant,
  integer,
  kept,
  list,
  money,
  object,
  optional,
  sha256,
  tableUnion,
  text,
  toldIn,
  uuid,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import type { SealedContent } from '../../kernel/fields/sealed.js';
import { checkSaid } from './check-phrases.js';
import { CHECK_STATUSES, CHECKS, PROBE_FAILURES, RUN_STATUSES } from './vocabulary.js';

const MODEL = optional(text('The model that answered; null where the answer names none.'));
const ERROR_CODE = optional(text('The code of the error; null where there is none.'));

/** What a check can have seen; never a text of the answer. */
const EVIDENCE = tableUnion(
  'MigrationCheckEvidence',
  'What a live check saw: one type for each check, and two for requests that failed.',
  [
    fieldTable('MigrationSilenceEvidence', 'No answer came.', {
      failure: code(PROBE_FAILURES, 'Why there is none.'),
    }),
    fieldTable('MigrationRefusalEvidence', 'The request was refused.', { errorCode: ERROR_CODE }),
    fieldTable('MigrationAuthEvidence', 'Whose the credential is.', {
      kind: text('`user` or `api_key`.'),
      role: text('The role of the member, or the type of the key.'),
    }),
    fieldTable('MigrationModelsEvidence', 'The list of models.', {
      models: integer('How many models can be asked for.'),
      model: MODEL,
    }),
    fieldTable('MigrationChatEvidence', 'A whole answer of a chat.', {
      model: MODEL,
      finishReason: optional(text('Why the answer ended; null where it does not say.')),
      totalTokens: integer('Tokens of prompt and answer, as the answer states them.'),
      contentCharacters: integer('How long the content of the answer is.'),
    }),
    fieldTable('MigrationStreamEvidence', 'A streamed answer of a chat.', {
      contentType: text('The content type of the answer.'),
      chunks: integer('How many chunks came.'),
      contentChunks: integer('How many of them had content.'),
      done: flag('Whether `[DONE]` stood at the end.'),
      errorCode: ERROR_CODE,
      model: MODEL,
    }),
    fieldTable('MigrationEmbeddingsEvidence', 'An answer of embeddings.', {
      model: MODEL,
      dimensions: integer('The dimensions of the vector.'),
    }),
    fieldTable('MigrationToolCallEvidence', 'An answer that should call a function.', {
      model: MODEL,
      tool: optional(text('The function that was called; null where none was.')),
      arguments: list(text('A name.'), 'The names of the arguments of the call, at most 20.'),
    }),
    fieldTable('MigrationErrorFormatEvidence', 'The form of a refusal.', {
      errorCode: ERROR_CODE,
      errorType: optional(text('The type of the error; null where it has none.')),
      missing: list(text('A field.'), 'Fields of errors that this one lacks.'),
    }),
  ],
);

/** One live check as it is kept and told. */
export const CHECK = fieldTable(
  'MigrationCheck',
  'One live check: a real request to this server with the own credential.',
  {
    code: code(CHECKS, 'What was checked.'),
    status: code(CHECK_STATUSES, 'How the check ended.'),
    message: toldIn(text('What was seen, in a sentence.'), checkSaid),
    fix: toldIn(
      optional(text('What to do, as the error catalogue says it; null where nothing is to do.')),
      checkSaid,
    ),
    latencyMs: optional(
      integer('Measured from the request to the last byte; null where it was skipped.'),
    ),
    statusCode: optional(integer('The status of the answer; null without one.')),
    requestId: optional(text('The id of the request in usage and ledger; null without an answer.')),
    evidence: optional(
      kept<SealedContent>(EVIDENCE, 'What was seen; null where the check saw nothing.'),
    ),
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

/** The link to a report. */
export const REPORT_LINK = fieldTable(
  'MigrationReportLink',
  'The link to the sealed report of a run: whoever has it reads the report without a credential.',
  {
    runId: uuid('The run of the migration cockpit.'),
    reportId: uuid('The sealed receipt that the link shows.'),
    sha256: sha256('SHA-256 of what is sealed.'),
    url: text('The page of the report. Its last part is a secret and is stored nowhere.'),
    expiresAt: instant('From when on the link shows nothing.'),
    simulated: flag('True when a simulated model answered: no evidence about a real one.'),
  },
);

/** What the feed of checks tells. */
export const CHECK_PAYLOAD = tableUnion(
  'MigrationCheckPayload',
  'What an event of the feed of checks tells: that a run began, a check, or the end of the run.',
  [
    CHECK,
    fieldTable('MigrationCheckRunStart', 'A run of live checks began.', {
      checks: list(code(CHECKS, 'A check.'), 'The checks in the order in which they run.'),
      model: text('The model that chats.'),
    }),
    fieldTable('MigrationCheckRunEnd', 'A run of live checks ended.', {
      status: RUN_FIELDS.status,
      costMicro: RUN_FIELDS.costMicro,
    }),
  ],
);
