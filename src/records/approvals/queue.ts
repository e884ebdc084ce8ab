import { createHash } from 'node:crypto';
import type { Approval, Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Principal, Services, Transaction } from '../../graph/ctx.js';
import { canonicalJson, type Sealable } from '../../kernel/canonical.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { fits } from '../../kernel/errors/faults.js';
import { newId } from '../../kernel/ids.js';
import { next } from '../../kernel/lifecycle.js';
import { named } from '../../platform/database/pool.js';
import { isErased } from '../../platform/database/sealed-columns.js';
import { audit } from '../audit-trail.js';
import { databaseNow } from '../clock.js';
import { lockOwn, requireOwn } from '../own.js';
import { databaseOf, inTransaction, type TenantScope, type WriteOptions } from '../scope.js';
import { publishApproval } from './events.js';
import { executeApproval, LEASE_MS } from './execution.js';
import { accountableMember, requiresFourEyes } from './requester.js';
import { APPROVAL_LIFECYCLE, decidingRoles, decisionRight, reasonFaults } from './rules.js';
import { APPROVAL_REASON, type ApprovalDecision, type ApprovalKindCode } from './vocabulary.js';

/** What waits for a decision. */
export interface NewApproval {
  /** A kind that a module has defined. */
  readonly kind: ApprovalKindCode;
  readonly subjectId: string;
  /** One line for the queue. */
  readonly summary: string;
  /** What the decider gets to see, complete; the decision is bound to its hash. */
  readonly shown: Sealable;
  /** How long it may wait, by the database's clock. */
  readonly expiresInSeconds: number;
}

/** Whose queue an operation works on, and which kinds of approval it knows. */
type QueueScope = TenantScope & { readonly services: Pick<Services, 'approvalKinds' | 'config'> };

/** Who asks, and in whose queue: a request, or work in the name of a member or key. */
export type AskingScope = QueueScope & {
  readonly who: Pick<Principal, 'kind' | 'id' | 'tenantId'>;
};

/** Puts something in the queue. @throws TypeError for a kind that no module has defined */
export function requestApproval(
  ctx: AskingScope,
  { kind, subjectId, summary, shown, expiresInSeconds }: NewApproval,
  options: WriteOptions = {},
): Promise<Approval> {
  ctx.services.approvalKinds.named(kind);
  const shownHash = hashShown(shown);
  return inTransaction(ctx, options, async (tx) => {
    const expiresAt = new Date((await databaseNow(tx)).getTime() + expiresInSeconds * 1_000);
    const approval = await tx.approval.create({
      data: {
        id: newId('Approval'),
        tenantId: ctx.who.tenantId,
        kind,
        subjectId,
        summary,
        shown: shown as Prisma.InputJsonValue,
        shownHash,
        requestedBy: ctx.who.id,
        accountableId: await accountableMember(tx, ctx.who),
        fourEyes: await requiresFourEyes(tx, ctx.who.tenantId),
        expiresAt,
      },
    });
    await publishApproval(tx, 'requested', approval);
    return approval;
  });
}

/** The tenant's approval with this id. @throws not_found */
export function approvalById(
  scope: TenantScope,
  id: string,
  options: WriteOptions = {},
): Promise<Approval> {
  return requireOwn(scope, 'Approval', id, options);
}

/** Whether an approval still waits for its decision. */
export async function waitsForDecision(scope: TenantScope, id: string): Promise<boolean> {
  const where = { id, tenantId: scope.who.tenantId, status: 'pending' };
  return (await databaseOf(scope).approval.count({ where })) > 0;
}

/** A decision with what it rests on. */
export interface DecisionInput {
  readonly decision: ApprovalDecision;
  readonly reason?: string;
  /** sha256 of what the decider saw, in hexadecimal; another than the recorded one is refused. */
  readonly shownHash?: string;
}

/**
 * Decides exactly once. An approved action is then executed; its first attempt is awaited, so the
 * answer says how it went. A failed one stays in the queue and is tried again by the sweep.
 * @throws not_found, permission_denied, approval_already_decided (also when it has expired),
 * approval_self_forbidden, invalid_request when something else was shown, or for a reason that
 * cannot be kept
 */
export async function decideApproval(
  ctx: AuthorizedCtx,
  id: string,
  input: DecisionInput,
): Promise<Approval> {
  failOnFaults(reasonFaults('reason', input.reason ?? '', APPROVAL_REASON));
  const approval = await inTransaction(ctx, {}, (tx) => decideLocked(ctx, tx, id, input));
  // The expiry is committed before the refusal, which would have undone it.
  if (approval.status === 'expired') failDecided(approval);
  if (approval.execution !== 'waiting') return approval;
  return executeApproval(ctx.services, approval);
}

async function decideLocked(
  ctx: AuthorizedCtx,
  tx: Transaction,
  id: string,
  input: DecisionInput,
): Promise<Approval> {
  const approval = await lockOwn(ctx, tx, 'Approval', id);
  const right = (await rightOf(ctx, tx, approval)).outcome;
  if (right === 'not_a_decider') failPermission(ctx);
  if (isRepeated(ctx, approval, input)) return approval;
  if (approval.status !== 'pending') failDecided(approval);
  const now = await databaseNow(tx);
  if (approval.expiresAt <= now) return expireLocked(ctx, tx, approval, now);
  if (right === 'self_forbidden') fail('approval_self_forbidden');
  if (input.decision === 'approve') requireShown(approval, input.shownHash);
  return record(ctx, tx, approval, {
    ...input,
    now,
    selfApproved: right === 'self_decided' && input.decision === 'approve',
  });
}

/** An approval is decided once: the same decision of the same request is the one that stands. */
function isRepeated({ keyed, who }: AuthorizedCtx, approval: Approval, input: DecisionInput) {
  if (!keyed?.repeated || approval.decidedBy !== who.id) return false;
  return approval.status === next(APPROVAL_LIFECYCLE, 'pending', input.decision);
}

async function rightOf({ who }: AuthorizedCtx, tx: Transaction, approval: Approval) {
  const { tenantId } = who;
  const otherEligibleCount = await tx.user.count({
    where: {
      tenantId,
      status: 'active',
      role: { in: [...decidingRoles()] },
      id: { not: approval.accountableId ?? undefined },
    },
  });
  return decisionRight({
    principalKind: who.kind,
    role: who.role,
    isRequester: who.id === approval.accountableId,
    otherEligibleCount,
    // What waits keeps the setting that it was asked for under: none may be turned off to approve.
    fourEyesAlways: approval.fourEyes || (await requiresFourEyes(tx, tenantId)),
  });
}

interface Recorded extends DecisionInput {
  readonly now: Date;
  readonly selfApproved: boolean;
}

async function record(
  ctx: AuthorizedCtx,
  tx: Transaction,
  before: Approval,
  { decision, reason, now, selfApproved }: Recorded,
): Promise<Approval> {
  const kind = ctx.services.approvalKinds.named(before.kind);
  const status = next(APPROVAL_LIFECYCLE, 'pending', decision);
  const executes = status === 'approved' && kind.execute !== undefined;
  const approval = await tx.approval.update({
    where: { id: before.id },
    data: {
      status,
      reason,
      selfApproved,
      decidedBy: ctx.who.id,
      decidedAt: now,
      execution: executes ? 'waiting' : 'none',
      // The sweep leaves the first attempt to this process for as long as an attempt may take.
      executeAfter: executes ? new Date(now.getTime() + LEASE_MS) : null,
    },
  });
  await kind.onDecided?.(tx, approval, ctx);
  await publishApproval(tx, decision === 'approve' ? 'approved' : 'rejected', approval);
  await audit(ctx, tx, {
    action: decision === 'approve' ? 'approvalApprove' : 'approvalReject',
    subject: 'Approval',
    subjectId: approval.id,
    before: { status: before.status },
    after: { status, selfApproved, reason: reason ?? null },
  });
  return approval;
}

async function expireLocked(
  scope: QueueScope,
  tx: Transaction,
  before: Approval,
  now: Date,
): Promise<Approval> {
  const status = next(APPROVAL_LIFECYCLE, 'pending', 'expire');
  const data = { status, decidedAt: now };
  const approval = await tx.approval.update({ where: { id: before.id }, data });
  await scope.services.approvalKinds.named(before.kind).onDecided?.(tx, approval, scope);
  await publishApproval(tx, 'expired', approval);
  return approval;
}

/**
 * Ends the wait of an approval that nobody needs any more: one that is still pending expires now.
 * @returns the approval as it is then, which a member may have decided first
 */
export function endApproval(scope: QueueScope, id: string): Promise<Approval> {
  return inTransaction(scope, {}, async (tx) => {
    const approval = await lockOwn(scope, tx, 'Approval', id);
    if (approval.status !== 'pending') return approval;
    return expireLocked(scope, tx, approval, await databaseNow(tx));
  });
}

const SWEEP_ROWS = 100;

/** Approvals that nobody decided in time. */
export const EXPIRED_APPROVALS = `FROM approval
  WHERE status = 'pending' AND expires_at <= clock_timestamp()`;
const EXPIRED_SQL = `SELECT id, tenant_id AS "tenantId" ${EXPIRED_APPROVALS}
  ORDER BY expires_at LIMIT ${SWEEP_ROWS}`;

/**
 * Expires what nobody decided in time, at most 100 at once. Any number of nodes may sweep.
 * @returns how many this call has expired
 */
export async function expireApprovals(services: Services): Promise<number> {
  type Due = { readonly id: string; readonly tenantId: string };
  const { rows } = await named<Due>(services.platformPool, 'approvals_expired', EXPIRED_SQL, []);
  let expired = 0;
  for (const { id, tenantId } of rows) {
    try {
      const scope = { services, who: { tenantId } };
      if (await inTransaction(scope, {}, (tx) => expireUnlessTaken(scope, tx, id))) expired += 1;
    } catch (error) {
      // One subject that cannot follow must not keep the others from expiring.
      services.log.error({ err: error, approval: id }, 'an approval could not expire');
    }
  }
  return expired;
}

async function expireUnlessTaken(scope: QueueScope, tx: Transaction, id: string): Promise<boolean> {
  const locked = await tx.$queryRaw<unknown[]>`SELECT 1 FROM approval
    WHERE id = ${id}::uuid AND status = 'pending' FOR UPDATE SKIP LOCKED`;
  const approval = locked.length === 1 ? await tx.approval.findFirst({ where: { id } }) : null;
  if (!approval) return false;
  await expireLocked(scope, tx, approval, await databaseNow(tx));
  return true;
}

function hashShown(shown: Sealable): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(canonicalJson(shown), 'utf8').digest());
}

/** What is decided about is what was shown, neither changed in the store nor another to the eye. */
function requireShown(approval: Approval, claimed: string | undefined): void {
  if (isErased(approval, 'shown')) fail('personal_data_erased', { param: 'id' });
  const recorded = Buffer.from(approval.shownHash);
  if (!recorded.equals(hashShown(approval.shown as Sealable))) {
    throw new Error(`what approval ${approval.id} shows is not what was requested`);
  }
  if (claimed === undefined || claimed.toLowerCase() === recorded.toString('hex')) return;
  failOnFaults(fits('shownHash', false, 'is not the hash of what is shown; read it again'));
}

function failPermission({ who }: AuthorizedCtx): never {
  const principal = `${who.kind === 'user' ? 'Role' : 'Key type'} ${who.role}`;
  fail('permission_denied', { values: { principal, permission: 'approvals.decide' } });
}

function failDecided(approval: Approval): never {
  fail('approval_already_decided', { values: { status: approval.status }, param: 'id' });
}
