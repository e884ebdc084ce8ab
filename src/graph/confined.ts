import { GatewayError } from '../kernel/errors/fail.js';
import type { AuthorizedCtx, Confinement, Ctx } from './ctx.js';
import { authorized } from './database.js';

/** Why a caller of a workspace does not reach what belongs to the whole organization. */
export function confinedRefusal({ source, workspaceIds }: Confinement): GatewayError {
  const values = { source, workspace: workspaceIds.join(', ') };
  return new GatewayError('workspace_caller_confined', { values });
}

/**
 * The same request, known to have a caller outside all workspaces: for fields of the whole
 * organization whose permission callers of workspaces keep for other fields.
 * @throws missing_credential, workspace_caller_confined
 */
export function unconfined(ctx: Ctx): AuthorizedCtx {
  const known = authorized(ctx);
  if (known.who.confinement) throw confinedRefusal(known.who.confinement);
  return known;
}

/** The workspaces that a row must belong to for this caller: none for callers of no workspace. */
export function workspacesAround({ who }: Ctx): readonly string[] {
  return who?.confinement?.workspaceIds ?? [];
}
