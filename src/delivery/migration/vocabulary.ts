import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';

/**
 * Where a client comes from. `address` is the base address that its SDK has by default; null where
 * every customer has another one.
 */
export const SOURCE_PROVIDERS = vocabulary(
  'MigrationSourceProvider',
  'Where a client comes from.',
  [
    { code: 'openai', description: 'The API of OpenAI.', address: 'https://api.openai.com/v1' },
    {
      code: 'openrouter',
      description: 'The API of OpenRouter.',
      address: 'https://openrouter.ai/api/v1',
    },
    {
      code: 'anthropic',
      description: 'The API of Anthropic.',
      address: 'https://api.anthropic.com',
    },
    { code: 'azure_openai', description: 'OpenAI models served by Azure.', address: null },
    {
      code: 'yandex',
      description: 'Yandex Cloud foundation models.',
      address: 'https://llm.api.cloud.yandex.net/v1',
    },
    {
      code: 'gigachat',
      description: 'The API of GigaChat.',
      address: 'https://gigachat.devices.sberbank.ru/api/v1',
    },
    { code: 'litellm', description: 'A LiteLLM proxy of your own.', address: null },
    { code: 'vllm', description: 'A vLLM server of your own.', address: null },
    { code: 'other', description: 'Another provider or gateway.', address: null },
  ],
);

/** A source provider. */
export type SourceProvider = CodeOf<typeof SOURCE_PROVIDERS>;

/** What a client can use of its provider. `flag` is what a model of the registry must have. */
export const CAPABILITIES = vocabulary(
  'MigrationCapability',
  'What a client uses of its provider.',
  [
    { code: 'chat', description: 'Answers to conversations.', flag: 'text' },
    { code: 'streaming', description: 'Answers in chunks as they are made.', flag: 'streaming' },
    { code: 'json', description: 'Answers that are JSON objects.', flag: 'json' },
    { code: 'json_schema', description: 'Answers that fit a JSON Schema.', flag: 'json_schema' },
    { code: 'tool_calls', description: 'Calls of functions by the model.', flag: 'tools' },
    { code: 'embeddings', description: 'Vectors of texts.', flag: 'embeddings' },
    { code: 'vision', description: 'Images in messages.', flag: 'vision' },
    { code: 'audio', description: 'Audio in messages, and transcription.', flag: 'audio' },
    { code: 'batch', description: 'Files of requests that are answered later.', flag: 'text' },
    {
      code: 'long_context',
      description: 'Prompts of 128,000 tokens and more.',
      flag: 'long_context',
    },
  ],
);

/** A capability that a client uses. */
export type UsedCapability = CodeOf<typeof CAPABILITIES>;

/** How traffic moves over. What is `roadmap` cannot be asked for. */
export const MODES = vocabulary(
  'MigrationMode',
  'How traffic moves over; what is `roadmap` cannot be asked for.',
  [
    {
      code: 'direct',
      description: 'All clients change base address and key at the cutover.',
      status: 'available',
    },
    {
      code: 'parallel',
      description: 'Your client sends to both sides by itself until the cutover.',
      status: 'available',
    },
    {
      code: 'gradual',
      description: 'Your clients move one use case after the other; the cutover is the last one.',
      status: 'available',
    },
    {
      code: 'shadow',
      description: 'The gateway mirrors production traffic by itself.',
      status: 'roadmap',
    },
  ],
);

/** Where a migration stands. */
export const STATUSES = vocabulary('MigrationStatus', 'Where a migration stands.', [
  { code: 'draft', description: 'Created, nothing checked yet.' },
  { code: 'scanned', description: 'The capabilities in use were compared with what is served.' },
  { code: 'compared', description: 'The last comparison says hold.' },
  { code: 'ready', description: 'The last comparison lets the cutover go on.' },
  { code: 'cut_over', description: 'The clients use the gateway.' },
  { code: 'rolled_back', description: 'The clients use the old provider again.' },
]);

/** A status of a migration. */
export type Status = CodeOf<typeof STATUSES>;

/** How much a gap matters, and the points of the score that it takes. */
export const SEVERITIES = vocabulary(
  'MigrationGapSeverity',
  'How much a gap matters, and the points that it takes.',
  [
    {
      code: 'minor',
      description: 'Works after a change of settings, or with a difference worth knowing.',
      penalty: 5,
    },
    { code: 'major', description: 'Works after a change of the client.', penalty: 15 },
    { code: 'blocking', description: 'Does not work here; the cutover is held.', penalty: 40 },
  ],
);

/** A severity. */
export type Severity = CodeOf<typeof SEVERITIES>;

/** How the score is computed, as it is published. */
export const SCORE_FORMULA =
  'score = max(0, 100 - sum of the penalties of the known gaps); a penalty is that of the ' +
  'severity of the gap, and each gap counts once';

/** Whether quality is known. */
export const QUALITY_VERDICTS = vocabulary(
  'MigrationQualityVerdict',
  'Whether quality on the gateway is known.',
  [
    { code: 'not_measured', description: 'No evaluation set was given.' },
    { code: 'not_conclusive', description: 'An evaluation set was run, but too little of it ran.' },
    { code: 'measured', description: 'The evaluation set was run through the gateway.' },
    {
      code: 'simulated',
      description: 'An evaluation set was run, but simulated answers were judged: no evidence.',
    },
  ],
);

/** How the measured quality stands to that of the source. */
export const QUALITY_DELTAS = vocabulary(
  'MigrationQualityDelta',
  'How the measured quality stands to that of the source.',
  [
    { code: 'not_measured', description: 'The quality on the gateway is not known.' },
    { code: 'cannot_compare', description: 'The quality of the source is not known.' },
    { code: 'better', description: 'The interval is above the source.' },
    { code: 'same_within_interval', description: 'The source lies inside the interval.' },
    { code: 'worse', description: 'The interval is below the source.' },
  ],
);

/** How the measured quality stands to that of the source. */
export type QualityDelta = CodeOf<typeof QUALITY_DELTAS>;

/** Where latency figures come from. */
export const LATENCY_VERDICTS = vocabulary(
  'MigrationLatencyVerdict',
  'Where latency figures come from.',
  [
    { code: 'measured_by_evaluation', description: 'From the runs of the evaluation set.' },
    {
      code: 'measured_by_usage',
      description: 'From recorded requests of your organization to the model of the route.',
    },
    { code: 'not_measured', description: 'Too few requests are recorded.' },
    {
      code: 'simulated',
      description: 'The figures are those of simulated answers: no evidence.',
    },
  ],
);

/** Where latency figures come from. */
export type LatencyVerdict = CodeOf<typeof LATENCY_VERDICTS>;

/** What a comparison says about the cutover. */
export const CUTOVER_DECISIONS = vocabulary(
  'MigrationCutoverDecision',
  'What a comparison says about the cutover.',
  [
    { code: 'hold', description: 'Do not cut over; a reason says why.' },
    {
      code: 'conditional',
      description: 'Cut over once a member has acknowledged each of the reasons given.',
    },
    { code: 'ready', description: 'Nothing speaks against the cutover.' },
  ],
);

/** What a comparison says about the cutover. */
export type CutoverDecision = CodeOf<typeof CUTOVER_DECISIONS>;

/** What became of a request to cut over. */
export const CUTOVER_OUTCOMES = vocabulary(
  'MigrationCutoverOutcome',
  'What became of a request to cut over.',
  [
    {
      code: 'blocked',
      description:
        'Not cut over: the comparison holds it or is simulated, an item is open, or a condition ' +
        'was not acknowledged.',
    },
    { code: 'pending_approval', description: 'Waits in the approval queue.' },
    { code: 'cut_over', description: 'The traffic was moved over.' },
    { code: 'rejected', description: 'A member rejected it in the approval queue.' },
    { code: 'expired', description: 'Nobody decided about it in time.' },
    { code: 'not_executed', description: 'Approved, but something had changed by then.' },
  ],
);

/** What became of a request to cut over. */
export type CutoverOutcome = CodeOf<typeof CUTOVER_OUTCOMES>;

/** Thresholds and defaults of comparisons. Quality is a share from 0 to 1. */
export const COMPARISON = {
  /** Share of input tokens in the price of the route, where the caller does not state it. */
  inputShareDefault: 0.75,
  scoreMin: 60,
  costIncreasePercentMax: 20,
  qualityShareMin: 0.8,
  qualityLossMax: 0.2,
  latencyFactorMax: 2,
  evaluationItemsMin: 20,
  evaluationItemsMax: 200,
  latencySamplesMin: 20,
  latencyWindowDays: 30,
} as const;

/**
 * What each use case of a migration needs before a comparison can be ready; below it the comparison
 * is conditional and names what is missing.
 */
export const EVIDENCE_MINIMUMS = vocabulary(
  'MigrationEvidenceMinimum',
  'What each use case of a migration needs before a comparison can be ready.',
  [
    {
      code: 'live_requests',
      minimum: 20,
      provenance: null,
      description:
        'Requests of clients of the project in the last 30 days that real models answered in ' +
        'full, with the use case as their `metadata.feature`. Simulated answers and requests ' +
        'that the gateway makes for itself do not count.',
    },
    {
      code: 'evaluation_items',
      minimum: COMPARISON.evaluationItemsMin,
      provenance: null,
      description:
        'Items of the evaluation set of the use case that a real model answered. An echo of the ' +
        'question, an answer without having read it and the output of the source to another item ' +
        'would fail.',
    },
    {
      code: 'source_outputs',
      minimum: COMPARISON.evaluationItemsMin,
      provenance: 'declared',
      description:
        'Those of these items that have the output of the source, so that both sides are judged ' +
        'by the same expectations. That the source gave these outputs is your ' +
        'declaration. A stated quality is no outcome and does not count.',
    },
  ],
);

/** The cutover waits this long in the approval queue. */
export const APPROVAL_WAIT_SECONDS = 72 * 3_600;

/** Days of traffic that count as a sign of life. */
export const LIVE_WINDOW_DAYS = 7;

/** Bounds of what callers send; beyond them a request is refused. */
export const BOUNDS = {
  keyLengthMax: 80,
  textLengthMax: 200,
  acknowledgementsMax: 20,
  urlLengthMax: 2_048,
  useCasesMax: 50,
  aliasesMax: 50,
  inputCharsMax: 20_000,
  messagesMax: 50,
  schemaCharsMax: 16_384,
  sourceCostMicroMin: 10_000n,
  sourceCostMicroMax: 10_000_000_000_000n,
  monthlyTokensMax: 1_000_000_000_000_000n,
  latencyMsMax: 3_600_000,
} as const;

/** What the history of a migration can say, in the order of its life. */
export const MIGRATION_NOTES = vocabulary('MigrationNote', 'A step in the life of a migration.', [
  { code: 'created', description: 'The migration was created.' },
  { code: 'scanned', description: 'A compatibility scan was made.' },
  { code: 'compared', description: 'A comparison was made and sealed.' },
  { code: 'cutover_blocked', description: 'A cutover was asked for and did not happen.' },
  { code: 'cutover_requested', description: 'A cutover waits in the approval queue.' },
  { code: 'cutover_rejected', description: 'A member rejected the cutover.' },
  { code: 'cutover_expired', description: 'Nobody decided about the cutover in time.' },
  {
    code: 'cutover_not_executed',
    description: 'The cutover was approved, but something had changed by then.',
  },
  { code: 'cut_over', description: 'The migration was cut over.' },
  { code: 'rolled_back', description: 'The migration was rolled back.' },
]);

/** A note of the history. */
export type MigrationNote = CodeOf<typeof MIGRATION_NOTES>;

/** How the model was found whose price stands for the route. */
export const ROUTE_CHOICES = vocabulary('MigrationRouteChoice', 'How a route was chosen.', [
  { code: 'evaluation', description: 'The model that answered most items of the evaluation set.' },
  {
    code: 'route_choice',
    description:
      'The model that routing chooses for the capabilities in use under the policy of the project.',
  },
]);

/** Where a part of a rollback plan comes from. */
export const ORIGINS = vocabulary('MigrationRollbackOrigin', 'Where a part of a plan comes from.', [
  { code: 'declared', description: 'You stated it for this migration.' },
  { code: 'default', description: 'It is the default of the source.' },
  { code: 'unknown', description: 'Only you know it.' },
]);

/** Who says a message of an evaluation item. */
export const MESSAGE_ROLES = vocabulary('MigrationMessageRole', 'Who says a message.', [
  { code: 'system', description: 'The instructions of the application.' },
  { code: 'user', description: 'The user who asks.' },
  { code: 'assistant', description: 'The model, earlier in the conversation.' },
]);

/** Who acts: a member, or a key. */
export const ACTORS = vocabulary('MigrationActorKind', 'Who has cut a migration over.', [
  { code: 'user', description: 'A member of the organization.' },
  { code: 'api_key', description: 'An API key of the organization.' },
]);
