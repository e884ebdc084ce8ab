import type { Transaction } from '../../graph/ctx.js';
import { contended } from '../../records/contention.js';

/** How long any lock of such a transaction is waited for; less than a statement may take. */
const WAIT_MS_MAX = '1500';

/**
 * Lets nobody of the organization make, rotate or change a key until the transaction ends: what is
 * being made at this moment is committed, and found, before. Comes before every other lock. The
 * database serves its lock in the order of asking, so no flood of makers holds it up.
 * @throws change_contended where it takes too long
 */
export async function lockMakers(tx: Transaction, tenantId: string): Promise<void> {
  // Who makes keys in the same transaction does not wait for others who do, and wait alike.
  const [lock] = await tx.$queryRaw<{ taken: boolean }[]>`
    SELECT set_config('lock_timeout', ${WAIT_MS_MAX}, true),
      CASE WHEN EXISTS (
        SELECT FROM pg_locks l WHERE l.locktype = 'advisory' AND l.pid = pg_backend_pid()
          AND l.mode = 'ShareLock' AND l.objsubid = 1
          AND ((l.classid::bigint << 32) | l.objid::bigint) = m.makers)
      THEN pg_try_advisory_xact_lock(m.makers)
      ELSE pg_advisory_xact_lock(m.makers) IS NOT NULL END AS taken
    FROM (SELECT hashtextextended('makers ' || ${tenantId}, 0) AS makers) m`;
  if (!lock?.taken) throw contended();
}

/**
 * Lets nobody end keys of the organization, remove members or place anybody until the transaction
 * ends: who asks has not ended since, or sees it. Others may make and change keys meanwhile. Comes
 * before every other lock.
 * @throws change_contended where it takes too long
 */
export async function shareMakers(tx: Transaction, tenantId: string): Promise<void> {
  await tx.$queryRaw`
    SELECT set_config('lock_timeout', ${WAIT_MS_MAX}, true),
      pg_advisory_xact_lock_shared(hashtextextended('makers ' || ${tenantId}, 0)) IS NOT NULL
        AS taken`;
}
