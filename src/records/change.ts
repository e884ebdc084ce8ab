import { LRUCache } from 'lru-cache';
import type { AuthorizedCtx, Transaction } from '../graph/ctx.js';
import { isUrgent } from '../graph/keeping.js';
import type { Sealable } from '../kernel/canonical.js';
import { BriefContext } from '../platform/brief-context.js';
import { audit } from './audit-trail.js';
import { contended, isContention } from './contention.js';
import { InFlightLimiter } from './in-flight-limiter.js';
import { afterCommit, inTransaction, type WriteOptions } from './scope.js';

/** What a management change is called in the audit trail. */
export interface ChangeName {
  /** The mutation, such as `policyUpdate`. */
  readonly action: string;
  /** The type of what is changed, such as `Policy`. */
  readonly subject: string;
}

/** What the work of a change has done. */
export interface Done<T> {
  readonly result: T;
  /** The id of what was changed; without it nothing was, and nothing is recorded. */
  readonly id?: string;
  /** The thing before and after; left out when it did not exist. Only hashes are kept. */
  readonly before?: Sealable;
  readonly after?: Sealable;
  /** What is told when the change is committed, and never when it is not. It must not throw. */
  readonly told?: () => void;
}

/**
 * So many changes of a tenant hold a connection at once, on a node. They wait for one another's
 * locks, and with all connections in their hands nobody else could change anything.
 */
const AT_ONCE_MAX = 4;
const TENANTS_MAX = 10_000;

const turns = new LRUCache<string, InFlightLimiter>({
  maxSize: TENANTS_MAX,
  sizeCalculation: () => 1,
});
/** The tenant whose turn it is: a change within a change is part of it. */
const turnOf = new BriefContext<string>();

/**
 * Does work of a tenant in its turn; within a change it is part of that one.
 * @param isFirst goes before all that waits and is not
 */
export function inTurn<T>(tenantId: string, work: () => Promise<T>, isFirst: boolean): Promise<T> {
  if (turnOf.get() === tenantId) return work();
  const limiter = turns.get(tenantId) ?? new InFlightLimiter(AT_ONCE_MAX);
  turns.set(tenantId, limiter);
  return limiter.take(() => turnOf.run(tenantId, work), isFirst);
}

/** How often work is done that others were in the way of; what is urgent does not give up soon. */
const ATTEMPTS_MAX = { urgent: 8, other: 3 } as const;

/**
 * Does work again that the database has undone for the sake of another one.
 * @throws change_contended where others stay in the way
 */
export async function despiteOthers<T>(
  work: () => Promise<T>,
  attemptsMax: number = ATTEMPTS_MAX.other,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isContention(error)) throw error;
      if (attempt >= attemptsMax) throw contended(error);
    }
  }
}

/**
 * Makes a management change: the work, its audit event and the commit are one transaction with the
 * house's limits, and whoever must know is told after it. With `tx`, all of it joins the caller's.
 * Where the database undoes it for the sake of another one, it is made again, so that the work does
 * nothing outside the transaction. What is registered as urgent goes before what waits.
 * @throws change_contended where others stay in its way
 */
export async function change<T>(
  ctx: AuthorizedCtx,
  name: ChangeName,
  work: (tx: Transaction) => Promise<Done<T>>,
  options: WriteOptions = {},
): Promise<T> {
  const make = () =>
    inTransaction(ctx, options, async (tx) => {
      const made = await work(tx);
      const { id: subjectId, before, after } = made;
      if (subjectId !== undefined) await audit(ctx, tx, { ...name, subjectId, before, after });
      return made;
    });
  const isFirst = isUrgent([name.action]);
  const again = () => despiteOthers(make, ATTEMPTS_MAX[isFirst ? 'urgent' : 'other']);
  const done = await (options.tx ? make() : inTurn(ctx.who.tenantId, again, isFirst));
  if (done.told) afterCommit(ctx, done.told);
  return done.result;
}
