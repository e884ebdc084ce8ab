import { fail, GatewayError } from '../kernel/errors/fail.js';
import { type IdKind, kindOfId } from '../kernel/ids.js';
import type { Ctx } from './ctx.js';
import type { Permission } from './permissions.js';

/** What it takes to read a thing by its id: the permission that its list asks for. */
const NODE_PERMISSIONS: Readonly<Partial<Record<IdKind, Permission>>> = {
  Tenant: 'profile.read',
  Project: 'profile.read',
  User: 'members.read',
  Invite: 'members.read',
  ApiKey: 'keys.read',
  Policy: 'policies.read',
  PolicyVersion: 'policies.read',
  Account: 'billing.read',
  AuditEvent: 'audit.read',
  SealedReceipt: 'receipts.read',
  Approval: 'approvals.read',
  BudgetException: 'policies.read',
  Prompt: 'prompts.read',
  PromptVersion: 'prompts.read',
  ContextPolicy: 'prompts.read',
  BlueprintRun: 'blueprints.read',
  BlueprintDeployment: 'blueprints.read',
  MigrationProject: 'migration.read',
  MigrationCheckRun: 'migration.read',
};

/** Why a caller may not do something. */
export function refusal(ctx: Ctx, permission: string): GatewayError {
  if (ctx.whoFailure) return ctx.whoFailure;
  if (!ctx.who) return new GatewayError('missing_credential');
  const principal = `${ctx.who.kind === 'user' ? 'Role' : 'Key type'} ${ctx.who.role}`;
  return new GatewayError('permission_denied', { values: { principal, permission } });
}

/** Prisma's code for a row that was asked for and is not there. */
const NO_ROW = 'P2025';

/**
 * Loads the thing that an id names. A foreign id is answered exactly as an unknown one.
 * @throws missing_credential, permission_denied, not_found
 */
export async function loadNode<T>(
  ctx: Ctx,
  id: string,
  load: () => T | Promise<T>,
): Promise<NonNullable<T>> {
  if (!ctx.who) throw refusal(ctx, 'profile.read');
  const kind = kindOfId(id);
  const permission = kind && NODE_PERMISSIONS[kind];
  if (!permission) return missing(id);
  if (!ctx.who.permissions.has(permission)) throw refusal(ctx, permission);
  try {
    return (await load()) ?? missing(id);
  } catch (error) {
    if ((error as { code?: string }).code === NO_ROW) return missing(id);
    throw error;
  }
}

function missing(id: string): never {
  return fail('not_found', { values: { subject: 'object', id }, param: 'id' });
}
