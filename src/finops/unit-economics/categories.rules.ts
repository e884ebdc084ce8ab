import { type DecisionTable, decide } from '../../kernel/decision.js';
import type { Fault } from '../../kernel/errors/fail.js';
import { fits } from '../../kernel/errors/faults.js';
import type { CategoryAsked } from './tables.js';
import { CATEGORIES, type Category } from './vocabulary.js';

/** What is known of paid work. */
export type WorkFacts = Pick<CategoryAsked, 'delivery' | 'attempt' | 'use'>;

/** What became of paid work: the first row that applies decides. */
const CATEGORY_TABLE: DecisionTable<WorkFacts, Category | 'unknown'> = [
  {
    code: 'used',
    outcome: 'accepted',
    description: 'It was used, whichever attempt it was.',
    applies: ({ use }) => use === 'used',
  },
  {
    code: 'done_again',
    outcome: 'retry',
    description: 'It was a further attempt, and brought nothing that was used.',
    applies: ({ attempt }) => attempt > 1,
  },
  {
    code: 'not_delivered',
    outcome: 'failed_delivery',
    description: 'It failed, or was cut off before its end.',
    applies: ({ delivery }) => delivery === 'failed' || delivery === 'partial',
  },
  {
    code: 'used_by_nobody',
    outcome: 'wasted',
    description: 'It was delivered, and nobody used it.',
    applies: ({ use }) => use === 'not_used',
  },
  {
    code: 'not_known',
    outcome: 'unknown',
    description: 'It was delivered, and nobody says whether it was used.',
    applies: () => true,
  },
];

/** The category of paid work, with the row that decided; null where the facts do not show it. */
export function categoryOf(facts: WorkFacts) {
  const { outcome, reason } = decide(CATEGORY_TABLE, facts);
  return { category: outcome === 'unknown' ? null : outcome, why: reason };
}

/** Work that failed as a whole cannot have been used. */
export function workFaults({ delivery, use }: WorkFacts): Fault[] {
  const isPossible = delivery !== 'failed' || use !== 'used';
  return fits('input.use', isPossible, 'cannot be used where nothing was delivered');
}

/** What the facts lack for a category. Failed work needs its cost as any other. */
export function missingFacts({ costMicro, ...facts }: CategoryAsked): string[] {
  const isKnown = categoryOf(facts).category !== null;
  return [
    ...(costMicro === null ? ['cost_rub'] : []),
    ...(isKnown ? [] : facts.delivery === null ? ['delivery', 'use'] : ['use']),
  ];
}

/** Whether nobody had any use of work of a category. */
export function isLoss(category: Category | null): boolean {
  return category !== null && (CATEGORIES.find(category)?.isLoss ?? false);
}
