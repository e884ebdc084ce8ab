import type { Ctx, Services, Transaction } from '../graph/ctx.js';
import { fail } from '../kernel/errors/fail.js';
import { named } from '../platform/database/pool.js';
import { tenantQuery } from '../platform/database/tenant-query.js';
import type { SealedPlace } from '../platform/secrets.js';
import { ANSWER_BYTES_MAX, type Answer, failInProgress, type KeyedRequest } from './idempotency.js';
import { SWEEP_OUTCOMES } from './idempotency-statements.js';

/** One effect of a keyed request: the request as a whole, or a part of it. */
export interface KeyedPart {
  readonly request: KeyedRequest;
  /** The id that the key stands for. */
  readonly rootId: string;
  /** The id of this part: the same, or derived from it. */
  readonly effectId: string;
  /** Set where the part is not about the caller's tenant alone, such as a registration. */
  readonly everyTenant?: boolean;
  /** Set where the part ends what may be in the wrong hands: it goes before what waits. */
  readonly isUrgent?: boolean;
}

interface StandingRow {
  readonly owned: boolean;
  readonly effect_id: string | null;
  readonly http_status: number | null;
  readonly content_type: string | null;
  readonly answer: Uint8Array | null;
}

/**
 * The outcome that an earlier attempt has committed for this part. From here to the end of the
 * transaction no other attempt can be at it: they are told that it is in progress.
 * @throws idempotency_in_progress, also when this attempt has lost its key to a later one;
 * idempotency_answer_not_kept when the outcome was too large
 */
export async function standingOutcome(
  { keyring }: Pick<Services, 'keyring'>,
  tx: Transaction,
  { request, effectId }: KeyedPart,
): Promise<Answer | undefined> {
  const [lock] = await tx.$queryRaw<{ free: boolean }[]>`
    SELECT pg_try_advisory_xact_lock(hashtextextended(${effectId}, 0)) AS free`;
  if (!lock?.free) return failInProgress();
  const { tenantId, actorId, key, requestId } = request;
  // A statement of its own: its snapshot is later than the lock.
  const [row] = await tx.$queryRaw<StandingRow[]>`
    SELECT r.request_id = ${requestId} AND r.status = 'running' AS owned,
      o.effect_id, o.http_status, o.content_type, o.answer
    FROM idempotency_record r LEFT JOIN keyed_outcome o ON o.effect_id = ${effectId}::uuid
    WHERE r.tenant_id = ${tenantId}::uuid AND r.actor_id = ${actorId}::uuid AND r.key = ${key}`;
  if (!row?.owned) return failInProgress();
  if (row.effect_id === null) return undefined;
  const isKept = row.answer !== null && keyring.knows(row.answer);
  if (row.answer === null || row.http_status === null || !isKept) {
    return fail('idempotency_answer_not_kept');
  }
  const body = keyring.open(placeOf(tenantId, effectId), row.answer);
  return { status: row.http_status, contentType: row.content_type ?? '', body };
}

/** Writes the outcome of a part into the transaction of its effect. */
export async function writeOutcome(
  { keyring }: Pick<Services, 'keyring'>,
  tx: Transaction,
  { request, rootId, effectId }: KeyedPart,
  { status, contentType, body }: Answer,
): Promise<void> {
  const { tenantId } = request;
  const kept = body.byteLength <= ANSWER_BYTES_MAX;
  const sealed = kept ? keyring.seal(placeOf(tenantId, effectId), body) : null;
  await tx.$executeRaw`
    INSERT INTO keyed_outcome (effect_id, root_id, tenant_id, http_status, content_type, answer)
    VALUES (${effectId}::uuid, ${rootId}::uuid, ${tenantId}::uuid, ${status}::integer,
      ${contentType}, ${sealed}::bytea)`;
}

/** True when an earlier attempt of this keyed request has left its mark. */
export async function isMarked({ services, keyed, who }: Ctx): Promise<boolean> {
  if (!keyed?.repeated || !who) return false;
  const mark = { name: 'keyed_outcome_mark', text: MARK_SQL, values: [keyed.effectId] };
  const { rowCount } = await tenantQuery(services.pool, who.tenantId, mark);
  return (rowCount ?? 0) > 0;
}

const MARK_SQL = 'SELECT 1 FROM keyed_outcome WHERE effect_id = $1';

/**
 * Leaves a mark in the transaction of an effect which has no id of its own.
 * @throws idempotency_in_progress when another attempt has left it meanwhile
 */
export async function markEffect({ keyed, who }: Ctx, tx: Transaction): Promise<void> {
  if (!keyed || !who) return;
  const marked = await tx.$executeRaw`
    INSERT INTO keyed_outcome (effect_id, root_id, tenant_id)
    VALUES (${keyed.effectId}::uuid, ${keyed.rootId ?? keyed.effectId}::uuid, ${who.tenantId}::uuid)
    ON CONFLICT DO NOTHING`;
  if (marked === 0) failInProgress();
}

/** Removes at most 1,000 outcomes whose keys are gone. @returns how many were removed */
export async function sweepOutcomes({
  platformPool,
}: Pick<Services, 'platformPool'>): Promise<number> {
  const { rowCount } = await named(platformPool, 'keyed_outcome_sweep', SWEEP_OUTCOMES, []);
  return rowCount ?? 0;
}

function placeOf(tenantId: string, row: string): SealedPlace {
  return { tenantId, table: 'keyed_outcome', field: 'answer', row };
}
