import type { IntegrationAction, Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { fail } from '../../kernel/errors/fail.js';
import { isErased } from '../../platform/database/sealed-columns.js';
import { requireSeen, seenBy } from '../seen.js';
import { CONNECTORS, type Connector } from './catalogue.js';
import { connectorOf } from './input.js';
import { ACTION_RECEIPTS, contentOf, UNDOING_RECEIPTS } from './receipts.js';
import type { ActionOutcome } from './tables.js';
import { ACTION_STATUSES, type ActionStatus, type ConnectorCategory } from './vocabulary.js';

/** Connectors of the catalogue, of a category when one is given. */
export function listConnectors(category?: ConnectorCategory | null): Connector[] {
  return CONNECTORS.filter((connector) => category == null || connector.category === category);
}

/** The connector of an id. @throws not_found */
export function connectorById(id: string): Connector {
  return (
    connectorOf(id) ?? fail('not_found', { values: { subject: 'connector', id }, param: 'id' })
  );
}

/** Which actions a caller sees, of a status when one is given. */
export function actionsWhere(
  { who }: AuthorizedCtx,
  status?: ActionStatus | null,
): Prisma.IntegrationActionWhereInput {
  return { ...seenBy(who), status: status ?? undefined };
}

/** What became of an action that the caller may see. @throws not_found */
export async function readOutcome(ctx: AuthorizedCtx, id: string): Promise<ActionOutcome> {
  return outcomeOf(ctx, await requireSeen(ctx, 'IntegrationAction', id));
}

/** What became of an action that was read before. */
export async function outcomeOf(
  ctx: AuthorizedCtx,
  action: IntegrationAction,
  alreadyExecuted = true,
): Promise<ActionOutcome> {
  const { id, receiptId } = action;
  const receipt = receiptId ? await ACTION_RECEIPTS.byId(ctx, receiptId) : undefined;
  const erased = isErased(action, 'changedFields') || receipt?.row.content === null;
  const said = (!erased && receipt?.content) || (await contentOf(ctx, action));
  const undone = await UNDOING_RECEIPTS.byKey(ctx, id);
  return {
    ...said,
    // Of now: an action may have been rolled back since it was sealed.
    status: ACTION_STATUSES.parse(action.status),
    sealed: receipt !== undefined,
    erased,
    receiptId: receipt?.id ?? null,
    sha256: receipt ? Buffer.from(receipt.row.sha256).toString('hex') : null,
    rollbackReceiptId: undone?.id ?? null,
    alreadyExecuted,
  };
}
