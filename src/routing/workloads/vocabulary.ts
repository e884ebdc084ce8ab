import { DATA_CLASSES } from '../../kernel/firewall/vocabulary.js';
import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';

/** How soon an answer is needed, the most urgent first. */
export const INTERACTION_CLASSES = vocabulary(
  'WorkloadInteractionClass',
  'How soon an answer is needed.',
  [
    {
      code: 'REALTIME',
      description: 'Somebody waits for it, or it is not known that nobody does.',
    },
    { code: 'NEAR_REALTIME', description: 'Nobody waits; it is needed within the hour.' },
    { code: 'DEFERRABLE', description: 'It is needed after the hour and within the day.' },
    { code: 'BATCH', description: 'A day or more is left, so it may join a batch.' },
  ],
);
/** One of the interaction classes. */
export type InteractionClass = CodeOf<typeof INTERACTION_CLASSES>;

/** How sensitive the data of a request is. */
export const WORKLOAD_DATA_CLASSES = vocabulary(
  'WorkloadDataClass',
  'How sensitive data is, the lowest first.',
  DATA_CLASSES,
);

/** The parts that a context is made of. */
export const COMPONENTS = vocabulary('ContextComponent', 'A part of the context of a request.', [
  { code: 'SYSTEM', description: 'Instructions that hold for the whole conversation.' },
  { code: 'TOOLS', description: 'Descriptions of tools.' },
  { code: 'EXAMPLES', description: 'Worked examples of question and answer.' },
  { code: 'HISTORY', description: 'Earlier turns of the conversation.' },
  { code: 'RETRIEVAL', description: 'Passages that were found for the question.' },
  { code: 'USER', description: 'What the user says now.' },
  { code: 'OTHER', description: 'Whatever the caller does not assign to one of these parts.' },
]);
/** A part of a context. */
export type Component = CodeOf<typeof COMPONENTS>;

/**
 * How much an item of a context is needed. `value` is what keeping it is worth where the caller
 * states nothing else; the compiler maximises the sum of kept values.
 */
export const PRIORITIES = vocabulary(
  'ContextPriority',
  'How much an item of a context is needed.',
  [
    {
      code: 'MUST',
      description: 'It is never dropped; where it does not fit, nothing is compiled.',
      value: 10,
    },
    {
      code: 'SHOULD',
      description: 'It is worth five of those that only could be there.',
      value: 5,
    },
    { code: 'COULD', description: 'It helps a little.', value: 1 },
  ],
);

/** Why the compiler cut an item. */
export const CUT_REASONS = vocabulary('ContextCutReason', 'Why an item was cut.', [
  { code: 'COMPONENT_BUDGET', description: 'It alone is over the budget of its component.' },
  { code: 'WINDOW', description: 'It alone is over what the window leaves beside what must stay.' },
  { code: 'WORTH_LESS', description: 'Other items that fit in its place are worth more.' },
]);
/** Why an item was cut. */
export type CutReason = CodeOf<typeof CUT_REASONS>;

/** What the compiler aims at. */
export const COMPILE_OBJECTIVES = vocabulary(
  'ContextCompileObjective',
  'What the choice of what is kept aims at.',
  [
    {
      code: 'every_must_then_most_value',
      description:
        'Every MUST item, and of the others those whose values add up to the most within the ' +
        'window and the budgets; of equal sums the fewest tokens. The choice is exact.',
    },
  ],
);

/** Whether a context could be compiled. */
export const COMPILE_VERDICTS = vocabulary('ContextCompileVerdict', 'Whether a context fits.', [
  { code: 'COMPILED', description: 'What is kept fits the window and every budget.' },
  { code: 'CANNOT_COMPILE', description: 'What must not be dropped does not fit.' },
]);

/** What a request does, and how many tokens of reasoning that is worth. */
export const TASKS = vocabulary('WorkloadTask', 'What a request does.', [
  { code: 'EXTRACTION', description: 'Takes out what a text says.', reasoningTokens: 0 },
  { code: 'CLASSIFICATION', description: 'Chooses among given values.', reasoningTokens: 0 },
  { code: 'REWRITING', description: 'Says the same in another form.', reasoningTokens: 0 },
  { code: 'GENERATION', description: 'Writes something new.', reasoningTokens: 1_024 },
  { code: 'ANALYSIS', description: 'Weighs evidence and concludes.', reasoningTokens: 4_096 },
  { code: 'PLANNING', description: 'Finds steps, or proves.', reasoningTokens: 16_384 },
]);

/** What may be done to make a context shorter. */
export const COMPRESSIONS = vocabulary('ContextCompression', 'How a context may be shortened.', [
  { code: 'NONE', description: 'It is passed on as it is.' },
  { code: 'LOSSLESS', description: 'Only what says nothing is removed, such as repeated space.' },
  { code: 'EXTRACTIVE', description: 'Sentences are chosen and stay as they were written.' },
  { code: 'FREE_SUMMARY', description: 'A model may write it anew in its own words.' },
]);
/** How a context may be shortened. */
export type Compression = CodeOf<typeof COMPRESSIONS>;

/** Whether an answer may be taken from a cache. */
export const CACHE_DECISIONS = vocabulary('CacheDecision', 'Whether a cache may be used.', [
  { code: 'ALLOWED', description: 'No rule stands against it.' },
  { code: 'REFUSED', description: 'At least one rule stands against it, or a fact is missing.' },
]);

/** What stands against a cache. `of` names the caches that it closes. */
export const CACHE_RULES = vocabulary('CacheRule', 'What closes a cache to a request.', [
  { code: 'tenant_missing', description: 'Without a tenant there is no identity.', of: 'both' },
  { code: 'data_class_unknown', description: 'The class of the data is not stated.', of: 'both' },
  { code: 'data_class_closed', description: 'Data of class C3 or C4 is never kept.', of: 'both' },
  { code: 'writes', description: 'It changes something, or may: it calls tools.', of: 'both' },
  { code: 'personalized', description: 'The answer is for one person.', of: 'both' },
  { code: 'contract_off', description: 'No contract switches the cache on.', of: 'both' },
  {
    code: 'similarity_low',
    description: 'The question is less similar than the published threshold, or that is unknown.',
    of: 'semantic',
  },
  {
    code: 'not_exact',
    description: 'It holds something that JSON does not tell apart exactly, or is nested too deep.',
    of: 'exact',
  },
  {
    code: 'no_store',
    description: 'The client says `no-store`: nothing is read and nothing is kept.',
    of: 'exact',
  },
]);
/** What stands against a cache. */
export type CacheRule = CodeOf<typeof CACHE_RULES>;

/** Whether what was found is enough to answer from. */
export const RETRIEVAL_VERDICTS = vocabulary('RetrievalVerdict', 'Whether evidence suffices.', [
  { code: 'SUFFICIENT', description: 'The plan covers everything that the answer needs.' },
  { code: 'INSUFFICIENT', description: 'Something needed is not covered; what it is is named.' },
]);

/** What bounds the length of an answer, the tightest that is known first. */
export const OUTPUT_BASES = vocabulary('OutputBasis', 'What gives the ceiling of an answer.', [
  { code: 'ENUM', description: 'The longest of the values that may be answered.' },
  { code: 'SCHEMA', description: 'The longest document that the JSON Schema allows.' },
  { code: 'LENGTH', description: 'The stated number of characters.' },
  { code: 'STOP', description: 'Stop sequences end it; the usual ceiling of such answers holds.' },
  { code: 'MODEL', description: 'Nothing bounds it but the model.' },
]);
/** Whether the length of an answer can be planned. */
export const OUTPUT_VERDICTS = vocabulary(
  'OutputPlanVerdict',
  'Whether the length of an answer can be planned.',
  [
    { code: 'PLANNED', description: 'Something bounds the answer.' },
    { code: 'CANNOT_PLAN', description: 'Nothing that was stated bounds the answer.' },
  ],
);

/** What bounds the length of an answer. */
export type OutputBasis = CodeOf<typeof OUTPUT_BASES>;

/** What admission answers; the wire has these in lower case. */
export const ADMISSIONS = vocabulary('WorkloadAdmissionOutcome', 'What is done with a request.', [
  { code: 'accepted', description: 'It is served now.' },
  { code: 'recommend_async', description: 'It can wait, and the node is busy: send it later.' },
  { code: 'rejected', description: 'The node is full; `retry_after` says when to ask again.' },
]);

/** How busy a node is. `shareMin` is the least share of its places that are taken. */
export const LOADS = vocabulary('NodeLoad', 'How busy the node is that answers.', [
  { code: 'LOW', description: 'Less than seven tenths of its places are taken.', shareMin: 0 },
  { code: 'HIGH', description: 'Seven tenths of its places or more are taken.', shareMin: 0.7 },
  { code: 'FULL', description: 'No place is left.', shareMin: 1 },
]);
/** How busy a node is. */
export type Load = CodeOf<typeof LOADS>;

/** What can be done to a text. `share` is the part that estimates leave of it. */
export const TRANSFORMS = vocabulary('ContextTransform', 'What can be done to a context.', [
  {
    code: 'NORMALIZE_SPACE',
    description: 'Removes space at the ends of lines and runs of empty lines.',
    basis: 'computed',
    share: 0.97,
  },
  {
    code: 'MINIFY_JSON',
    description: 'Writes a JSON document without space between its parts.',
    basis: 'computed',
    share: 0.7,
  },
  {
    code: 'DROP_REPEATED_PARAGRAPHS',
    description: 'Keeps the first of paragraphs that are equal to the character.',
    basis: 'computed',
    share: 0.95,
  },
  {
    code: 'FREE_SUMMARY',
    description: 'A model writes it anew; only ever estimated here, and not for C3 or C4.',
    basis: 'estimated',
    share: 0.3,
  },
]);
/** What can be done to a text. */
export type Transform = CodeOf<typeof TRANSFORMS>;

/** Where the figures of a projection come from. */
export const PROJECTION_BASES = vocabulary('ProjectionBasis', 'How a projection was made.', [
  {
    code: 'computed',
    description: 'The transforms were applied to the text, and it was measured.',
  },
  { code: 'estimated', description: 'From the published shares; no text was transformed.' },
]);

/** Whether transforms may be applied. */
export const TRANSFORM_VERDICTS = vocabulary('TransformVerdict', 'Whether it may be transformed.', [
  { code: 'PROJECTED', description: 'The projection follows from the text or the shares.' },
  { code: 'REFUSED', description: 'A hard rule stands against one of the transforms.' },
]);

/** Whether what was made of a document may be used again. */
export const DEDUP_VERDICTS = vocabulary('DedupVerdict', 'Whether a stored result may be reused.', [
  { code: 'ELIGIBLE', description: 'Checksum, parser, tenant, policy and encryption all match.' },
  { code: 'NOT_ELIGIBLE', description: 'One of the five differs or is missing.' },
]);

/** What must match before a result is used again. */
export const DEDUP_PARTS = vocabulary('DedupPart', 'What must match before reuse.', [
  { code: 'checksum', description: 'The SHA-256 of the bytes of the document.' },
  { code: 'parser_version', description: 'What has read it, with its version.' },
  { code: 'tenant', description: 'The organization; it is always that of the caller.' },
  { code: 'policy_version', description: 'The policy under which it was read.' },
  { code: 'encryption_key', description: 'The key under which the result is kept.' },
]);
/** What must match. */
export type DedupPart = CodeOf<typeof DEDUP_PARTS>;

/** The rules that no caller can move. */
export const HARD_RULES = vocabulary('WorkloadHardRule', 'A rule of workloads.', [
  { code: 'tenant_in_cache_identity', description: 'Every cache identity holds the tenant.' },
  { code: 'cache_closed_for_personal', description: 'C3 and C4, writes, personal: never cached.' },
  { code: 'semantic_cache_fails_closed', description: 'What is not known to fit is not reused.' },
  { code: 'no_free_summary_of_c3_c4', description: 'C3 and C4 are never summarized freely.' },
  { code: 'must_is_never_dropped', description: 'A context without its MUST items is none.' },
  { code: 'window_is_never_exceeded', description: 'What is compiled fits, answer included.' },
  { code: 'doubt_is_realtime', description: 'What is not known to be patient is urgent.' },
  { code: 'minimum_sufficient_evidence', description: 'Retrieval ends with enough evidence.' },
  { code: 'projection_is_no_bill', description: 'A projection is never authoritative.' },
  { code: 'reuse_needs_five_matches', description: 'One difference, and a document is read anew.' },
]);

/** What is planned, and not built. */
export const ROADMAP = vocabulary(
  'WorkloadRoadmapItem',
  'What is planned and does not exist yet.',
  [
    { code: 'semantic_cache', description: 'Answers by similarity; plans say what it may do.' },
    { code: 'batch_dispatch', description: 'Deferrable requests sent as provider batches.' },
  ],
);

/** Below this a question is not similar enough for a semantic cache. */
export const SIMILARITY_MIN = 0.97;
/** The usual ceiling, in tokens, of answers that stop sequences end. */
export const STOP_TOKENS = 512;
/** Of a window that is fuller than this, shortening is worth its risk. */
export const COMPRESSION_SHARE_MIN = 0.5;
/** An hour and a day in seconds, which part the interaction classes. */
export const HOUR_SECONDS = 3_600;
export const DAY_SECONDS = 86_400;
/** The most tokens that a window, a budget or an item may have. */
export const TOKENS_MAX = 10_000_000;
/** The most items, candidates and pieces of evidence of one question. */
export const ITEMS_MAX = 200;
