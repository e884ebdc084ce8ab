import type { Approval, MigrationProject } from '../../generated/prisma/client.js';
import type { Transaction } from '../../graph/ctx.js';
import { next } from '../../kernel/lifecycle.js';
import { type ApprovalRun, defineApprovalKind } from '../../records/approvals/kinds.js';
import { audit } from '../../records/audit-trail.js';
import { inTransaction } from '../../records/scope.js';
import type { Acknowledgement } from './acknowledgement.rules.js';
import { type ChecklistItem, checklistOf, decideCutover } from './cutover.rules.js';
import { sealCutover } from './cutover-receipt.js';
import { readFacts } from './facts.js';
import { MIGRATION_LIFECYCLE } from './lifecycle.js';
import { stored } from './projects.js';
import { lockProject, snapshot, writeNote, writeStep } from './step.js';
import type { CutoverOutcome, Status } from './vocabulary.js';

/** A request to cut over as a migration keeps it. */
export interface Cutover {
  readonly decision: CutoverOutcome;
  /** The rule of the decision table that decided. */
  readonly rule: string;
  readonly reason: string;
  readonly checklist: readonly ChecklistItem[];
  /** Absent on cutovers that were asked for before acknowledgements were kept. */
  readonly acknowledgements: readonly Acknowledgement[];
  /** The conditions of the comparison that nobody has acknowledged. */
  readonly open_conditions: readonly string[];
  /** The sealed receipt of the cutover; null until it has happened. */
  readonly receipt_id: string | null;
  readonly receipt_sha256: string | null;
  readonly approval_id: string | null;
  readonly decided_at: string;
}

/** The acknowledgements that a cutover in the queue is shown with. */
export function acknowledgedIn({ shown }: Pick<Approval, 'shown'>): readonly Acknowledgement[] {
  const { acknowledgements } = shown as { acknowledgements?: readonly Acknowledgement[] };
  return acknowledgements ?? [];
}

/** Cutovers in the approval queue. */
export const CUTOVER_KIND = defineApprovalKind({
  kind: 'migration_cutover',
  onDecided: noteRefusal,
  execute: executeCutover,
});

/** The migration remembers that its cutover was rejected, or that nobody decided. */
async function noteRefusal(tx: Transaction, approval: Approval): Promise<void> {
  const { id: approvalId, tenantId, subjectId, status } = approval;
  if (status !== 'rejected' && status !== 'expired') return;
  const before = await lockProject(tx, tenantId, subjectId);
  if (before.approvalId !== approvalId) return;
  const reason = status === 'rejected' ? (approval.reason ?? 'no reason was given') : 'no decision';
  await writeStep(tx, {
    before,
    data: { approvalId: null, cutover: ended(before, status, reason) },
    note: status === 'rejected' ? 'cutover_rejected' : 'cutover_expired',
    body: { approval_id: approvalId, reason },
  });
}

/**
 * Carries out an approved cutover when everything is as it was shown. A second attempt finds the
 * migration cut over by this approval, and changes nothing.
 */
async function executeCutover({ approval, services, who }: ApprovalRun): Promise<void> {
  await inTransaction({ services, who }, {}, async (tx) => {
    const before = await lockProject(tx, who.tenantId, approval.subjectId);
    if (before.approvalId !== approval.id) {
      const reason = 'the migration went on to another comparison, or was rolled back';
      return writeNote(tx, before, 'cutover_not_executed', { approval_id: approval.id, reason });
    }
    if (before.status === 'cut_over') return;
    const facts = await readFacts(tx, before);
    const checklist = checklistOf(before.id, facts);
    const acknowledgements = acknowledgedIn(approval);
    const acknowledged = acknowledgements.map(({ code }) => code);
    const question = { ...facts, checklist, needsApproval: false, acknowledged };
    const decided = decideCutover(question);
    if (decided.outcome !== 'cut_over') {
      await writeStep(tx, {
        before,
        data: { approvalId: null, cutover: ended(before, 'not_executed', decided.reason) },
        note: 'cutover_not_executed',
        body: { approval_id: approval.id, reason: decided.reason },
      });
      return;
    }
    const actor = { kind: 'user', id: approval.decidedBy ?? '', tenantId: who.tenantId } as const;
    const findings = { facts, checklist, acknowledgements, approvalId: approval.id, actor };
    const sealed = await sealCutover({ services, who }, tx, before, findings);
    const after = await writeStep(tx, {
      before,
      data: {
        status: next(MIGRATION_LIFECYCLE, before.status as Status, 'cut_over'),
        cutover: stored({
          decision: 'cut_over',
          rule: decided.guard,
          reason: 'every item is done, and the cutover was approved',
          checklist,
          acknowledgements,
          open_conditions: [],
          ...sealed,
          approval_id: approval.id,
          decided_at: new Date().toISOString(),
        } satisfies Cutover),
      },
      note: 'cut_over',
      body: { approval_id: approval.id },
    });
    await audit({ requestId: approval.id }, tx, {
      action: 'migrationCutoverExecute',
      subject: 'MigrationProject',
      subjectId: after.id,
      before: snapshot(before),
      after: snapshot(after),
      actor,
    });
  });
}

function ended(project: MigrationProject, decision: CutoverOutcome, reason: string) {
  const cutover = project.cutover as unknown as Cutover;
  return stored({ ...cutover, decision, reason, decided_at: new Date().toISOString() });
}
