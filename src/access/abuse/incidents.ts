import type { AbuseIncident, Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { sealedContent } from '../../kernel/fields/sealed.js';
import { newId } from '../../kernel/ids.js';
import { change } from '../../records/change.js';
import { lockOwn, requireOwn } from '../../records/own.js';
import { requireKeyWithin } from '../workspaces/boundary.js';
import { actionFaults, nextAction } from './incident.rules.js';
import { requireLastingMaker, shownKeyAction, takeActions } from './key-actions.js';
import { INCIDENT_RECEIPTS } from './receipts.js';
import { INCIDENT_FIELDS, INCIDENT_INPUT } from './tables.js';
import { INCIDENT_TYPES, KEY_ACTIONS, NEXT_ACTIONS } from './vocabulary.js';

/** What an incident is shown with: what was done to its key. */
export const INCIDENT_INCLUDE = {
  actions: { orderBy: { id: 'asc' } },
} as const satisfies Prisma.AbuseIncidentInclude;

/** An incident with its actions. */
export type WholeIncident = Prisma.AbuseIncidentGetPayload<{ include: typeof INCIDENT_INCLUDE }>;

/** A recorded incident, with the value of the key that a rotation made. */
export interface RecordedIncident {
  readonly incident: WholeIncident;
  /** Shown this once; null where nothing was rotated. */
  readonly newKey: string | null;
}

/**
 * Records an incident, does to its key what it says, and seals a receipt: one transaction.
 * @throws invalid_request with every fault, not_found for a key of another organization or beyond
 * the workspace of the caller, key_action_impossible, permission_denied for a caller who may not
 * rotate or revoke keys
 */
export async function recordIncident(
  ctx: AuthorizedCtx,
  given: GivenValues,
): Promise<RecordedIncident> {
  const stated = inputValues(INCIDENT_INPUT.fields, given);
  failOnFaults([...inputFaults(INCIDENT_INPUT.fields, stated, 'input'), ...actionFaults(stated)]);
  const { tenantId, id: reportedBy } = ctx.who;
  const { keyRef: keyId, type, actionsTaken, requestsBlocked, costSavedMicro, note } = stated;
  const next = nextAction({ type, isKeyNamed: keyId !== null, actions: actionsTaken });
  const name = { action: 'abuseIncidentRecord', subject: 'AbuseIncident' } as const;
  const work = async (tx: Transaction) => {
    const named = { param: 'input.keyRef', subject: 'API key' };
    await requireLastingMaker(ctx, tx, actionsTaken);
    const key = keyId === null ? null : await lockOwn(ctx, tx, 'ApiKey', keyId, named);
    if (key) await requireKeyWithin(ctx, tx, key, { ...named, id: keyId ?? key.id });
    const id = newId('AbuseIncident');
    const row = await tx.abuseIncident.create({
      data: {
        id,
        tenantId,
        incidentType: type,
        keyId,
        actionsTaken: [...actionsTaken],
        requestsBlocked,
        costSavedMicro,
        note,
        nextAction: next.nextAction,
        nextActionReason: next.reason,
        reportedBy,
      },
    });
    const deed = key && { ctx, tx, key, incidentId: id, terms: stated };
    const taken = deed ? await takeActions(deed, actionsTaken) : [];
    const actions = taken.map(({ action }) => action);
    const shown = shownIncident(row);
    const sealed = actions.map((each) => ({ ...shownKeyAction(each), actionId: each.id }));
    const content = { incidentId: id, ...shown, actions: sealed };
    await INCIDENT_RECEIPTS.seal(ctx, id, content, { tx });
    const newKey = taken.find((each) => each.newKey !== undefined)?.newKey ?? null;
    const result = { incident: { ...row, actions }, newKey };
    const told = () => ctx.services.keyControls.forget(tenantId);
    return { result, id, after: sealedContent(INCIDENT_FIELDS, shown), told };
  };
  return change(ctx, name, work);
}

/** An incident as it is shown. */
export function shownIncident(row: AbuseIncident): ValuesOf<typeof INCIDENT_FIELDS> {
  return {
    type: INCIDENT_TYPES.parse(row.incidentType),
    keyRef: row.keyId,
    actionsTaken: row.actionsTaken.map((each) => KEY_ACTIONS.parse(each)),
    requestsBlocked: row.requestsBlocked,
    costSavedMicro: row.costSavedMicro,
    provenance: 'declared',
    nextAction: NEXT_ACTIONS.parse(row.nextAction),
    nextActionReason: row.nextActionReason,
    note: row.note,
    reportedBy: row.reportedBy,
    createdAt: row.createdAt,
  };
}

/** The receipt of an incident. @throws not_found */
export async function incidentReceipt(ctx: AuthorizedCtx, id: string) {
  await requireOwn(ctx, 'AbuseIncident', id, { subject: 'abuse incident' });
  const receipt = await INCIDENT_RECEIPTS.byKey(ctx, id);
  return receipt ?? fail('not_found', { values: { subject: 'receipt', id }, param: 'id' });
}
