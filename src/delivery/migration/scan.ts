import type { ProviderMigration } from '../../generated/prisma/client.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { fault } from '../../kernel/errors/faults.js';
import { next } from '../../kernel/lifecycle.js';
import { stored } from './columns.js';
import { MIGRATION_LIFECYCLE } from './lifecycle.js';
import { getProject } from './projects.js';
import { permittedModels } from './route.js';
import { knownGaps, scoreOf, supportOf } from './scan.rules.js';
import { takeStep } from './step.js';
import { SCAN_FIELDS } from './tables.js';
import { CAPABILITIES, SOURCE_PROVIDERS, STATUSES, type UsedCapability } from './vocabulary.js';

/**
 * Looks up the documented gaps of the capabilities that a client uses, together with what the
 * models that the policy of the project allows can do. Nothing is probed.
 * @throws invalid_request, not_found, lifecycle_refused after the cutover
 */
export async function scanProject(
  ctx: AuthorizedCtx,
  id: string,
  usedCapabilities: readonly UsedCapability[],
): Promise<ProviderMigration> {
  requireSome(usedCapabilities);
  const { projectId } = await getProject(ctx, id);
  const models = await permittedModels(ctx, projectId);
  return takeStep(ctx, 'providerMigrationScan', id, async (_tx, before) => {
    const status = next(MIGRATION_LIFECYCLE, STATUSES.parse(before.status), 'scan');
    const source = SOURCE_PROVIDERS.parse(before.sourceProvider);
    const gaps = knownGaps(source, usedCapabilities, (each) => supportOf(models, each));
    const score = scoreOf(gaps);
    const scan = { usedCapabilities, score, knownGaps: gaps, scannedAt: sharedNow() };
    return {
      // A cutover that waits was asked for by another scan.
      data: { status, scan: stored(SCAN_FIELDS, scan), approvalId: null },
      note: 'scanned',
      body: { score, known_gaps: gaps.map(({ code }) => code) },
    };
  });
}

function requireSome(used: readonly UsedCapability[]): void {
  if (used.length > 0 && new Set(used).size === used.length) return;
  const what = `must name from 1 to ${CAPABILITIES.rows.length} capabilities, each once`;
  failOnFaults([fault('usedCapabilities', 'out_of_range', what)]);
}
