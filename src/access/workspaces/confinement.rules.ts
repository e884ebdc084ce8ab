import type { Principal } from '../../graph/ctx.js';
import type { Permission } from '../../graph/permissions.js';
import { claimsOnCaller, statementOf } from './boundary.rules.js';

/**
 * What callers of a workspace keep of their permissions. Behind each one lie only the requests,
 * keys and rows of the caller or its workspace, or a refusal of the field. A permission that is not
 * in this list is not theirs, so a new one is refused until somebody puts it here.
 */
export const KEPT_IN_WORKSPACES = [
  'abuse.write',
  'balance.read',
  'budgets.request',
  'credentials.own',
  'inference.run',
  'integrations.read',
  'integrations.run',
  'keys.limit',
  'keys.read',
  'keys.write',
  'members.write',
  'models.read',
  'profile.read',
  'prompts.try',
  'tools.read',
  'tools.run',
  'usage.read',
  'workspaces.read',
  'workspaces.record',
  'workspaces.write',
] as const satisfies readonly Permission[];

const KEPT: ReadonlySet<string> = new Set(KEPT_IN_WORKSPACES);

/** Whether callers of a workspace keep a permission. */
export function isKeptInWorkspaces(permission: string): boolean {
  return KEPT.has(permission);
}

/** A caller as its workspaces let it: without the permissions that reach beyond them. */
export function confined(who: Principal): Principal {
  const claims = claimsOnCaller(who);
  const [claim] = claims;
  if (!claim) return who;
  const { source } = statementOf(claim);
  const all = [...who.permissions];
  const confinement = {
    source,
    workspaceIds: [...new Set(claims.map(({ workspaceId }) => workspaceId))],
    withheld: new Set(all.filter((each) => !KEPT.has(each))),
  };
  return { ...who, permissions: new Set(all.filter((each) => KEPT.has(each))), confinement };
}
