import {
  bigInteger,
  code,
  fieldTable,
  instant,
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
import { SCHEMA_STATES, TRAFFIC_STATES } from './vocabulary.js';

const ERROR_COUNT = fieldTable('PromptErrorCount', 'How many requests failed with a code.', {
  code: text('The error code of the failure.'),
  requests: integer('How many requests failed with it.'),
});

const SCHEMA_USAGE = fieldTable(
  'PromptSchemaUsage',
  'How many answers are JSON by the output schema of the version.',
  {
    state: code(SCHEMA_STATES, 'Whether any answer was checked.'),
    checked: integer('Answers that were checked.'),
    valid: integer('Those that are by the schema.'),
    share: optional(
      number('The valid among the checked, from 0 to 1; null where none was checked.'),
    ),
  },
);

const SIMULATED = 'Those among them whose model was simulated: no evidence of quality.';

/** Cost and outcome of the requests that used one version. */
export const VERSION_USAGE = fieldTable(
  'PromptVersionUsage',
  'Cost and outcome of the requests that used one version.',
  {
    version: integer('The version that the requests used.'),
    status: text('Where the version stands now.'),
    traffic: code(TRAFFIC_STATES, 'Whether there were requests at all.'),
    requests: integer('Requests that reached a provider.'),
    simulatedRequests: integer(SIMULATED),
    complete: integer('Requests that were answered to the end.'),
    partial: integer('Ended on the way; what came is charged.'),
    failed: integer('Without an answer; they cost nothing.'),
    refused: integer('Answers that the provider ended for their content (`content_filter`).'),
    errors: list(
      object(ERROR_COUNT, 'A code.'),
      'The failures by their code, most frequent first.',
    ),
    costMicro: money('What was paid, VAT included: charges less refunds posted in the window.'),
    inputTokens: bigInteger('Tokens that were sent.'),
    outputTokens: bigInteger('Tokens that came back.'),
    latencyMsP50: optional(
      number(
        'Median latency of answered requests, exact, by nearest rank; null where there is none.',
      ),
    ),
    latencyMsP95: optional(
      number('95th percentile of the latency, exact, by nearest rank; null where there is none.'),
    ),
    schema: object(SCHEMA_USAGE, 'Whether answers are by the output schema.'),
  },
);

/** Cost and outcome of one version. */
export type VersionUsage = ValuesOf<typeof VERSION_USAGE.fields>;

/** Cost and outcome of a prompt, beside those of its versions. */
export const USAGE_FIELDS = {
  promptId: uuid('The prompt that the requests used.'),
  promptKey: text('The key of the prompt.'),
  from: instant('Begin of the window, inside it.'),
  to: instant('End of the window, not inside it.'),
  provenance: text(
    '`live_measured`: summed from recorded usage; `simulated` where simulated models answered ' +
      'every request.',
  ),
  requests: integer('Requests of all versions.'),
  simulatedRequests: integer(SIMULATED),
  costMicro: money('Charged for all versions.'),
} as const;

/** Cost and outcome of a prompt, version by version. */
export interface PromptUsage extends ValuesOf<typeof USAGE_FIELDS> {
  /** Every version of the package, the newest first. */
  readonly versions: readonly VersionUsage[];
}
