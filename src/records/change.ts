import { LRUCache } from 'lru-cache';
import type { AuthorizedCtx, Transaction } from '../graph/ctx.js';
import type { Sealable } from '../kernel/canonical.js';
import { BriefContext } from '../platform/brief-context.js';
import { audit } from './audit-trail.js';
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

function inTurn<T>(tenantId: string, work: () => Promise<T>): Promise<T> {
  if (turnOf.get() === tenantId) return work();
  const limiter = turns.get(tenantId) ?? new InFlightLimiter(AT_ONCE_MAX);
  turns.set(tenantId, limiter);
  return limiter.take(() => turnOf.run(tenantId, work));
}

/**
 * Makes a management change: the work, its audit event and the commit are one transaction with the
 * house's limits, and whoever must know is told after it. With `tx`, all of it joins the caller's.
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
  const done = await (options.tx ? make() : inTurn(ctx.who.tenantId, make));
  if (done.told) afterCommit(ctx, done.told);
  return done.result;
}
