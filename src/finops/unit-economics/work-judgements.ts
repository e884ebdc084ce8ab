import type { Category } from './vocabulary.js';

/** What a value of a journal about requests says of the work that they were. */
interface Judgement {
  readonly kind: string;
  readonly value: string;
  readonly category: Category;
}

const judgements: Judgement[] = [];

/** Lets the entries of a journal, whose subjects are ids of requests, say what became of them. */
export function judgeWorkBy<V extends string>(
  kind: string,
  categories: Readonly<Record<V, Category>>,
): void {
  for (const [value, category] of Object.entries<Category>(categories)) {
    judgements.push({ kind, value, category });
  }
}

/** Every value that says what became of a request. */
export function workJudgements(): readonly Judgement[] {
  return judgements;
}
