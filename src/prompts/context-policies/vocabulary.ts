import { dataRows, vocabularyIn } from '../../kernel/fields/data-file.js';
import { text } from '../../kernel/fields/field.js';
import { DATA_CLASSES, type DataClass } from '../../kernel/firewall/vocabulary.js';
import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';
import RULES from './rules.json' with { type: 'json' };
import type { TextJudgement } from './text-judge.js';
import WORDS from './vocabulary.json' with { type: 'json' };

/** The rules of a context policy that an item, or the pack as a whole, can violate. */
export const CONTEXT_RULES = vocabulary(
  'ContextRule',
  'A rule of context policies.',
  dataRows(RULES, { fix: text('What would mend a violation.') }),
);

/** A rule of context policies. */
export type ContextRule = CodeOf<typeof CONTEXT_RULES>;

/** What an evaluation says. */
export const CONTEXT_DECISIONS = vocabularyIn(WORDS, 'ContextDecision');

/** How sensitive data is, by the classes of the firewall. */
export const CONTEXT_CLASSES = vocabulary(
  'ContextDataClass',
  'How sensitive data is, by the classes of the firewall.',
  DATA_CLASSES,
);

/** Where the tokens of an evaluation come from. */
export const TOKEN_SOURCES = vocabularyIn(WORDS, 'ContextTokenSource');

/** Bounds of policies and packs; what is beyond them is refused by name. */
export const CONTEXT_BOUNDS = {
  nameChars: 200,
  patterns: 200,
  patternChars: 300,
  tokenBudget: 100_000_000,
  freshnessDays: 36_500,
  items: 1_000,
  fieldChars: 2_000,
  /** Characters of all texts of a pack. */
  textChars: 1_000_000,
  itemTokens: 2_000_000,
} as const;

/** A piece of context. What is not known is null. */
export interface ContextItem {
  readonly id: string;
  readonly source: string | null;
  readonly dataClass: DataClass | null;
  /** What the firewall finds in the text; absent where there is none. */
  readonly judged?: TextJudgement;
  readonly tokens: number | null;
  /** True where the tokens were counted from the text of the item. */
  readonly tokensCounted: boolean;
  readonly updatedAt: Date | null;
  readonly citation: string | null;
  readonly provenance: string | null;
}
