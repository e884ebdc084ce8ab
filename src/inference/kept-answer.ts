import type { AuthorizedCtx } from '../graph/ctx.js';
import { fail, GatewayError } from '../kernel/errors/fail.js';
import { derivedId } from '../kernel/ids.js';
import type { SealedPlace } from '../platform/secrets.js';
import { ANSWER_BYTES_MAX } from '../records/idempotency.js';

/** A request under a key: made now, or answered by what stands already. */
export type KeyedAttempt =
  | { readonly kind: 'make'; readonly ctx: AuthorizedCtx }
  | { readonly kind: 'answered'; readonly answer: Buffer };

/** Attempts that failed without a charge; a client that needs more is looping. */
const ATTEMPTS_MAX = 100;
const RETRY_AFTER_MS = 1_000;

/**
 * Finds what stands under the key of a request. The ledger's request id follows from the key's
 * effect: each attempt that ended without a charge is followed by the next id, and a charge that
 * stands brings its answer.
 * @returns the context to make the request in, or the kept answer
 * @throws idempotency_in_progress while an attempt is not resolved, idempotency_answer_not_kept
 */
export async function attemptUnderKey(
  ctx: AuthorizedCtx,
  { effectId, repeated }: NonNullable<AuthorizedCtx['keyed']>,
): Promise<KeyedAttempt> {
  if (!repeated) return { kind: 'make', ctx: keyedCtx(ctx, effectId) };
  const { ledger } = ctx.services;
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const requestId = attemptId(effectId, attempt);
    const { state, answer } = await ledger.standing(ctx.who.accountId, requestId);
    if (answer) return { kind: 'answered', answer: openAnswer(ctx, requestId, answer) };
    if (state === 'none') return { kind: 'make', ctx: keyedCtx(ctx, requestId) };
    if (state === 'delivered') return fail('idempotency_answer_not_kept');
    // Recovery resolves what a dead process left: until then nobody can say how it ends.
    if (state === 'open' || state === 'finalized') break;
  }
  throw new GatewayError('idempotency_in_progress', { retryAfterMs: RETRY_AFTER_MS });
}

/** The id of an attempt: that of the effect for the first one, else derived from it. */
function attemptId(effectId: string, attempt: number): string {
  if (attempt === 0) return effectId;
  return derivedId('Request', effectId, `attempt ${attempt}`);
}

/**
 * The same request under the id of its attempt. It goes on when its client leaves: the client has
 * a key because it means to come back for the answer.
 */
function keyedCtx(ctx: AuthorizedCtx, requestId: string): AuthorizedCtx {
  const signal = new AbortController().signal;
  return Object.create(ctx, { requestId: { value: requestId }, signal: { value: signal } });
}

/** The answer of a keyed request as the ledger keeps it; undefined where it is not kept. */
export function sealAnswer(ctx: AuthorizedCtx, answer: Buffer): Buffer | undefined {
  if (!ctx.keyed || answer.length > ANSWER_BYTES_MAX) return undefined;
  return ctx.services.keyring.seal(placeOf(ctx, ctx.requestId), answer);
}

function openAnswer(ctx: AuthorizedCtx, requestId: string, sealed: Buffer): Buffer {
  const { keyring } = ctx.services;
  // Under a secret that was dropped within the day of its answers.
  if (!keyring.knows(sealed)) return fail('idempotency_answer_not_kept');
  return keyring.open(placeOf(ctx, requestId), sealed);
}

function placeOf({ who }: AuthorizedCtx, requestId: string): SealedPlace {
  return { tenantId: who.tenantId, table: 'kept_answer', field: 'answer', row: requestId };
}
