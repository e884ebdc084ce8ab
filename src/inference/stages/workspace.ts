import { workspaceWithin } from '../../access/workspaces/boundary.js';
import { isSameId } from '../../access/workspaces/boundary.rules.js';
import { DEPARTMENTS, WORKSPACE_BOUNDS } from '../../access/workspaces/vocabulary.js';
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
 * The workspace that a request is made under: that of its header or metadata, or else that which
 * its key, member or project belongs to. All that name one must name the same.
 * @returns undefined without any: nothing is asked then
 * @throws workspace_boundary, workspace_required, workspace_not_found, workspace_user_required,
 * workspace_users_full, invalid_request
 */
export function workspaceOf(
  ctx: AuthorizedCtx,
  request: InferenceRequest,
): UsedWorkspace | undefined | Promise<UsedWorkspace> {
  return isUnderNone(ctx, request) ? undefined : withBudget(ctx, request);
}

/** @throws workspace_required */
function isUnderNone({ who, transport }: AuthorizedCtx, { metadata }: InferenceRequest): boolean {
  const isNamed = transport.workspace !== undefined || metadata.rest.workspace_id != null;
  if (isNamed || who.workspaces) return false;
  if (who.workspaceRequired) fail('workspace_required');
  return true;
}

async function withBudget(ctx: AuthorizedCtx, request: InferenceRequest): Promise<UsedWorkspace> {
  const used = await named(ctx, request);
  return { ...used, budget: await budgetOf(ctx, used.workspace, used.user) };
}

/**
 * The workspace that a request is made under, and who asks; no budget is made for anybody.
 * @returns undefined where it is made under none
 * @throws workspace_boundary, workspace_required, workspace_not_found, workspace_user_required,
 * invalid_request
 */
export async function workspaceNamed(
  ctx: AuthorizedCtx,
  request: InferenceRequest,
): Promise<Omit<UsedWorkspace, 'budget'> | undefined> {
  return isUnderNone(ctx, request) ? undefined : named(ctx, request);
}

const HEADER = 'header x-gw-workspace';
const MEMBER = 'metadata.workspace_id';

async function named(
  ctx: AuthorizedCtx,
  request: InferenceRequest,
): Promise<Omit<UsedWorkspace, 'budget'>> {
  const stated = request.metadata.rest.workspace_id ?? undefined;
  const header = ctx.transport.workspace;
  if (header !== undefined && stated !== undefined && !isSameId(stated, header)) {
    const message = `${MEMBER} must name the workspace of the header x-gw-workspace.`;
    failOnFaults([{ path: MEMBER, code: 'invalid', message }]);
  }
  const { who } = ctx;
  const id = header ?? stated;
  const isImplied = id === undefined;
  const source = header === undefined ? MEMBER : HEADER;
  const workspace = await workspaceCalled(
    ctx,
    workspaceWithin(who, isImplied ? undefined : { source, id }),
  );
  const { user_id: userId, department: stating } = request.metadata.rest;
  const memberId = who.kind === 'user' ? who.id : undefined;
  const { user, department, faults } = statedUser({ memberId, userId, department: stating });
  failOnFaults(faults);
  if (workspace.hasUserBudgets && user === undefined) {
    const values = { workspace: workspace.name };
    return fail('workspace_user_required', { values, param: 'metadata.user_id' });
  }
  return { workspace, user, department, isImplied };
}

/**
 * The workspace that what a caller reads is narrowed by: that of the header, or its own.
 * @throws workspace_boundary, workspace_not_found
 */
export async function workspaceToRead(ctx: AuthorizedCtx): Promise<WorkspaceInForce | undefined> {
  const { workspace: header } = ctx.transport;
  const stated = header === undefined ? undefined : { source: HEADER, id: header };
  const id = workspaceWithin(ctx.who, stated);
  return id === undefined ? undefined : workspaceCalled(ctx, id);
}

/**
 * The workspace of an id.
 * @throws workspace_not_found, also for one of another organization
 */
async function workspaceCalled(
  { who, services }: AuthorizedCtx,
  id: unknown,
): Promise<WorkspaceInForce> {
  const workspace =
    typeof id === 'string' && isUuid(id)
      ? await services.workspaces.find(who.tenantId, id.toLowerCase())
      : undefined;
  return workspace ?? fail('workspace_not_found', { values: { id: shownId(id) } });
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
  if (!workspace.hasUserBudgets || user === undefined) return undefined;
  const budget = await services.workspaces.budgetOf(workspace, user);
  const values = { workspace: workspace.name, count: WORKSPACE_BOUNDS.usersMax };
  return budget ?? fail('workspace_users_full', { values });
}

/**
 * Refuses what the policy of the workspace does not allow.
 * @param inspected undefined before the data was looked at
 * @throws workspace_policy_blocked
 */
export function requireApproved(
  { workspace, department }: Pick<UsedWorkspace, 'workspace' | 'department'>,
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

/** True where it is the policy of the workspace that has refused. */
function isOfWorkspace(
  { services }: AuthorizedCtx,
  { workspace }: UsedWorkspace,
  { code, details }: GatewayError,
): boolean {
  if (code !== 'model_not_allowed') return code === 'workspace_policy_blocked';
  // The lists of the project and of a token refuse with the same code.
  const model = String(details.values?.model ?? '');
  return !approvedModels(workspace, services.registry).has(model);
}

/** Records a refusal of the policy; a request that is refused stays refused where that fails. */
export async function recordBlock(
  ctx: AuthorizedCtx,
  used: UsedWorkspace,
  thrown: unknown,
): Promise<void> {
  if (!(thrown instanceof GatewayError) || !isOfWorkspace(ctx, used, thrown)) return;
  const { services, requestId } = ctx;
  const { workspace, user } = used;
  // A name that is no department is no department that was active.
  const isKnown = used.department !== undefined && DEPARTMENTS.has(used.department);
  const department = isKnown ? used.department : undefined;
  const blocked: Blocked = { workspace, user, department, reason: thrown.code };
  try {
    await services.workspaces.recordBlock(blocked);
  } catch (error) {
    services.log.warn({ err: error, requestId }, 'a block of a workspace was not recorded');
  }
}
