import type { Ctx, Transaction } from '../graph/ctx.js';
import { joinTransaction } from '../platform/database/joined.js';
import { everyTenant, tenantTransaction } from '../platform/database/tenant.js';
import { inTurn } from './change.js';
import type { Answer } from './idempotency.js';
import type { Evidence } from './idempotency.rules.js';
import { InFlightLimiter } from './in-flight-limiter.js';
import { type KeyedPart, standingOutcome, writeOutcome } from './keyed-outcomes.js';

/** What became of an attempt, with what is known of the effect. */
export type Attempted =
  | { readonly evidence: 'answered'; readonly answer: Answer; readonly replayed: boolean }
  | { readonly evidence: Exclude<Evidence, 'answered'>; readonly error: unknown };

const LIMITS = { maxWait: 10_000, timeout: 20_000 };

/** One attempt holds a connection and may ask for another: half of the pool is left to those. */
const turnsOf = new WeakMap<object, InFlightLimiter>();

/**
 * Runs a part of a keyed request as one transaction, and writes its outcome into it: after the
 * commit the effect and its answer stand, before it there is neither. Services take part without
 * knowing it, through the context that `work` is given. An outcome that stands is answered.
 *
 * A failure rolls everything back. A refusal (below 500) after transactions of its own, such as
 * one that has closed a stolen login, keeps those, as it does without a key.
 */
export async function commitOnce(
  ctx: Ctx,
  part: KeyedPart,
  work: (ctx: Ctx) => Promise<Answer>,
): Promise<Attempted> {
  const { services } = ctx;
  const afterCommit: (() => void)[] = [];
  let refusal: unknown;
  const attempt = () =>
    transaction(services, part, async (tx): Promise<Attempted> => {
      const standing = await standingOutcome(services, tx, part);
      if (standing) return { evidence: 'answered', answer: standing, replayed: true };
      const joined = joinTransaction(services.prisma, tx);
      try {
        const own = joinedContext(ctx, joined.database, (call) => afterCommit.push(call));
        const answer = await work(own);
        await writeOutcome(services, tx, part, answer);
        return { evidence: 'answered', answer, replayed: false };
      } catch (error) {
        refusal = error;
        if (joined.joinedCount > 0 && statusOf(error) < 500) return { evidence: 'unknown', error };
        throw error;
      } finally {
        joined.end();
      }
    });
  try {
    const done = await inTurns(services, part, attempt);
    for (const call of afterCommit) call();
    return done;
  } catch (error) {
    // What the work itself threw was never committed; of the commit nobody knows.
    return { evidence: error === refusal ? 'nothing_stands' : 'unknown', error };
  }
}

/** A transaction of the caller's tenant, unless the part is about others too. */
function transaction<T>(
  { prisma }: Ctx['services'],
  { request, everyTenant: isWide }: KeyedPart,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  if (isWide) return everyTenant(prisma).$transaction(work, LIMITS);
  return tenantTransaction(prisma, request.tenantId, work, LIMITS);
}

/**
 * Waits before the transaction opens: for a turn among the changes of the tenant, so that no
 * flood of them takes the room of others, and then for a place among the keyed work of the node.
 */
function inTurns<T>(
  services: Ctx['services'],
  part: KeyedPart,
  work: () => Promise<T>,
): Promise<T> {
  const { everyTenant: isWide, isUrgent = false, request } = part;
  const placed = () => turns(services, part).take(work, isUrgent);
  return isWide ? placed() : inTurn(request.tenantId, placed, isUrgent);
}

function turns(services: Ctx['services'], { everyTenant: isWide }: KeyedPart): InFlightLimiter {
  const pool = isWide ? services.platformPool : services.pool;
  const known =
    turnsOf.get(pool) ?? new InFlightLimiter(Math.max(1, Math.floor(pool.options.max / 2)));
  turnsOf.set(pool, known);
  return known;
}

function joinedContext(
  ctx: Ctx,
  prisma: Ctx['services']['prisma'],
  atCommit: (work: () => void) => void,
): Ctx {
  const services = Object.create(ctx.services, { prisma: { value: prisma, enumerable: true } });
  return Object.create(ctx, {
    services: { value: services },
    atCommit: { value: atCommit },
    processServices: { value: ctx.services },
  });
}

/** Failures that nobody has named are faults of the server. */
function statusOf(error: unknown): number {
  const { status } = (error ?? {}) as { readonly status?: unknown };
  return typeof status === 'number' ? status : 500;
}
