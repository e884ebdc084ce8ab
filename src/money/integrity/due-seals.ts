import type { Pool } from 'pg';
import type { Services } from '../../graph/ctx.js';
import { GatewayError } from '../../kernel/errors/fail.js';
import { warnUnlessAway } from '../../platform/database/outage.js';
import { requireUsageSince } from '../../records/kept-detail.js';
import type { LookTimes } from '../../records/looks.js';
import { inTransaction } from '../../records/scope.js';
import { readOn } from './period.js';
import { type SealScope, sealRead } from './seals.js';
import { danglingAfterMs } from './service.js';

/** How often it is asked whether a period is to be read on, or again. */
export const SEAL_LOOKS: LookTimes = { busyMs: 2_000, quietMs: 5_000 };

/** A run ends after so long; the next one goes on. */
const RUN_MS_MAX = 4_000;
const AT_ONCE = 5;
/** So long after a failure it is tried again, also where the process was killed. */
const AGAIN_AFTER = `interval '1 minute'`;

/** A sealed period is read as its next generation. One that waits is taken as it is. */
const TAKE = `
  UPDATE integrity_seal s SET due_at = clock_timestamp() + ${AGAIN_AFTER},
    status = 'pending',
    generation = s.generation + CASE s.status WHEN 'sealed' THEN 1 ELSE 0 END,
    reading = CASE s.status WHEN 'sealed' THEN NULL ELSE s.reading END,
    rows_read = CASE s.status WHEN 'sealed' THEN 0 ELSE s.rows_read END
  FROM (
    SELECT id FROM integrity_seal WHERE due_at <= clock_timestamp()
    ORDER BY due_at LIMIT ${AT_ONCE} FOR UPDATE SKIP LOCKED
  ) due
  WHERE s.id = due.id
  RETURNING s.id, s.tenant_id AS "tenantId", s.from_at AS "from"`;

const GO_ON = `UPDATE integrity_seal SET due_at = clock_timestamp()
  WHERE id = $1 AND status = 'pending'`;

/** What cannot be read any more keeps the receipt that it has. */
const GIVE_UP = `UPDATE integrity_seal SET due_at = NULL, reading = NULL,
    status = CASE WHEN receipt_id IS NULL THEN 'failed' ELSE 'sealed' END,
    failure = $2
  WHERE id = $1 AND status = 'pending'`;

type DueServices = SealScope['services'] & Pick<Services, 'log'>;

interface Due {
  readonly id: string;
  readonly tenantId: string;
  readonly from: Date;
}

/**
 * Reads the periods that are to be read, step by step, and seals those that were read to their
 * end. On any number of nodes a period is read by one process at a time, and sealed once; what a
 * killed process has left is gone on with after a minute.
 * @returns true where nothing is left that a further look would find
 */
export async function sealDuePeriods(services: DueServices): Promise<boolean> {
  const { platformPool, log } = services;
  const { rows } = await platformPool.query<Due & object>(TAKE);
  const deadlineMs = performance.now() + RUN_MS_MAX;
  let isThrough = rows.length < AT_ONCE;
  for (const due of rows) {
    try {
      isThrough = (await readUntil(services, due, deadlineMs)) && isThrough;
    } catch (error) {
      const isGone = error instanceof GatewayError && error.code === 'detail_dropped';
      if (isGone) await platformPool.query(GIVE_UP, [due.id, error.code]);
      else warnUnlessAway(log, error, 'a period could not be sealed', { seal: due.id });
    }
  }
  return isThrough;
}

async function readUntil(
  services: DueServices,
  { id, tenantId, from }: Due,
  deadlineMs: number,
): Promise<boolean> {
  const { platformPool } = services;
  await requireUsageSince(services.pool, from);
  let step = await readOn(platformPool, id, danglingAfterMs(services));
  while (step === 'moved' && performance.now() < deadlineMs) {
    step = await readOn(platformPool, id, danglingAfterMs(services));
  }
  if (step === 'read') {
    await requireUsageSince(services.pool, from);
    const scope = { services, who: { tenantId } };
    await inTransaction(scope, {}, (tx) => sealRead(scope, tx, id));
  }
  if (step === 'moved') await platformPool.query(GO_ON, [id]);
  return step !== 'moved';
}

/** Periods in which something was found that their latest reading had not found. */
const CONTRADICTED = `
  UPDATE integrity_seal s SET due_at = clock_timestamp()
  WHERE s.status = 'sealed' AND s.due_at > clock_timestamp() AND (
    EXISTS (
      SELECT FROM integrity_finding f
      WHERE f.tenant_id = s.tenant_id AND cardinality(f.faults) > 0 AND (
          (f.held_at >= s.from_at AND f.held_at < s.to_at)
          OR (f.ended_at >= s.from_at AND f.ended_at < s.to_at)
          OR (f.used_at >= s.from_at AND f.used_at < s.to_at))
        AND NOT EXISTS (
          SELECT FROM integrity_fault k WHERE k.tenant_id = s.tenant_id AND k.seal_id = s.id
            AND k.generation = s.sealed_generation AND k.request_id = f.request_id
            AND k.faults @> f.faults))
    OR EXISTS (
      SELECT FROM books_finding b
      WHERE b.tenant_id = s.tenant_id AND b.found_at > s.read_at))`;

/** Has the sealed periods read again in which something was found since. */
export async function rereadContradicted(pool: Pool): Promise<void> {
  await pool.query(CONTRADICTED);
}
