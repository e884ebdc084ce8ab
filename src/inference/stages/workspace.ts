import { WORKSPACE_BOUNDS } from '../../access/workspaces/vocabulary.js';
import { blockedBecause, isApproved, statedUser } from '../../access/workspaces/workspace.rules.js';
import type {
  Blocked,
  UserBudget,
  WorkspaceInForce,
} from '../../access/workspaces/workspace-memory.js';
import type { Registry } from '../../catalog/providers/model.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { fail, failOnFaults, GatewayError } from '../../kernel/errors/fail.js';
import { isUuid } from '../../kernel/ids.js';
import type { InferenceRequest } from '../request.js';
import type { UsedWorkspace } from '../used-workspace.js';
import type { Inspected } from './firewall-in.js';

/**
 * The workspace that the header or the metadata of a request names.
 * @returns undefined where they name none: nothing is asked then
 * @throws workspace_not_found, workspace_user_required, workspace_users_full, invalid_request
 */
export function workspaceOf(
  ctx: AuthorizedCtx,
  request: InferenceRequest,
): UsedWorkspace | undefined | Promise<UsedWorkspace> {
  const stated = request.metadata.rest.workspace_id;
  const header = ctx.transport.workspace;
  if (header === undefined && stated == null) return undefined;
  return named(ctx, request, header, stated);
}

async function named(
  ctx: AuthorizedCtx,
  request: InferenceRequest,
  header: string | undefined,
  stated: unknown,
): Promise<UsedWorkspace> {
  const path = 'metadata.workspace_id';
  if (header !== undefined && stated != null && stated !== header) {
    const message = `${path} must name the workspace of the header x-gw-workspace.`;
    failOnFaults([{ path, code: 'invalid', message }]);
  }
  const id = header ?? stated;
  const { who, services } = ctx;
  const workspace =
    typeof id === 'string' && isUuid(id)
      ? await services.workspaces.find(who.tenantId, id.toLowerCase())
      : undefined;
  if (!workspace) return fail('workspace_not_found', { values: { id: shownId(id) } });
  const { user_id: userId, department: stating } = request.metadata.rest;
  const memberId = who.kind === 'user' ? who.id : undefined;
  const { user, department, faults } = statedUser({ memberId, userId, department: stating });
  failOnFaults(faults);
  return { workspace, user, department, budget: await budgetOf(ctx, workspace, user) };
}

const SHOWN_MAX = 64;

function shownId(id: unknown): string {
  return typeof id === 'string' ? id.slice(0, SHOWN_MAX) : typeof id;
}

async function budgetOf(
  { services }: AuthorizedCtx,
  workspace: WorkspaceInForce,
  user: string | undefined,
): Promise<UserBudget | undefined> {
  if (!workspace.hasUserBudgets) return undefined;
  const values = { workspace: workspace.name };
  if (user === undefined) {
    return fail('workspace_user_required', { values, param: 'metadata.user_id' });
  }
  const budget = await services.workspaces.budgetOf(workspace, user);
  return (
    budget ??
    fail('workspace_users_full', { values: { ...values, count: WORKSPACE_BOUNDS.usersMax } })
  );
}

/**
 * Refuses what the policy of the workspace does not allow.
 * @param inspected undefined before the data was looked at
 * @throws workspace_policy_blocked
 */
export function requireApproved(
  { workspace, department }: UsedWorkspace,
  { operation, needs }: InferenceRequest,
  inspected?: Inspected,
): void {
  const dataClass = inspected?.dataClass;
  const reason = blockedBecause(workspace, { operation, needs, department, dataClass });
  if (reason === undefined) return;
  fail('workspace_policy_blocked', { values: { workspace: workspace.name, reason } });
}

interface Approved {
  readonly version: number;
  readonly models: ReadonlySet<string>;
}

// A workspace outlives many requests; what follows from it and the catalogue is made once.
const approved = new WeakMap<WorkspaceInForce, Approved>();

/** The models that the routes of a workspace take. */
export function approvedModels(
  workspace: WorkspaceInForce,
  registry: Registry,
): ReadonlySet<string> {
  const known = approved.get(workspace);
  if (known?.version === registry.version) return known.models;
  const taken = [...registry.models.values()].filter((model) =>
    isApproved(workspace.approvedRoutes, model),
  );
  const models = new Set(taken.map(({ id }) => id));
  approved.set(workspace, { version: registry.version, models });
  return models;
}

/** Refusals that are the policy of the workspace at work. */
const BLOCKS: ReadonlySet<string> = new Set(['workspace_policy_blocked', 'model_not_allowed']);

/** Records a refusal of the policy; a request that is refused stays refused where that fails. */
export async function recordBlock(
  { services, requestId }: AuthorizedCtx,
  used: UsedWorkspace,
  thrown: unknown,
): Promise<void> {
  if (!(thrown instanceof GatewayError) || !BLOCKS.has(thrown.code)) return;
  const { workspace, user, department } = used;
  const blocked: Blocked = { workspace, user, department, reason: thrown.code };
  try {
    await services.workspaces.recordBlock(blocked);
  } catch (error) {
    services.log.warn({ err: error, requestId }, 'a block of a workspace was not recorded');
  }
}
