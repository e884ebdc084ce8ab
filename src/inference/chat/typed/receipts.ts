import { builder } from '../../../graph/builder.js';
import type { JsonObject } from '../../../kernel/json.js';
import { flagAt, floatAt, intAt, listAt, objectAt, rubAt, textAt, valueAt } from './read.js';

const nullable = true;

const Candidate = builder.objectRef<JsonObject>('ChatCandidate').implement({
  description: 'A model that was looked at.',
  fields: (t) => ({
    model: t.string({
      nullable,
      description: 'The id of the model that was looked at.',
      resolve: textAt('model'),
    }),
    chosen: t.boolean({
      nullable,
      description: 'True for the chosen one.',
      resolve: flagAt('chosen'),
    }),
    rejected: t.string({
      nullable,
      description: 'Why it was not chosen, as a code; null for the chosen one.',
      resolve: textAt('rejected'),
    }),
    reason: t.string({ nullable, description: 'The same for people.', resolve: textAt('reason') }),
    estimateRub: t.field({
      type: 'Rub',
      nullable,
      description: 'What the request could cost with it at most.',
      resolve: rubAt('estimate_rub'),
    }),
  }),
});

const Fallback = builder.objectRef<JsonObject>('ChatFallback').implement({
  description: 'A call that failed before another one answered.',
  fields: (t) => ({
    model: t.string({
      nullable,
      description: 'The model that was called and failed.',
      resolve: textAt('model'),
    }),
    provider: t.string({
      nullable,
      description: 'The provider that was called and failed.',
      resolve: textAt('provider'),
    }),
    status: t.int({ nullable, description: 'Its HTTP status, if any.', resolve: intAt('status') }),
    error: t.string({
      nullable,
      description: 'How the call failed, as an error code.',
      resolve: textAt('error'),
    }),
    latencyMs: t.int({ nullable, description: 'How long it took.', resolve: intAt('latency_ms') }),
  }),
});

const tokens = (name: string) => ({ nullable: true as const, resolve: intAt(name) });

const UsageParts = builder.objectRef<JsonObject>('ChatUsageParts').implement({
  description: 'Billed tokens; a token counts in exactly one part.',
  fields: (t) => ({
    inputUncached: t.int({ ...tokens('input_uncached'), description: 'Prompt tokens read anew.' }),
    inputCached: t.int({ ...tokens('input_cached'), description: 'Read from a cache.' }),
    cacheWrite: t.int({ ...tokens('cache_write'), description: 'Written to a cache.' }),
    outputText: t.int({ ...tokens('output_text'), description: 'Tokens of the answer itself.' }),
    outputReasoning: t.int({
      ...tokens('output_reasoning'),
      description: 'Tokens of reasoning before the answer.',
    }),
  }),
});

const OutputLimit = builder.objectRef<JsonObject>('ChatOutputLimit').implement({
  description: 'The output limit of a request whose funds or budget did not cover a longer answer.',
  fields: (t) => ({
    tokens: t.int({ ...tokens('tokens'), description: 'The limit in force.' }),
    askedTokens: t.int({
      ...tokens('asked_tokens'),
      description: 'The limit that the request would have had.',
    }),
    loweredBy: t.string({
      nullable,
      description: 'What did not cover it: `balance` or `budget`.',
      resolve: textAt('lowered_by'),
    }),
    budget: t.string({
      nullable,
      description: 'The budget, with its period; null where it was the balance.',
      resolve: textAt('budget'),
    }),
  }),
});

/** `gw_routing`. */
export const Routing = builder.objectRef<JsonObject>('ChatRouting').implement({
  description: 'Which model was chosen, why, and what it cost.',
  fields: (t) => ({
    requestId: t.string({
      nullable,
      description: 'The id of the request, in the ledger and in usage too.',
      resolve: textAt('request_id'),
    }),
    requestedModel: t.string({
      nullable,
      description: 'The model or alias that was asked for.',
      resolve: textAt('requested_model'),
    }),
    model: t.string({
      nullable,
      description: 'The model that answered.',
      resolve: textAt('model'),
    }),
    provider: t.string({
      nullable,
      description: 'The provider that ran the model.',
      resolve: textAt('provider'),
    }),
    jurisdiction: t.string({
      nullable,
      description: 'Where the data went: `rf` or `outside`.',
      resolve: textAt('jurisdiction'),
    }),
    simulated: t.boolean({
      nullable,
      description: 'True when the answer is made up.',
      resolve: flagAt('simulated'),
    }),
    strategy: t.string({
      nullable,
      description: 'How it was chosen.',
      resolve: textAt('strategy'),
    }),
    candidates: t.field({
      type: [Candidate],
      description: 'The models that were looked at.',
      resolve: listAt('candidates'),
    }),
    fallbacks: t.field({
      type: [Fallback],
      description: 'The calls that failed before.',
      resolve: listAt('fallbacks'),
    }),
  }),
});

builder.objectFields(Routing, (t) => ({
  usage: t.field({
    type: UsageParts,
    nullable,
    description: 'The tokens that were billed, by price class.',
    resolve: objectAt('usage'),
  }),
  usageSource: t.string({
    nullable,
    description: '`upstream` where the provider counted, else `estimated`.',
    resolve: textAt('usage_source'),
  }),
  costRub: t.field({
    type: 'Rub',
    nullable,
    description: 'What was charged.',
    resolve: rubAt('cost_rub'),
  }),
  price: t.field({
    type: 'JSON',
    nullable,
    description: 'The price row in force, in rubles for a million tokens of each part.',
    resolve: valueAt('price'),
  }),
  policies: t.field({
    type: 'JSON',
    nullable,
    description: 'The policies that held, each with its version.',
    resolve: valueAt('policies'),
  }),
  outputLimit: t.field({
    type: OutputLimit,
    nullable,
    description: 'Why the answer may be shorter than asked; null where no limit was lowered.',
    resolve: objectAt('output_limit'),
  }),
}));

/** `gw_slo`. */
export const Slo = builder.objectRef<JsonObject>('ChatSlo').implement({
  description: 'Target and measured latency, in milliseconds.',
  fields: (t) => ({
    slaClass: t.string({
      nullable,
      description: 'The class of service.',
      resolve: textAt('sla_class'),
    }),
    targetLatencyMs: t.float({
      nullable,
      description: 'The latency that the class of service aims at for this kind of request.',
      resolve: floatAt('target_latency_ms'),
    }),
    targetTimeToFirstTokenMs: t.float({
      nullable,
      description: 'Target of the first token of a stream.',
      resolve: floatAt('target_time_to_first_token_ms'),
    }),
    latencyMs: t.float({
      nullable,
      description: 'From the arrival of the request to the end of the answer.',
      resolve: floatAt('latency_ms'),
    }),
    timeToFirstTokenMs: t.float({
      nullable,
      description: 'Measured first token; null for a whole answer.',
      resolve: floatAt('time_to_first_token_ms'),
    }),
    upstreamMs: t.float({
      nullable,
      description: 'Of it, the provider.',
      resolve: floatAt('upstream_ms'),
    }),
    overheadMs: t.float({
      nullable,
      description: 'Of it, the gateway.',
      resolve: floatAt('overhead_ms'),
    }),
    met: t.boolean({
      nullable,
      description: 'Whether the target was met.',
      resolve: flagAt('met'),
    }),
  }),
});

const ClassCount = builder.objectRef<JsonObject>('ChatFindingCount').implement({
  description: 'How often a class of data was found or replaced.',
  fields: (t) => ({
    class: t.string({
      nullable,
      description: 'The class of data, as policies name it.',
      resolve: textAt('class'),
    }),
    confidence: t.string({
      nullable,
      description: '`confirmed` or `suspected`; null where it was replaced.',
      resolve: textAt('confidence'),
    }),
    count: t.int({
      nullable,
      description: 'How often the class was found or replaced.',
      resolve: intAt('count'),
    }),
  }),
});

const FirewallAnswer = builder.objectRef<JsonObject>('ChatFirewallAnswer').implement({
  description: 'What was found in the answer.',
  fields: (t) => ({
    findings: t.field({
      type: [ClassCount],
      description: 'What was found in the answer, counted by class.',
      resolve: listAt('findings'),
    }),
    masked: t.field({
      type: [ClassCount],
      description: 'What was replaced in the answer, counted by class.',
      resolve: listAt('masked'),
    }),
  }),
});

/** `gw_firewall`. */
export const FirewallReceipt = builder.objectRef<JsonObject>('ChatFirewall').implement({
  description: 'What the firewall found and masked, by class; never the matched text.',
  fields: (t) => ({
    verdict: t.string({ nullable, description: '`pass` or `masked`.', resolve: textAt('verdict') }),
    mode: t.field({
      type: 'JSON',
      nullable,
      description: 'The mode of each class.',
      resolve: valueAt('mode'),
    }),
    dataClass: t.string({
      nullable,
      description: 'The highest class.',
      resolve: textAt('data_class'),
    }),
    findings: t.field({
      type: [ClassCount],
      description: 'What was found in the request, counted by class.',
      resolve: listAt('findings'),
    }),
    masked: t.field({
      type: [ClassCount],
      description: 'What was replaced in the request, counted by class.',
      resolve: listAt('masked'),
    }),
    answer: t.field({
      type: FirewallAnswer,
      nullable,
      description: 'What was found and replaced in the answer; null where it was not inspected.',
      resolve: objectAt('answer'),
    }),
  }),
});

/** `gw_prompt`. */
export const PromptReceipt = builder.objectRef<JsonObject>('ChatPromptUse').implement({
  description: 'The version of the prompt that filled the request.',
  fields: (t) => ({
    promptId: t.string({
      nullable,
      description: 'The id of the version that was used.',
      resolve: textAt('prompt_id'),
    }),
    promptKey: t.string({
      nullable,
      description: 'The key of the prompt package.',
      resolve: textAt('prompt_key'),
    }),
    version: t.int({
      nullable,
      description: 'The number of the version within its package.',
      resolve: intAt('version'),
    }),
    status: t.string({
      nullable,
      description: 'The status that the version had when it was used.',
      resolve: textAt('status'),
    }),
    contentHash: t.string({
      nullable,
      description: 'The hash of the content of the version, as its gate sealed it.',
      resolve: textAt('content_hash'),
    }),
    variant: t.string({ nullable, description: 'The model variant.', resolve: textAt('variant') }),
    schemaValid: t.boolean({
      nullable,
      description: 'Whether the answer is by the output schema; null where not measured.',
      resolve: flagAt('schema_valid'),
    }),
  }),
});
