import { divide } from '../../kernel/money.js';
import { READINESS_ITEMS, type ReadinessItem } from './vocabulary.js';

/** What the tenant's rows show of an item. */
export interface ReadinessFact {
  readonly done: boolean;
  /** True where simulated answers show it, which is no evidence. */
  readonly simulated: boolean;
}

/** What the tenant's rows show, by item. */
export type ReadinessFacts = Readonly<Record<ReadinessItem['code'], ReadinessFact>>;

/** An item as the rows show it. */
export type JudgedItem = ReadinessItem & {
  readonly done: boolean;
  /** True for an open item that only simulated answers show. */
  readonly simulated: boolean;
};

/** How ready an organization is for production. */
export interface Readiness {
  /** Items done of all, rounded down. */
  readonly percent: number;
  readonly items: readonly JudgedItem[];
}

/** The list with what is done, and its share. Simulated answers are told, and close nothing. */
export function readinessOf(facts: ReadinessFacts): Readiness {
  const items = READINESS_ITEMS.map((item) => {
    const { done, simulated } = facts[item.code];
    return { ...item, done, simulated: simulated && !done };
  });
  const done = items.filter((item) => item.done).length;
  const percent = divide(BigInt(done) * 100n, BigInt(items.length), 'floor');
  return { percent: Number(percent), items };
}
