import type { Approval } from '../../generated/prisma/client.js';
import type { Services, Transaction } from '../../graph/ctx.js';
import { toGatewayError } from '../../kernel/errors/fail.js';
import { named } from '../../platform/database/pool.js';
import { everyTenant, tenantDatabase } from '../../platform/database/tenant.js';
import { inTransaction } from '../scope.js';
import { publishApproval } from './events.js';
import { EXECUTION_ATTEMPTS_MAX, retryAfterSeconds } from './rules.js';

/** How long an attempt owns its execution, in milliseconds by the database's clock. */
export const LEASE_MS = 120_000;

/** An attempt is told to stop well before its lease ends, so that no two run at the same time. */
const ATTEMPT_MS_MAX = 90_000;

/**
 * One attempt to carry out an approved action, unless another process has it. The attempt's number
 * fences its result: an attempt that outlives its lease changes nothing any more.
 * @returns the approval as it is after the attempt; what the attempt threw is recorded, not thrown
 */
export async function executeApproval(services: Services, approval: Approval): Promise<Approval> {
  const claimed = await claim(services, approval);
  if (!claimed) return reread(services, approval);
  try {
    await services.approvalKinds.named(claimed.kind).execute?.({
      approval: claimed,
      services,
      who: { tenantId: claimed.tenantId },
      signal: AbortSignal.timeout(ATTEMPT_MS_MAX),
    });
  } catch (error) {
    services.log.warn({ err: error, approval: claimed.id }, 'an approved action failed');
    return recordFailure(services, claimed, toGatewayError(error).code);
  }
  return settle(services, claimed, async (tx) => {
    const done = { execution: 'done', executeAfter: null, executionError: null };
    const after = await tx.approval.update({ where: { id: claimed.id }, data: done });
    await publishApproval(tx, 'executed', after);
    return after;
  });
}

/** Takes the execution: the first attempt at once, a later one when its time has come. */
async function claim(services: Services, approval: Approval): Promise<Approval | undefined> {
  const { id, tenantId } = approval;
  const taken = await tenantDatabase(services.prisma, tenantId).$executeRaw`
    UPDATE approval SET execution = 'running', attempts = attempts + 1,
      execute_after = clock_timestamp() + make_interval(secs => ${LEASE_MS / 1_000})
    WHERE id = ${id}::uuid AND execution IN ('waiting', 'running')
      AND attempts < ${EXECUTION_ATTEMPTS_MAX}
      AND (attempts = 0 OR execute_after <= clock_timestamp())`;
  if (taken === 0) return undefined;
  return reread(services, approval);
}

/** Runs `work` only while the attempt still owns the execution. */
function settle(
  services: Services,
  attempt: Approval,
  work: (tx: Transaction) => Promise<Approval>,
): Promise<Approval> {
  const { id, attempts } = attempt;
  const scope = { services, who: { tenantId: attempt.tenantId } };
  return inTransaction(scope, {}, async (tx) => {
    const owned = await tx.$queryRaw<unknown[]>`SELECT 1 FROM approval WHERE id = ${id}::uuid
      AND execution = 'running' AND attempts = ${attempts} FOR UPDATE`;
    return owned.length === 1 ? work(tx) : tx.approval.findFirstOrThrow({ where: { id } });
  });
}

function recordFailure(services: Services, attempt: Approval, code: string): Promise<Approval> {
  const isFinal = services.approvalKinds.named(attempt.kind).finalErrors?.includes(code);
  const wait = isFinal ? undefined : retryAfterSeconds(attempt.attempts);
  return settle(services, attempt, async (tx) => {
    const { id } = attempt;
    if (wait === undefined) return giveUp(services, tx, attempt, code);
    await tx.$executeRaw`UPDATE approval SET execution = 'waiting', execution_error = ${code},
      execute_after = clock_timestamp() + make_interval(secs => ${wait}) WHERE id = ${id}::uuid`;
    return tx.approval.findFirstOrThrow({ where: { id } });
  });
}

async function giveUp(
  services: Services,
  tx: Transaction,
  { id, kind, tenantId }: Approval,
  code: string,
): Promise<Approval> {
  const data = { execution: 'failed', executeAfter: null, executionError: code };
  const after = await tx.approval.update({ where: { id }, data });
  await services.approvalKinds.named(kind).onGivenUp?.(tx, after, { services, who: { tenantId } });
  await publishApproval(tx, 'execution_failed', after);
  return after;
}

function reread({ prisma }: Services, { id, tenantId }: Approval): Promise<Approval> {
  return tenantDatabase(prisma, tenantId).approval.findUniqueOrThrow({ where: { id } });
}

const SWEEP_ROWS = 20;

/** Executions that a process has left, or whose next attempt is due. */
export const DUE_EXECUTIONS = `FROM approval
  WHERE execution IN ('waiting', 'running') AND execute_after <= clock_timestamp()`;
const DUE_SQL = `SELECT id ${DUE_EXECUTIONS} ORDER BY execute_after LIMIT ${SWEEP_ROWS}`;

/**
 * Resumes executions whose process has died or whose next attempt is due, at most 20 at once, one
 * after the other. Any number of nodes may sweep.
 * @returns how many it looked at
 */
export async function resumeApprovals(services: Services): Promise<number> {
  const { platformPool, prisma } = services;
  type Due = { readonly id: string };
  const { rows: due } = await named<Due>(platformPool, 'approvals_due', DUE_SQL, []);
  if (due.length === 0) return 0;
  const where = { id: { in: due.map(({ id }) => id) } };
  for (const approval of await everyTenant(prisma).approval.findMany({ where })) {
    // The process died in the last attempt: whether it had its effect cannot be known from here.
    const spent = approval.attempts >= EXECUTION_ATTEMPTS_MAX;
    if (spent) await recordFailure(services, approval, 'internal_error');
    else await executeApproval(services, approval);
  }
  return due.length;
}
