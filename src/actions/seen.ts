import { brandWithType } from '@pothos/core';
import type { AuthorizedCtx, Principal } from '../graph/ctx.js';
import { authorized } from '../graph/database.js';
import { loadNodesOf } from '../graph/node.js';
import { fail } from '../kernel/errors/fail.js';
import { snakeCase } from '../kernel/fields/names.js';
import { type OwnOptions, type Row, requireOwn } from '../records/own.js';

/** What is asked for by somebody. */
type AskedModel = 'IntegrationAction' | 'IntegrationPreview' | 'ToolCall';

/** True for the key of an AI agent: it sees what it asked for itself, and may do less. */
export function isAgent(who: Principal): boolean {
  return who.kind === 'api_key' && who.role === 'agent';
}

/** What a caller sees: all of the organization; agents and callers of a workspace their own. */
export function seenBy(who: Principal): { readonly requestedBy?: string } {
  return isAgent(who) || who.confinement ? { requestedBy: who.id } : {};
}

/**
 * The row with this id, as far as the caller sees it.
 * @throws not_found, for what is hidden exactly as for an unknown id
 */
export async function requireSeen<M extends AskedModel>(
  ctx: AuthorizedCtx,
  model: M,
  id: string,
  options: Omit<OwnOptions, 'subject'> = {},
): Promise<Row<M>> {
  const row = await requireOwn(ctx, model, id, options);
  const { requestedBy = null } = seenBy(ctx.who);
  if (requestedBy === null || requestedBy === (row as Row<AskedModel>).requestedBy) return row;
  const subject = snakeCase(model).replaceAll('_', ' ');
  return fail('not_found', { values: { subject, id }, param: options.param ?? 'id' });
}

/** The rows among many ids that a caller sees. */
type SeenWhere = ReturnType<typeof seenBy> & { readonly id: { readonly in: string[] } };

/** Lets `node(id)` find what the caller sees, and nothing else. */
export function loadSeenNodes<M extends AskedModel>(
  model: M,
  read: (ctx: AuthorizedCtx, where: SeenWhere) => Promise<readonly Row<M>[]>,
): void {
  loadNodesOf(model, async (given, ids) => {
    const ctx = authorized(given);
    const rows = await read(ctx, { id: { in: [...ids] }, ...seenBy(ctx.who) });
    for (const row of rows) brandWithType(row, model as never);
    return rows as readonly Row<AskedModel>[];
  });
}
