import {
  code,
  defaulting,
  fieldTable,
  flag,
  instant,
  integer,
  list,
  object,
  optional,
  text,
  uuid,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import {
  CONTEXT_BOUNDS,
  CONTEXT_CLASSES,
  CONTEXT_DECISIONS,
  CONTEXT_RULES,
  TOKEN_SOURCES,
} from './vocabulary.js';

const PATTERN = text('A pattern of sources.', { max: CONTEXT_BOUNDS.patternChars });
const PATTERNS = { max: CONTEXT_BOUNDS.patterns };

/** The rules of a context policy. Null, an empty list and false ask for nothing. */
export const RULE_FIELDS = {
  allowSources: optional(
    list(
      PATTERN,
      'Patterns of sources that are allowed; `*` stands for any characters, case is ignored. ' +
        'Null allows every source; an empty list allows none.',
      PATTERNS,
    ),
  ),
  blockSources: list(
    PATTERN,
    'Patterns of sources that are blocked; a block wins over an allowance.',
    PATTERNS,
  ),
  dataClasses: optional(
    list(
      code(CONTEXT_CLASSES, 'A data class.'),
      'The data classes that are allowed, each by name; null allows all.',
    ),
  ),
  tokenBudget: optional(
    integer('Tokens that all items together may have; null sets no budget.', {
      min: 1,
      max: CONTEXT_BOUNDS.tokenBudget,
    }),
  ),
  freshnessDays: optional(
    integer('Days since an item was updated, at most; null asks for no date.', {
      min: 1,
      max: CONTEXT_BOUNDS.freshnessDays,
    }),
  ),
  citationRequired: flag('Whether each item needs a citation.'),
  provenanceRequired: flag('Whether each item needs its provenance.'),
} as const;

/** The rules of a context policy. */
export type ContextRules = ValuesOf<typeof RULE_FIELDS>;

/** The rules as they are stated and kept: what is left out asks for nothing. */
export const STATED_RULES = {
  ...RULE_FIELDS,
  blockSources: defaulting(RULE_FIELDS.blockSources, []),
  citationRequired: defaulting(RULE_FIELDS.citationRequired, false),
  provenanceRequired: defaulting(RULE_FIELDS.provenanceRequired, false),
} as const;

/** A new context policy. */
export const POLICY_INPUT = fieldTable(
  'ContextPolicyCreateInput',
  'A new context policy. What is left out asks for nothing.',
  {
    name: defaulting(
      text('What the policy is called.', { max: CONTEXT_BOUNDS.nameChars }),
      'context policy',
    ),
    ...STATED_RULES,
  },
);

const WORDS = { min: 0, max: CONTEXT_BOUNDS.fieldChars };

/** A piece of context, as a caller states it. */
export const ITEM_INPUT = fieldTable(
  'ContextItemInput',
  'A piece of context. What it does not say violates each rule that asks for it.',
  {
    id: optional(text('How violations name it; default `item` and its place, from 1.', WORDS)),
    source: optional(text('Where it comes from.', WORDS)),
    dataClass: optional(code(CONTEXT_CLASSES, 'How sensitive it is.')),
    tokens: optional(
      integer('Its tokens, where the text is not given.', {
        min: 0,
        max: CONTEXT_BOUNDS.itemTokens,
      }),
    ),
    text: optional(
      text('Its text; tokens are then counted from it. It is not kept.', {
        min: 0,
        max: CONTEXT_BOUNDS.textChars,
      }),
    ),
    updatedAt: optional(instant('When it was last updated.')),
    citation: optional(text('Where a reader finds it.', WORDS)),
    provenance: optional(text('How it came into the pack.', WORDS)),
  },
);

/** A piece of context, as a caller states it. */
export type ItemInput = ValuesOf<typeof ITEM_INPUT.fields>;

const AS_OF = instant('The moment that ages are counted from; default the present.');

/** The context that a prompt would be given. */
export const PACK_INPUT = fieldTable(
  'ContextPackInput',
  'The context that a prompt would be given.',
  {
    items: list(
      object(ITEM_INPUT, 'An item.'),
      'The items of the pack, in the order of the prompt.',
    ),
    asOf: optional(AS_OF),
  },
);

const VIOLATION = fieldTable(
  'ContextViolation',
  'A rule that an item, or the pack as a whole, violates.',
  {
    itemId: optional(text('The item; null where the pack as a whole violates the rule.')),
    position: optional(integer('The place of the item in the pack, from 0; null like the id.')),
    rule: code(CONTEXT_RULES, 'The rule of the policy that the item violates.'),
    message: text('What violates it.'),
    fix: text('What would mend it.'),
  },
);

/** A rule that an item, or the pack, violates. */
export type ContextViolation = ValuesOf<typeof VIOLATION.fields>;

const TOKENS = fieldTable('ContextTokens', 'The tokens of a pack.', {
  total: integer('Of all items whose tokens are known.'),
  unknownItems: integer('Items with neither a text nor tokens.'),
  source: code(TOKEN_SOURCES, 'Whether they were counted or stated.'),
});

/** The tokens of a pack. */
export type ContextTokens = ValuesOf<typeof TOKENS.fields>;

const EVALUATION_FIELDS = {
  decision: code(CONTEXT_DECISIONS, 'Whether the pack may be used.'),
  violations: list(
    object(VIOLATION, 'A violation.'),
    'Every violation, by the order of items, then those of the pack as a whole.',
  ),
  items: integer('How many items the pack has.'),
  violatingItems: integer('Items with a violation.'),
  tokens: object(TOKENS, 'The tokens of the pack.'),
} as const;

/** What a policy says about a pack. */
export type ContextEvaluation = ValuesOf<typeof EVALUATION_FIELDS>;

/** What a policy says about a pack at a moment. */
export const EVALUATION = fieldTable(
  'ContextEvaluation',
  'What a context policy says about a pack. Nothing is written.',
  {
    policyId: uuid('The context policy that judged the pack.'),
    ...EVALUATION_FIELDS,
    asOf: AS_OF,
  },
);
