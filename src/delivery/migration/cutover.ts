import type { Approval, MigrationProject } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { next } from '../../kernel/lifecycle.js';
import { requestApproval } from '../../records/approvals/queue.js';
import { inTransaction } from '../../records/scope.js';
import {
  type AcknowledgementWish,
  acknowledgementFaults,
  acknowledgementsOf,
} from './acknowledgement.rules.js';
import {
  type CutoverQuestion,
  checklistOf,
  decideCutover,
  openConditions,
} from './cutover.rules.js';
import { acknowledgedIn, CUTOVER_KIND, type Cutover } from './cutover-approval.js';
import { sealCutover } from './cutover-receipt.js';
import { readFacts } from './facts.js';
import { MIGRATION_LIFECYCLE } from './lifecycle.js';
import { rollbackFaults } from './project.rules.js';
import { stored } from './projects.js';
import type { StoredComparison } from './receipt.js';
import { completedPlan, type RollbackPlan, type RollbackWish } from './rollback.rules.js';
import { auditStep, lockProject, writeStep } from './step.js';
import { APPROVAL_WAIT_SECONDS, type CutoverOutcome, type Status } from './vocabulary.js';

/** A request to cut over with the migration as it is after it. */
export interface CutoverAnswer extends Cutover {
  readonly project: MigrationProject;
}

/** What a cutover is asked for with. */
export interface CutoverWish {
  /** Completes the plan of the way back. */
  readonly rollback: RollbackWish;
  /** The conditions of the comparison that the calling member accepts. */
  readonly acknowledgements: readonly AcknowledgementWish[];
}

/** The note of each outcome that a request can have. */
const NOTES = {
  blocked: 'cutover_blocked',
  pending_approval: 'cutover_requested',
  cut_over: 'cut_over',
} as const;

/**
 * Cuts over when every item of the checklist is done and a member has acknowledged every condition
 * of the comparison, or puts it into the approval queue where the migration asks for that. What
 * blocks it is an answer, not an error.
 * @throws invalid_request, acknowledgement_needs_member, not_found, lifecycle_refused when it was
 * cut over before
 */
export function cutOverProject(
  ctx: AuthorizedCtx,
  id: string,
  { rollback, acknowledgements: wishes }: CutoverWish,
): Promise<CutoverAnswer> {
  failOnFaults([...rollbackFaults(rollback), ...acknowledgementFaults(wishes)]);
  if (wishes.length > 0 && ctx.who.kind !== 'user') fail('acknowledgement_needs_member');
  return inTransaction(ctx, {}, async (tx) => {
    const found = await lockProject(tx, ctx.who.tenantId, id);
    if (found.status === 'cut_over') next(MIGRATION_LIFECYCLE, found.status, 'cut_over');
    const plan = completedPlan(found.rollbackPlan as unknown as RollbackPlan, rollback);
    const before = { ...found, rollbackPlan: stored(plan) as MigrationProject['rollbackPlan'] };
    const pending = await pendingApproval(tx, before);
    const facts = await readFacts(tx, before);
    const acknowledgements = pending
      ? acknowledgedIn(pending)
      : acknowledgementsOf(wishes, facts.conditions, ctx.who.id);
    const checklist = checklistOf(id, facts);
    const question: CutoverQuestion = {
      ...facts,
      checklist,
      needsApproval: before.requiresApproval,
      acknowledged: acknowledgements.map(({ code }) => code),
    };
    const decided = decideCutover(question);
    const approvalId =
      decided.outcome === 'pending_approval'
        ? (pending?.id ?? (await requestCutover(ctx, tx, before, { checklist, acknowledgements })))
        : null;
    const findings = { facts, checklist, acknowledgements, approvalId, actor: ctx.who };
    const sealed =
      decided.outcome === 'cut_over' ? await sealCutover(ctx, tx, before, findings) : undefined;
    const cutover: Cutover = {
      decision: decided.outcome,
      rule: decided.guard,
      reason: decided.reason,
      checklist,
      acknowledgements,
      open_conditions: openConditions(question),
      receipt_id: sealed?.receipt_id ?? null,
      receipt_sha256: sealed?.receipt_sha256 ?? null,
      approval_id: approvalId,
      decided_at: new Date().toISOString(),
    };
    const project = await write(tx, found, cutover, plan);
    await auditStep(ctx, tx, 'migrationProjectCutOver', found, project);
    return { ...cutover, project };
  });
}

function write(tx: Transaction, before: MigrationProject, cutover: Cutover, plan: RollbackPlan) {
  const { decision, approval_id: approvalId, rule, reason } = cutover;
  const done = decision === 'cut_over';
  const status = done
    ? next(MIGRATION_LIFECYCLE, before.status as Status, 'cut_over')
    : before.status;
  return writeStep(tx, {
    before,
    data: {
      status,
      cutover: stored(cutover),
      approvalId: approvalId ?? before.approvalId,
      rollbackPlan: stored(plan),
    },
    note: noteOf(decision),
    body: { decision, rule, reason, approval_id: approvalId },
  });
}

function noteOf(outcome: CutoverOutcome) {
  return outcome === 'cut_over' || outcome === 'pending_approval' ? NOTES[outcome] : NOTES.blocked;
}

/** The approval that waits for this very comparison; null where none does. */
function pendingApproval(
  tx: Transaction,
  { approvalId, tenantId }: MigrationProject,
): Promise<Approval | null> {
  if (approvalId === null) return Promise.resolve(null);
  return tx.approval.findFirst({ where: { id: approvalId, tenantId, status: 'pending' } });
}

async function requestCutover(
  ctx: AuthorizedCtx,
  tx: Transaction,
  project: MigrationProject,
  { checklist, acknowledgements }: Pick<Cutover, 'checklist' | 'acknowledgements'>,
): Promise<string> {
  const { id, migrationKey, receiptId } = project;
  const comparison = project.comparison as unknown as StoredComparison;
  const requested = await requestApproval(
    ctx,
    {
      kind: CUTOVER_KIND.kind,
      subjectId: id,
      summary: `Cut the migration ${migrationKey} over to the gateway.`,
      shown: {
        migration_key: migrationKey,
        receipt_id: receiptId,
        receipt_sha256: comparison.sha256,
        cutover_decision: comparison.content.cutover_decision,
        acknowledgements: acknowledgements.map((each) => ({ ...each })),
        checklist: checklist.map((item) => ({ ...item })),
        rollback_plan: { ...(project.rollbackPlan as unknown as PlanJson) },
      },
      expiresInSeconds: APPROVAL_WAIT_SECONDS,
    },
    { tx },
  );
  return requested.id;
}

type PlanJson = { readonly [name in keyof RollbackPlan]: RollbackPlan[name] };
