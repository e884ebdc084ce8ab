import {
  code,
  defaulting,
  fieldTable,
  flag,
  integer,
  json,
  list,
  number,
  object,
  optional,
  sha256,
  text,
  uuid,
} from '../../kernel/fields/field.js';
import {
  ADMISSIONS,
  CACHE_DECISIONS,
  CACHE_RULES,
  COMPILE_VERDICTS,
  COMPONENTS,
  COMPRESSIONS,
  CUT_REASONS,
  DEDUP_PARTS,
  DEDUP_VERDICTS,
  INTERACTION_CLASSES,
  ITEMS_MAX,
  LOADS,
  OUTPUT_BASES,
  OUTPUT_VERDICTS,
  PRIORITIES,
  PROJECTION_BASES,
  RETRIEVAL_VERDICTS,
  TASKS,
  TOKENS_MAX,
  TRANSFORM_VERDICTS,
  TRANSFORMS,
  WORKLOAD_DATA_CLASSES,
} from './vocabulary.js';

const TOKENS = { min: 0, max: TOKENS_MAX };
const ITEMS = { max: ITEMS_MAX };
const NAME = { max: 128 };
const DATA_CLASS = optional(
  code(WORKLOAD_DATA_CLASSES, 'The class of the data; unknown is treated as the most sensitive.'),
);
const COMPONENT = code(COMPONENTS, 'The part of the context.');

/** A context to compile. */
export const COMPILE_INPUT = fieldTable('ContextCompileInput', 'A context that is to fit.', {
  windowTokens: integer('What the model can take, answer included.', { min: 1, max: TOKENS_MAX }),
  outputTokens: defaulting(integer('Reserved for the answer.', TOKENS), 0),
  safetyTokens: defaulting(
    integer('Left free, since counts of tokens may be estimates.', TOKENS),
    0,
  ),
  budgets: defaulting(
    list(
      object(
        fieldTable('ContextBudgetInput', 'What one component may take.', {
          component: COMPONENT,
          tokensMax: integer('The most tokens that it may take.', TOKENS),
        }),
        'The budget of a component.',
      ),
      'Budgets of components; those without one are bounded by the window alone.',
      { max: COMPONENTS.codes.length },
    ),
    [],
  ),
  items: list(
    object(
      fieldTable('ContextPieceInput', 'A piece of a context.', {
        itemId: text('What the caller calls it; unique in the context.', NAME),
        component: defaulting(COMPONENT, 'OTHER'),
        tokens: integer('How many tokens it takes.', TOKENS),
        priority: code(PRIORITIES, 'How much it is needed.'),
        value: optional(
          integer('What keeping it is worth, 1 to 10; by its priority where it is left out.', {
            min: 1,
            max: 10,
          }),
        ),
      }),
      'A piece of the context.',
    ),
    'The pieces, in the order in which they stand.',
    ITEMS,
  ),
});

/** A compiled context. */
export const COMPILED = fieldTable(
  'ContextCompiled',
  'What is kept of a context, and what is cut.',
  {
    verdict: code(COMPILE_VERDICTS, 'Whether what must not be dropped fits.'),
    roomTokens: integer('The window without the answer and the safety margin.'),
    usedTokens: integer('What is kept takes so many; never more than the room.'),
    value: integer('The sum of the values of what is kept; no other choice that fits has more.'),
    kept: list(text('An item.'), 'What is kept, in the given order.'),
    cut: list(
      object(
        fieldTable('ContextCut', 'A piece that was cut.', {
          itemId: text('What the caller calls it.'),
          component: COMPONENT,
          tokens: integer('How many tokens it would have taken.'),
          reason: code(CUT_REASONS, 'Why it was cut.'),
        }),
        'A piece that was cut.',
      ),
      'What is cut, in the given order.',
    ),
    components: list(
      object(
        fieldTable('ContextComponentUse', 'What one component takes.', {
          component: COMPONENT,
          tokensMax: optional(integer('Its budget; null without one.')),
          keptTokens: integer('What is kept of it.'),
          cutTokens: integer('What is cut of it.'),
        }),
        'What one component takes.',
      ),
      'The components that occur, in the order of their first pieces.',
    ),
  },
);

/** A request to classify. */
export const CLASSIFY_INPUT = fieldTable('WorkloadClassifyInput', 'A request to classify.', {
  userIsWaiting: optional(flag('Whether somebody waits for the answer; unknown counts as yes.')),
  deadlineSeconds: optional(
    integer('When the answer is needed; unknown counts as now.', { min: 0, max: 31_536_000 }),
  ),
  isStreamed: defaulting(flag('Whether the answer is streamed.'), false),
  task: optional(code(TASKS, 'What the request does; unknown gets no reasoning.')),
  dataClass: DATA_CLASS,
  contextTokens: defaulting(integer('How long the context is.', TOKENS), 0),
  windowTokens: optional(integer('What the model can take.', { min: 1, max: TOKENS_MAX })),
  outputTokensMax: optional(integer('What the answer may take, reasoning included.', TOKENS)),
});

/** A classified request. */
export const CLASSIFIED = fieldTable('WorkloadClassified', 'How a request should be handled.', {
  interactionClass: code(INTERACTION_CLASSES, 'How soon the answer is needed.'),
  decidedBy: text('The row of the published table that has decided.'),
  reason: text('Why that row applies.'),
  asyncEligible: flag('Whether it may be answered later.'),
  reasoningTokensMax: integer('What reasoning is worth; 0 asks for none.'),
  compression: code(COMPRESSIONS, 'The furthest that its context may be shortened.'),
  freeSummaryAllowed: flag('Whether a model may summarize the context; never for C3 and C4.'),
});

/** A request for whose answer a cache is considered. */
export const CACHE_INPUT = fieldTable('CachePlanInput', 'A request whose answer might be kept.', {
  tenantId: optional(uuid('The organization; without it there is no identity.')),
  requestSha256: sha256('SHA-256 of the canonical JSON of the request.'),
  model: text('The model that is asked.', NAME),
  policy: defaulting(text('The policies that apply, with their versions.', NAME), 'none'),
  contractEnabled: defaulting(flag('Whether a workload contract switches the cache on.'), false),
  dataClass: DATA_CLASS,
  writes: optional(flag('Whether it changes something or may call tools; unknown counts as yes.')),
  personalized: optional(flag('Whether the answer is for one person; unknown counts as yes.')),
  similarity: optional(
    number('How similar the nearest kept question is, 0 to 1.', { min: 0, max: 1 }),
  ),
});

/** What a cache may do for a request. */
export const CACHE_PLAN = fieldTable('CachePlan', 'Whether the answer may be kept and reused.', {
  identity: optional(sha256('What the answer would be kept under; null without a tenant.')),
  exact: code(CACHE_DECISIONS, 'Whether an equal request may be answered from the cache.'),
  semantic: code(CACHE_DECISIONS, 'Whether a similar request might be; no such cache exists yet.'),
  closedBy: list(code(CACHE_RULES, 'A rule.'), 'Every rule that closes one of the caches.'),
});

/** What was found for a question. */
export const RETRIEVAL_INPUT = fieldTable('RetrievalPlanInput', 'What was found for a question.', {
  tokensMax: integer('What the passages may take together.', { min: 1, max: TOKENS_MAX }),
  needs: list(text('A piece of evidence.', NAME), 'What the answer needs, each by a name.', ITEMS),
  candidates: list(
    object(
      fieldTable('RetrievalCandidateInput', 'A passage that was found.', {
        passageId: text('What the caller calls it.', NAME),
        tokens: integer('How many tokens it takes.', { min: 1, max: TOKENS_MAX }),
        relevance: number('How well it fits the question, 0 to 1.', { min: 0, max: 1 }),
        covers: list(text('A piece of evidence.', NAME), 'Which needs it covers.', ITEMS),
      }),
      'A passage.',
    ),
    'The passages that were found.',
    ITEMS,
  ),
});

/** How far to retrieve. */
export const RETRIEVAL_PLAN = fieldTable('RetrievalPlan', 'The least passages that are enough.', {
  verdict: code(RETRIEVAL_VERDICTS, 'Whether they cover all needs.'),
  steps: list(
    object(
      fieldTable('RetrievalStep', 'A passage that is added.', {
        passageId: text('The passage that is added.'),
        adds: list(text('A piece of evidence.'), 'The needs that it is the first to cover.'),
        tokensSoFar: integer('What the passages take up to here.'),
      }),
      'A passage that is added.',
    ),
    'The passages in the order in which they are added; it ends with enough evidence.',
  ),
  uncovered: list(text('A piece of evidence.'), 'The needs that stay uncovered.'),
  usedTokens: integer('What the chosen passages take.'),
  sparedTokens: integer('What the others would have taken.'),
});

/** An answer whose length is to be bounded. */
export const OUTPUT_INPUT = fieldTable('OutputPlanInput', 'An answer that is to be bounded.', {
  enumValues: defaulting(
    list(text('A value.'), 'The values that may be answered, where they are given.', ITEMS),
    [],
  ),
  jsonSchema: optional(
    json(
      'The JSON Schema of the answer; it bounds the answer where each text has maxLength, each ' +
        'list maxItems, and each object additionalProperties: false.',
    ),
  ),
  lengthCharacters: optional(integer('How long the answer may be.', { min: 1, max: TOKENS_MAX })),
  stop: defaulting(
    list(text('A sequence.', NAME), 'Sequences at which the model stops.', { max: 4 }),
    [],
  ),
  modelTokensMax: optional(
    integer('The most that the model answers, where it is known.', { min: 1, max: TOKENS_MAX }),
  ),
});

/** What an answer may take. */
export const OUTPUT_PLAN = fieldTable('OutputPlan', 'The ceiling of an answer.', {
  verdict: code(OUTPUT_VERDICTS, 'Whether anything bounds the answer.'),
  basis: code(OUTPUT_BASES, 'What gives the ceiling.'),
  maxTokens: integer('What to send as the limit; a token has at least one byte of UTF-8.'),
  sparedTokens: optional(
    integer('How much less that is than the model could answer; null where that is not stated.'),
  ),
});

/** A request that asks to be served. */
export const ADMISSION_INPUT = fieldTable('WorkloadAdmissionInput', 'A request to admit.', {
  interactionClass: defaulting(
    code(INTERACTION_CLASSES, 'How soon the answer is needed; unknown counts as now.'),
    'REALTIME',
  ),
});

/** Whether a request is served now. */
export const ADMISSION = fieldTable('WorkloadAdmission', 'Whether a request is served now.', {
  outcome: code(ADMISSIONS, 'What is done with it.'),
  load: code(LOADS, 'How busy the node is that answers.'),
  retryAfterSeconds: optional(integer('When to ask again; null where it is accepted.')),
  reason: text('Why that is done with it.'),
});

/** A text to transform, or its length alone. */
export const TRANSFORM_FIELDS = {
  transforms: list(code(TRANSFORMS, 'A transform.'), 'What is done, in this order.', {
    min: 1,
    max: TRANSFORMS.codes.length,
  }),
  dataClass: DATA_CLASS,
  text: optional(text('The text; it is measured and not kept.', { min: 0, max: 200_000 })),
  tokens: optional(integer('Its length, where the text itself is not given.', TOKENS)),
} as const;

/** A text to transform. */
export const TRANSFORM_INPUT = fieldTable(
  'ContextTransformInput',
  'A text that is to be made shorter.',
  TRANSFORM_FIELDS,
);

/** What transforms make of a text. */
export const TRANSFORM_RESULT_FIELDS = {
  basis: code(PROJECTION_BASES, 'How the figures were found.'),
  beforeTokens: integer('Before; counted by the encoding o200k, or as stated.'),
  afterTokens: integer('After all transforms.'),
  savedTokens: integer('What the transforms save.'),
  steps: list(
    object(
      fieldTable('ContextTransformStep', 'One transform of a context.', {
        transform: code(TRANSFORMS, 'What was done to the text.'),
        basis: code(PROJECTION_BASES, 'Whether it was applied, or its share was taken.'),
        afterTokens: integer('What is left after it.'),
      }),
      'One transform.',
    ),
    'The transforms in their order.',
  ),
} as const;

/** A projection of transforms. */
export const TRANSFORMED = fieldTable('ContextTransformed', 'What transforms would save.', {
  verdict: code(TRANSFORM_VERDICTS, 'Whether they may be applied to data of this class.'),
  ...TRANSFORM_RESULT_FIELDS,
});

/** Where a document or a stored result comes from. */
const ORIGIN_FIELDS = {
  checksum: optional(sha256('SHA-256 of the bytes of the document.')),
  parserVersion: optional(text('What reads it, with its version.', NAME)),
  tenantId: optional(uuid('The organization that it belongs to.')),
  policyVersion: optional(text('The policy under which it is read.', NAME)),
  encryptionKey: optional(text('The name of the key that results are kept under.', NAME)),
} as const;

/** A document and a stored result. */
export const DEDUP_INPUT = fieldTable('DocumentDedupInput', 'Whether a result can be reused.', {
  document: object(
    fieldTable('DocumentOriginInput', 'A document that has arrived.', ORIGIN_FIELDS),
    'The document that has arrived; its tenant is that of the caller.',
  ),
  stored: object(
    fieldTable('StoredOriginInput', 'A stored result.', ORIGIN_FIELDS),
    'The result that is there.',
  ),
});

/** Whether a stored result may be used again. */
export const DEDUP = fieldTable('DocumentDedup', 'Whether a stored result may be used again.', {
  verdict: code(DEDUP_VERDICTS, 'Whether all five match.'),
  mismatches: list(code(DEDUP_PARTS, 'A part.'), 'What differs or is missing.'),
});
