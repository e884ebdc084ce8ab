import type { MigrationProject } from '../../generated/prisma/client.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import type { Sealable } from '../../kernel/canonical.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { next } from '../../kernel/lifecycle.js';
import { endApproval } from '../../records/approvals/queue.js';
import { inTransaction } from '../../records/scope.js';
import { MIGRATION_LIFECYCLE } from './lifecycle.js';
import { getProject, stored } from './projects.js';
import { permittedModels } from './route.js';
import { knownGaps, type Scan, scoreOf, supportOf } from './scan.rules.js';
import { auditStep, lockProject, writeStep } from './step.js';
import {
  CAPABILITIES,
  type SourceProvider,
  type Status,
  type UsedCapability,
} from './vocabulary.js';

/** A scan with the migration as it is after it. */
export interface Scanned extends Scan {
  readonly project: MigrationProject;
}

/**
 * Looks up the documented gaps of the capabilities that a client uses, together with what the
 * models that the policy of the project allows can do. Nothing is probed.
 * @throws invalid_request, not_found, lifecycle_refused after the cutover
 */
export async function scanProject(
  ctx: AuthorizedCtx,
  id: string,
  usedCapabilities: readonly UsedCapability[],
): Promise<Scanned> {
  requireSome(usedCapabilities);
  const { projectId } = await getProject(ctx, id);
  const models = await permittedModels(ctx, projectId);
  const { before, scanned } = await inTransaction(ctx, {}, async (tx) => {
    const before = await lockProject(tx, ctx.who.tenantId, id);
    const status = next(MIGRATION_LIFECYCLE, before.status as Status, 'scan');
    const used = usedCapabilities;
    const gaps = knownGaps(before.sourceProvider as SourceProvider, used, (capability) =>
      supportOf(models, capability),
    );
    const scan: Scan = {
      used_capabilities: used,
      score: scoreOf(gaps),
      known_gaps: gaps,
      scanned_at: new Date().toISOString(),
    };
    const project = await writeStep(tx, {
      before,
      // A cutover that waits was asked for by another scan.
      data: { status, scan: stored(scan), approvalId: null },
      note: 'scanned',
      body: { score: scan.score, known_gaps: gaps.map(({ code }) => code) } satisfies Sealable,
    });
    await auditStep(ctx, tx, 'migrationProjectScan', before, project);
    return { before, scanned: { ...scan, project } };
  });
  if (before.approvalId) await endApproval(ctx, before.approvalId);
  return scanned;
}

function requireSome(used: readonly UsedCapability[]): void {
  const max = CAPABILITIES.length;
  if (used.length > 0 && new Set(used).size === used.length) return;
  const path = 'used_capabilities';
  const message = `${path} must name from 1 to ${max} capabilities, each once.`;
  failOnFaults([{ path, code: 'out_of_range', message }]);
}
