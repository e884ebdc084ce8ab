import type { MigrationProject } from '../../generated/prisma/client.js';
import type { Transaction } from '../../graph/ctx.js';
import type { Sealable } from '../../kernel/canonical.js';
import { seal } from '../../records/receipts.js';
import type { TenantScope } from '../../records/scope.js';
import type { Acknowledgement } from './acknowledgement.rules.js';
import type { ChecklistItem, CutoverFacts } from './cutover.rules.js';
import type { StoredComparison } from './receipt.js';

/** What a sealed cutover is made from. */
export interface CutoverFindings {
  readonly facts: CutoverFacts;
  readonly checklist: readonly ChecklistItem[];
  readonly acknowledgements: readonly Acknowledgement[];
  readonly approvalId: string | null;
  /** Who cut over: who asked for it, or the member who approved it. */
  readonly actor: { readonly kind: string; readonly id: string };
}

/** A sealed cutover. */
export interface SealedCutover {
  readonly receipt_id: string;
  /** Of the sealed content, in hexadecimal. */
  readonly receipt_sha256: string;
}

/**
 * Seals a cutover that happens, with the comparison that it rests on and every condition that a
 * member has acknowledged. A comparison is cut over once, so its number is the key.
 */
export async function sealCutover(
  scope: TenantScope,
  tx: Transaction,
  project: MigrationProject,
  findings: CutoverFindings,
): Promise<SealedCutover> {
  const { facts, checklist, acknowledgements, approvalId, actor } = findings;
  const comparison = project.comparison as unknown as StoredComparison;
  const content: Sealable = {
    migration_id: project.id,
    migration_key: project.migrationKey,
    comparison_receipt_id: project.receiptId,
    comparison_sha256: comparison.sha256,
    comparison_decision: comparison.content.cutover_decision,
    conditions: [...facts.conditions],
    acknowledgements: acknowledgements.map((each) => ({ ...each })),
    checklist: checklist.map((item) => ({ ...item })),
    rollback_plan: { ...facts.rollbackPlan } as unknown as Sealable,
    approval_id: approvalId,
    cut_over_by: { kind: actor.kind, id: actor.id },
  };
  const key = `${project.id}:${comparison.content.number}`;
  const { receipt } = await seal(scope, 'migration_cutover', key, content, { tx });
  const receipt_sha256 = Buffer.from(receipt.sha256).toString('hex');
  return { receipt_id: receipt.id, receipt_sha256 };
}
