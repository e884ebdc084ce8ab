import type { AuthorizedCtx } from '../../graph/ctx.js';
import { permissionsOf } from '../../graph/permissions.js';
import { accountableMember, requiresFourEyes } from '../../records/approvals/requester.js';
import { latestVersions } from '../../records/contracts.js';
import { databaseOf } from '../../records/scope.js';
import { verbOrigin } from './contract.js';
import { isLoosenedBy } from './loosened.rules.js';
import { TOOL, type ToolVersion, toolVersionOf } from './registry.js';
import { APPROVING, BOUNDS } from './vocabulary.js';

/**
 * Whether the member behind a call has loosened its verb by themselves in an organization where
 * everything needs four eyes: then they do not act by that alone either.
 */
export async function isLoosenedByCaller(
  ctx: AuthorizedCtx,
  tool: ToolVersion,
  verb: string,
): Promise<boolean> {
  if (tool.version === 1 && verbOrigin(verb) === 'published') return false;
  const { tenantId } = ctx.who;
  const rows = databaseOf(ctx);
  if (!(await requiresFourEyes(rows, tenantId))) return false;
  const memberId = await accountableMember(rows, ctx.who);
  if (memberId === null) return false;
  const name = { kind: TOOL, key: tool.contract.toolKey };
  const found = await latestVersions(ctx, name, BOUNDS.versionsReadMax);
  const versions = found.map(toolVersionOf).filter(({ version }) => version <= tool.version);
  const ids = [...new Set(versions.map(({ registeredBy }) => registeredBy))];
  const members = await rows.user.findMany({
    where: { tenantId, id: { in: ids } },
    select: { id: true, role: true },
  });
  const approvers = new Set(
    members.flatMap(({ id, role }) => {
      const rights: ReadonlySet<string> = permissionsOf(role);
      return rights.has(APPROVING) ? [id] : [];
    }),
  );
  const stated = versions.map(({ contract, registeredBy }) => ({
    contract,
    registeredBy,
    byApprover: approvers.has(registeredBy),
  }));
  return isLoosenedBy(stated, { memberId, verb, isWhole: versions.at(-1)?.version === 1 });
}
