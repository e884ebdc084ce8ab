import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { enumValues } from '../../graph/enums.js';
import { PROMPT_BOUNDS } from '../packages/vocabulary.js';
import { type PromptUsage, promptUsage } from './report.js';
import { trafficOf, type VersionUsage } from './report.rules.js';
import { SCHEMA_STATES, TRAFFIC_STATES } from './vocabulary.js';

const TrafficEnum = builder.enumType('PromptTraffic', {
  description: 'Whether a version has requests in the window.',
  values: enumValues(TRAFFIC_STATES),
});

const SchemaStateEnum = builder.enumType('PromptSchemaMeasurement', {
  description: 'Whether it is known how many answers are by the output schema.',
  values: enumValues(SCHEMA_STATES),
});

const ErrorsType = builder
  .objectRef<{ readonly code: string; readonly requests: number }>('PromptErrorCount')
  .implement({
    description: 'How many requests failed with a code.',
    fields: (t) => ({
      code: t.exposeString('code', { description: 'The error code.' }),
      requests: t.exposeInt('requests', { description: 'How many requests.' }),
    }),
  });

const SchemaUsageType = builder.objectRef<VersionUsage>('PromptSchemaUsage').implement({
  description: 'How many answers are JSON by the output schema of the version.',
  fields: (t) => ({
    state: t.field({
      type: SchemaStateEnum,
      description: 'Whether any answer was checked.',
      resolve: ({ schemaState }) => schemaState,
    }),
    checked: t.exposeInt('schemaChecked', { description: 'Answers that were checked.' }),
    valid: t.exposeInt('schemaValid', { description: 'Those that are by the schema.' }),
    share: t.exposeFloat('schemaValidShare', {
      nullable: true,
      description: 'The valid among the checked, from 0 to 1; null where none was checked.',
    }),
  }),
});

const VersionUsageType = builder.objectRef<VersionUsage>('PromptVersionUsage').implement({
  description: 'Cost and outcome of the requests that used one version.',
  fields: (t) => ({
    version: t.exposeInt('version', { description: 'The version.' }),
    status: t.exposeString('status', { description: 'Where the version stands now.' }),
    traffic: t.field({
      type: TrafficEnum,
      description: 'Whether there were requests at all.',
      resolve: ({ traffic }) => traffic,
    }),
    requests: t.exposeInt('requests', { description: 'Requests that reached a provider.' }),
    simulatedRequests: t.exposeInt('simulated', {
      description: 'Those among them whose model was simulated: no evidence of quality.',
    }),
    complete: t.exposeInt('complete', { description: 'Answered to the end.' }),
    partial: t.exposeInt('partial', { description: 'Ended on the way; what came is charged.' }),
    failed: t.exposeInt('failed', { description: 'Without an answer; they cost nothing.' }),
    refused: t.exposeInt('refused', {
      description: 'Answers that the provider ended for their content (`content_filter`).',
    }),
    errors: t.field({
      type: [ErrorsType],
      description: 'The failures by their code, most frequent first.',
      resolve: ({ errors }) =>
        Object.entries(errors)
          .map(([code, requests]) => ({ code, requests }))
          .sort((a, b) => b.requests - a.requests || (a.code < b.code ? -1 : 1)),
    }),
    costRub: t.expose('costMicro', { type: 'Rub', description: 'What was charged, VAT included.' }),
    inputTokens: t.expose('inputTokens', { type: 'BigInt', description: 'Tokens that were sent.' }),
    outputTokens: t.expose('outputTokens', { type: 'BigInt', description: 'Tokens that came.' }),
    latencyMsP50: t.exposeFloat('latencyMsP50', {
      nullable: true,
      description: 'Median latency of answered requests, exact; null where there is none.',
    }),
    latencyMsP95: t.exposeFloat('latencyMsP95', {
      nullable: true,
      description: '95th percentile of the latency, exact; null where there is none.',
    }),
    schema: t.field({
      type: SchemaUsageType,
      description: 'Whether answers are by the output schema.',
      resolve: (usage) => usage,
    }),
  }),
});

const PromptUsageType = builder.objectRef<PromptUsage>('PromptUsage').implement({
  description:
    'Cost and outcome of the requests that used a prompt, version by version. Requests that were ' +
    'refused before a provider was chosen are not part of it: they have no usage.',
  fields: (t) => ({
    promptId: t.expose('promptId', { type: 'UUID', description: 'The prompt.' }),
    promptKey: t.exposeString('promptKey', { description: 'Its key.' }),
    from: t.expose('from', { type: 'DateTime', description: 'Begin of the window, inside it.' }),
    to: t.expose('to', { type: 'DateTime', description: 'End of the window, not inside it.' }),
    provenance: t.string({
      description:
        '`live_measured`: summed from recorded usage; `simulated` where simulated models ' +
        'answered every request.',
      resolve: ({ requests, simulated }) =>
        trafficOf(requests, simulated) === 'simulated' ? 'simulated' : 'live_measured',
    }),
    requests: t.exposeInt('requests', { description: 'Requests of all versions.' }),
    simulatedRequests: t.exposeInt('simulated', {
      description: 'Those among them whose model was simulated: no evidence of quality.',
    }),
    costRub: t.expose('costMicro', { type: 'Rub', description: 'Charged for all versions.' }),
    versions: t.field({
      type: [VersionUsageType],
      complexity: { field: 1, multiplier: PROMPT_BOUNDS.versions / 10 },
      description: 'Every version, the newest first; one without requests says `no_traffic`.',
      resolve: ({ versions }) => [...versions],
    }),
  }),
});

builder.queryField('promptUsage', (t) =>
  t.field({
    type: PromptUsageType,
    description: 'What a prompt costs and how its requests end, version by version.',
    authScopes: { can: 'usage.read' },
    args: {
      promptId: t.arg({ type: 'UUID', required: true, description: 'The prompt.' }),
      from: t.arg({ type: 'DateTime', description: 'Begin; default 30 days before the end.' }),
      to: t.arg({ type: 'DateTime', description: 'End; default now. At most 366 days.' }),
    },
    resolve: (_root, args, ctx) => promptUsage(authorized(ctx), args),
  }),
);
