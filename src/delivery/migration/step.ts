import type { MigrationProject, Prisma } from '../../generated/prisma/client.js';
import type { Transaction } from '../../graph/ctx.js';
import type { Sealable } from '../../kernel/canonical.js';
import { fail } from '../../kernel/errors/fail.js';
import { newId } from '../../kernel/ids.js';
import { type AuditingScope, audit } from '../../records/audit-trail.js';
import type { MigrationNote } from './notes.js';

/**
 * The migration, locked until the transaction ends: its steps happen one after the other.
 * @throws not_found, also for one of another tenant
 */
export async function lockProject(
  tx: Transaction,
  tenantId: string,
  id: string,
): Promise<MigrationProject> {
  await tx.$queryRaw`SELECT 1 FROM migration_project
    WHERE id = ${id}::uuid AND tenant_id = ${tenantId}::uuid FOR UPDATE`;
  const project = await tx.migrationProject.findFirst({ where: { id, tenantId } });
  return project ?? failNotFound(id);
}

/** @throws not_found */
export function failNotFound(id: string): never {
  fail('not_found', { values: { subject: 'migration project', id }, param: 'id' });
}

/** A change of a migration, with what its history says about it. */
export interface Step {
  /** The migration as it was; undefined when the step creates it. */
  readonly before: MigrationProject;
  readonly data: Prisma.MigrationProjectUncheckedUpdateInput;
  readonly note: MigrationNote;
  readonly body: Sealable;
}

/** Changes a locked migration and tells its history; the audit event is the caller's. */
export async function writeStep(tx: Transaction, step: Step): Promise<MigrationProject> {
  const { id, tenantId } = step.before;
  const after = await tx.migrationProject.update({
    where: { id, tenantId },
    data: { ...step.data, updatedAt: new Date() },
  });
  await writeNote(tx, after, step.note, step.body);
  return after;
}

/** Appends to the history of a migration. */
export async function writeNote(
  tx: Transaction,
  { id, tenantId }: MigrationProject,
  value: MigrationNote,
  body: Sealable,
): Promise<void> {
  await tx.journalEntry.create({
    data: {
      id: newId('JournalEntry'),
      tenantId,
      kind: 'migration_project',
      value,
      subject: id,
      body: body as Prisma.InputJsonValue,
    },
  });
}

/** Records a mutation of a migration, also one that only notes a call. */
export function auditStep(
  scope: AuditingScope,
  tx: Transaction,
  action: string,
  before: MigrationProject | undefined,
  after: MigrationProject,
): Promise<void> {
  return audit(scope, tx, {
    action,
    subject: 'MigrationProject',
    subjectId: after.id,
    before: before && snapshot(before),
    after: snapshot(after),
  });
}

/** What the hashes of the audit trail cover. */
export function snapshot(project: MigrationProject): Sealable {
  const { migrationKey, status, receiptId, approvalId, updatedAt } = project;
  return {
    migration_key: migrationKey,
    status,
    receipt_id: receiptId,
    approval_id: approvalId,
    scan: project.scan as Sealable,
    cutover: project.cutover as Sealable,
    rollback_plan: project.rollbackPlan as Sealable,
    updated_at: updatedAt.toISOString(),
  };
}
