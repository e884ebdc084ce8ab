import type { IntegrationAction, Prisma, SealedReceipt } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { fail } from '../../kernel/errors/fail.js';
import { isUuid } from '../../kernel/ids.js';
import { receiptByKey } from '../../records/receipts.js';
import { databaseOf } from '../../records/scope.js';
import { CONNECTORS, type Connector } from './catalogue.js';
import { connectorOf } from './input.js';
import { seenBy } from './preview.js';
import { ACTION_RECEIPT, type ActionContent, contentOf, ROLLBACK_RECEIPT } from './receipts.js';
import type { ActionStatus, ConnectorCategory } from './vocabulary.js';

/** The receipt of an action: as it was sealed, or what it says so far. */
export interface ActionReceipt {
  readonly content: ActionContent;
  /** The status now: a sealed action may have been rolled back since. */
  readonly status: ActionStatus;
  /** Undefined while the action has not ended. */
  readonly receipt: SealedReceipt | undefined;
  /** The receipt of the undoing, when there was one. */
  readonly rollbackReceiptId: string | null;
}

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
  return { ...seenBy(who), ...(status == null ? {} : { status }) };
}

/** The action with this id, as far as the caller sees it. @throws not_found */
export async function requireAction(
  ctx: AuthorizedCtx,
  id: string,
  tx?: Transaction,
): Promise<IntegrationAction> {
  const where = { id, tenantId: ctx.who.tenantId, ...seenBy(ctx.who) };
  const action = isUuid(id)
    ? await databaseOf(ctx, { tx }).integrationAction.findFirst({ where })
    : null;
  return action ?? fail('not_found', { values: { subject: 'action', id }, param: 'id' });
}

/** The receipt of an action, or what it says so far. @throws not_found */
export async function readReceipt(ctx: AuthorizedCtx, id: string): Promise<ActionReceipt> {
  return receiptOf(ctx, await requireAction(ctx, id));
}

/** The receipt of an action that was read before. */
export async function receiptOf(
  ctx: AuthorizedCtx,
  action: IntegrationAction,
): Promise<ActionReceipt> {
  const status = action.status as ActionStatus;
  const receipt = action.receiptId ? await receiptByKey(ctx, ACTION_RECEIPT, action.id) : undefined;
  const content = receipt
    ? (JSON.parse(receipt.content) as ActionContent)
    : await contentOf(databaseOf(ctx), action);
  const undone = await receiptByKey(ctx, ROLLBACK_RECEIPT, action.id);
  return { content, status, receipt, rollbackReceiptId: undone?.id ?? null };
}
