import { DATA_CLASSES, type DataClass } from '../../kernel/firewall/vocabulary.js';
import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';
import type { TextJudgement } from './text-judge.js';

/** The rules of a context policy that an item, or the pack as a whole, can violate. */
export const CONTEXT_RULES = vocabulary('ContextRule', 'A rule of context policies.', [
  {
    code: 'source_missing',
    description: 'The policy lists sources, and the item does not name its own.',
    fix: 'Name the source of the item.',
  },
  {
    code: 'source_blocked',
    description: 'The source matches a blocked pattern. A block wins over an allowance.',
    fix: 'Leave the item out, or take it from another source.',
  },
  {
    code: 'source_not_allowed',
    description: 'Sources are allowed by list, and none of its patterns matches.',
    fix: 'Leave the item out, or take it from an allowed source.',
  },
  {
    code: 'data_class_missing',
    description: 'The policy limits data classes, and the item does not state its own.',
    fix: 'State the data class of the item.',
  },
  {
    code: 'data_class_not_allowed',
    description: 'The data class of the item is none of the allowed ones.',
    fix: 'Leave the item out, or remove from it what makes it sensitive.',
  },
  {
    code: 'data_class_understated',
    description:
      'The firewall finds data in the text whose class is higher than the one that the item ' +
      'states. It holds under every policy: a class that is stated must be true.',
    fix: 'State the class that the text has, or remove from the text what the message names.',
  },
  {
    code: 'tokens_missing',
    description: 'The policy has a token budget, and the item has neither a text nor tokens.',
    fix: 'Give the text of the item, or its tokens.',
  },
  {
    code: 'token_budget_exceeded',
    description: 'The items together have more tokens than the budget. It names no single item.',
    fix: 'Shorten or leave out items, the largest first.',
  },
  {
    code: 'date_missing',
    description: 'The policy asks for freshness, and the item does not say when it was updated.',
    fix: 'State when the item was updated.',
  },
  {
    code: 'date_in_future',
    description: 'The item was updated after the moment of the evaluation, so its date is wrong.',
    fix: 'Correct the date of the item, or the moment of the evaluation.',
  },
  {
    code: 'too_old',
    description: 'The item was updated longer ago than the policy allows.',
    fix: 'Take a newer version of the item, or leave it out.',
  },
  {
    code: 'citation_missing',
    description: 'The policy asks for citations, and the item has none.',
    fix: 'Add the citation of the item: where a reader finds it.',
  },
  {
    code: 'provenance_missing',
    description: 'The policy asks for provenance, and the item has none.',
    fix: 'Add the provenance of the item: how it came into the pack.',
  },
]);

/** A rule of context policies. */
export type ContextRule = CodeOf<typeof CONTEXT_RULES>;

/** What an evaluation says. */
export const CONTEXT_DECISIONS = vocabulary('ContextDecision', 'Whether a pack may be used.', [
  { code: 'allow', description: 'No rule is violated.' },
  { code: 'block', description: 'At least one rule is violated.' },
]);

/** How sensitive data is, by the classes of the firewall. */
export const CONTEXT_CLASSES = vocabulary(
  'ContextDataClass',
  'How sensitive data is, by the classes of the firewall.',
  DATA_CLASSES,
);

/** Where the tokens of an evaluation come from. */
export const TOKEN_SOURCES = vocabulary('ContextTokenSource', 'Where tokens come from.', [
  { code: 'counted', description: 'Counted here from the texts, by the encoding o200k.' },
  { code: 'declared', description: 'As the caller stated them.' },
  { code: 'mixed', description: 'Counted where a text is given, as stated elsewhere.' },
]);

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
