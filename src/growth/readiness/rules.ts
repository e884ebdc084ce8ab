import { divide } from '../../kernel/money.js';
import { READINESS_ITEMS, type ReadinessItem } from './vocabulary.js';

/** What the tenant's rows show, by item. */
export type ReadinessFacts = Readonly<Record<ReadinessItem['code'], boolean>>;

/** How ready an organization is for production. */
export interface Readiness {
  /** Items done of all, rounded down. */
  readonly percent: number;
  readonly items: readonly (ReadinessItem & { readonly done: boolean })[];
}

/** The list with what is done, and its share. */
export function readinessOf(facts: ReadinessFacts): Readiness {
  const items = READINESS_ITEMS.map((item) => ({ ...item, done: facts[item.code] }));
  const done = items.filter((item) => item.done).length;
  const percent = divide(BigInt(done) * 100n, BigInt(items.length), 'floor');
  return { percent: Number(percent), items };
}
