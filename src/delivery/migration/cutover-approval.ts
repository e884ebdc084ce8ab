import type { Approval, ProviderMigration } from '../../generated/prisma/client.js';
import type { Transaction } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import { code, list, object, sha256, text, uuid } from '../../kernel/fields/field.js';
import { openedContent, type SealedContent } from '../../kernel/fields/sealed.js';
import { next } from '../../kernel/lifecycle.js';
import type { CodeOf } from '../../kernel/vocabulary.js';
import { type ApprovalRun, defineApprovalKind } from '../../records/approvals/kinds.js';
import { audit } from '../../records/audit-trail.js';
import { lockOwn } from '../../records/own.js';
import { inTransaction, type TenantScope } from '../../records/scope.js';
import { createAliasesOf, lockAliasesOf } from './aliases.js';
import { cutoverOf, stored } from './columns.js';
import { checklistOf, decideCutover } from './cutover.rules.js';
import { type MigrationFacts, readFactsOf } from './facts.js';
import { MIGRATION_LIFECYCLE } from './lifecycle.js';
import { CUTOVERS } from './receipts.js';
import { snapshot, writeNote, writeStep } from './step.js';
import {
  type Acknowledgement,
  type ChecklistItem,
  CUTOVER_FIELDS,
  type Cutover,
  type CutoverAlias,
  GROUNDS_FIELDS,
  MIGRATION_ALIAS,
  ROLLBACK_PLAN,
} from './tables.js';
import { type ACTORS, CUTOVER_DECISIONS, STATUSES } from './vocabulary.js';

/** What an approver is shown of a cutover. */
export const SHOWN_FIELDS = {
  migrationKey: text('The migration, by its id.'),
  receiptId: uuid('The sealed comparison.'),
  receiptSha256: sha256('SHA-256 of what it says.'),
  cutoverDecision: code(CUTOVER_DECISIONS, 'What it says about the cutover.'),
  ...GROUNDS_FIELDS,
  rollbackPlan: object(ROLLBACK_PLAN, 'The way back to the old provider.'),
  aliases: list(object(MIGRATION_ALIAS, 'An alias.'), 'The aliases that are to be created.'),
} as const;

/** The acknowledgements that a cutover in the queue is shown with. */
export function acknowledgedIn({ shown }: Pick<Approval, 'shown'>): readonly Acknowledgement[] {
  return openedContent(SHOWN_FIELDS, shown as SealedContent).acknowledgements ?? [];
}

/** Cutovers in the approval queue. */
export const CUTOVER_KIND = defineApprovalKind({
  kind: 'migration_cutover',
  onDecided: noteRefusal,
  execute: executeCutover,
});

/** What speaks for a cutover. */
export interface CutoverGrounds {
  readonly facts: MigrationFacts;
  readonly checklist: readonly ChecklistItem[];
  readonly acknowledgements: readonly Acknowledgement[];
}

interface CutoverFindings extends CutoverGrounds {
  readonly aliases: readonly CutoverAlias[];
  readonly approvalId: string | null;
  readonly cutOverBy: { readonly kind: CodeOf<typeof ACTORS>; readonly id: string };
}

/**
 * Seals a cutover that happens, with the comparison that it rests on and every condition that a
 * member has acknowledged.
 */
export async function sealCutover(
  scope: TenantScope,
  tx: Transaction,
  { id: migrationId, migrationKey }: ProviderMigration,
  { facts, ...found }: CutoverFindings,
): Promise<Pick<Cutover, 'receiptId' | 'receiptSha256'>> {
  const { comparison, conditions, rollbackPlan } = facts;
  if (!comparison) throw new TypeError('a cutover rests on a comparison');
  const { cutoverDecision: comparisonDecision, number } = comparison.content;
  const content = {
    migrationId,
    migrationKey,
    comparisonReceiptId: comparison.id,
    comparisonSha256: hexOf(comparison.row.sha256),
    comparisonDecision,
    conditions,
    rollbackPlan,
    ...found,
  };
  const { id, row } = await CUTOVERS.seal(scope, `${migrationId}:${number}`, content, { tx });
  return { receiptId: id, receiptSha256: hexOf(row.sha256) };
}

/** Bytes of a hash as hexadecimal digits. */
export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

/** The migration remembers that its cutover was rejected, or that nobody decided. */
async function noteRefusal(tx: Transaction, approval: Approval, scope: TenantScope): Promise<void> {
  const { id, subjectId, status: decision } = approval;
  if (decision !== 'rejected' && decision !== 'expired') return;
  const before = await lockOwn(scope, tx, 'ProviderMigration', subjectId);
  if (before.approvalId !== id) return;
  const isRejected = decision === 'rejected';
  const reason = isRejected ? (approval.reason ?? 'no reason was given') : 'no decision';
  await writeStep(scope, tx, before, {
    data: { approvalId: null, cutover: ended(before, decision, reason) },
    note: isRejected ? 'cutover_rejected' : 'cutover_expired',
    body: { approval_id: id, reason },
  });
}

/**
 * Carries out an approved cutover when everything is as it was shown. A second attempt finds the
 * migration cut over by this approval, and changes nothing.
 */
async function executeCutover({ approval, services, who }: ApprovalRun): Promise<void> {
  const scope = { services, who };
  const { id: approvalId, subjectId } = approval;
  await inTransaction(scope, {}, async (tx) => {
    const before = await lockOwn(scope, tx, 'ProviderMigration', subjectId);
    if (before.approvalId !== approvalId) {
      const reason = 'the migration went on to another comparison, or was rolled back';
      const body = { approval_id: approvalId, reason };
      return writeNote(scope, tx, subjectId, 'cutover_not_executed', body);
    }
    const from = STATUSES.parse(before.status);
    if (from === 'cut_over') return;
    await lockAliasesOf(scope, tx, before);
    const facts = await readFactsOf(scope, tx, before);
    const checklist = checklistOf(subjectId, facts);
    const acknowledgements = acknowledgedIn(approval);
    const acknowledged = acknowledgements.map(({ code }) => code);
    const question = { ...facts, checklist, needsApproval: false, acknowledged };
    const { outcome, guard: rule, reason } = decideCutover(question);
    if (outcome !== 'cut_over') {
      await writeStep(scope, tx, before, {
        data: { approvalId: null, cutover: ended(before, 'not_executed', reason) },
        note: 'cutover_not_executed',
        body: { approval_id: approvalId, reason },
      });
      return;
    }
    const cutOverBy = { kind: 'user', id: approval.decidedBy ?? '' } as const;
    const author = { services, who: { ...who, id: cutOverBy.id } };
    const aliases = await createAliasesOf(author, tx, before);
    const grounds = { facts, checklist, acknowledgements, aliases, approvalId };
    const cutover: Cutover = {
      decision: outcome,
      rule,
      reason: 'every item is done, and the cutover was approved',
      checklist,
      acknowledgements,
      openConditions: [],
      aliases,
      ...(await sealCutover(scope, tx, before, { ...grounds, cutOverBy })),
      approvalId,
      decidedAt: sharedNow(),
    };
    const status = next(MIGRATION_LIFECYCLE, from, 'cut_over');
    const after = await writeStep(scope, tx, before, {
      data: { status, cutover: stored(CUTOVER_FIELDS, cutover) },
      note: 'cut_over',
      body: { approval_id: approvalId },
    });
    await audit({ requestId: approvalId }, tx, {
      action: 'migrationCutoverExecute',
      subject: 'ProviderMigration',
      subjectId,
      before: snapshot(before),
      after: snapshot(after),
      actor: { ...cutOverBy, tenantId: who.tenantId },
    });
  });
  services.modelAliases.forget(who.tenantId);
}

function ended(project: ProviderMigration, decision: Cutover['decision'], reason: string) {
  const cutover = cutoverOf(project);
  if (!cutover) throw new TypeError('a cutover that ended was asked for');
  return stored(CUTOVER_FIELDS, { ...cutover, decision, reason, decidedAt: sharedNow() });
}
