import type { IntegrationAction, Prisma } from '../../generated/prisma/client.js';
import type { Transaction } from '../../graph/ctx.js';
import { fail } from '../../kernel/errors/fail.js';
import { isErased } from '../../platform/database/sealed-columns.js';
import type { TenantScope } from '../../records/scope.js';
import type { ConnectorAction } from './catalogue.js';
import { inverseOf, type RecordState } from './changes.js';
import { actionOf, connectorOf } from './input.js';
import { afterAction } from './preview.js';
import { moveAction } from './receipts.js';
import { moveRecord } from './records.js';
import { rollbackRefusal } from './rules.js';
import type { ProposedChange, RollbackPlan } from './tables.js';

/**
 * Carries an action out in the simulation: the record that the gateway keeps gets its new state,
 * and the receipt is sealed. The caller holds the lock of the record and has compared its version.
 */
export async function applyAction(
  scope: TenantScope,
  tx: Transaction,
  action: IntegrationAction,
): Promise<IntegrationAction> {
  const preview = await tx.integrationPreview.findFirstOrThrow({
    where: { id: action.previewId },
  });
  if (isErased(preview, 'proposedChanges', 'stateBefore')) fail('personal_data_erased');
  const definition = definitionOf(action);
  const changes = preview.proposedChanges as unknown as ProposedChange[];
  const before = preview.stateBefore as RecordState;
  const state = afterAction(definition.verb, before, preview.input as RecordState);
  const { tenantId, connector, recordRef } = action;
  const recordVersion = await moveRecord(tx, { tenantId, connector, recordRef }, state);
  const reason = rollbackRefusal(definition, false, false);
  const rollback: RollbackPlan = {
    available: reason === null,
    reason,
    changes: reason === null ? inverseOf(changes) : [],
    recordVersion,
  };
  const data = {
    decision: action.approvalId === null ? 'auto' : 'after_approval',
    changedFields: changes as unknown as Prisma.InputJsonArray,
    rollback: rollback as unknown as Prisma.InputJsonObject,
  };
  return moveAction(scope, tx, action, { event: 'execute', data });
}

/** What the catalogue says of an action that was taken from it. */
export function definitionOf({ connector, action }: IntegrationAction): ConnectorAction {
  const found = connectorOf(connector);
  const definition = found && actionOf(found, action);
  if (!definition) throw new Error(`the catalogue lacks ${connector} ${action}`);
  return definition;
}
