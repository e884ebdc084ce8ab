import type { IntegrationPreview, Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Principal, Transaction } from '../../graph/ctx.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { fault, present } from '../../kernel/errors/faults.js';
import type { GivenValues } from '../../kernel/fields/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { newId } from '../../kernel/ids.js';
import { change } from '../../records/change.js';
import { isAgent } from '../seen.js';
import { changesBetween, mergedState, type RecordState } from './changes.js';
import { isSimulated, type PreviewRequest, readPreview } from './input.js';
import { type LockedRecord, lockRecord, lockStatedRecord } from './records.js';
import { decisionOn, riskOf } from './rules.js';
import type { PREVIEW_FIELDS, ProposedChange } from './tables.js';
import { DECISIONS, LIMITS, PREVIEW_SECONDS, RISK_LEVELS } from './vocabulary.js';

/**
 * Shows what an action would change, how risky that is and who decides. No system is changed: only
 * the gateway's view of the record follows what the caller states of it.
 * @throws invalid_request with every fault
 */
export function previewAction(ctx: AuthorizedCtx, given: GivenValues): Promise<IntegrationPreview> {
  const request = readPreview(given);
  const id = newId('IntegrationPreview');
  const recordRef = request.recordRef ?? `new:${id}`;
  const name = { action: 'integrationActionPreview', subject: 'IntegrationPreview' };
  return change(ctx, name, async (tx) => {
    const record = await lockTarget(ctx, tx, request, recordRef);
    const result = await tx.integrationPreview.create({
      data: { id, ...proposalOf(ctx.who, request, recordRef, record) },
    });
    const { connector, action } = result;
    return { result, id, after: { connector, action, recordRef } };
  });
}

/** A preview as its row has it. */
export function shownPreview(preview: IntegrationPreview): ValuesOf<typeof PREVIEW_FIELDS> {
  return {
    ...preview,
    ...(preview.decided as { guard: string; reason: string; riskRules: string[] }),
    recordId: preview.recordRef,
    proposedChanges: preview.proposedChanges as unknown as ProposedChange[],
    riskLevel: RISK_LEVELS.parse(preview.riskLevel),
    decision: DECISIONS.parse(preview.decision),
    simulated: isSimulated(preview.connector),
  };
}

async function lockTarget(
  { who: { tenantId } }: AuthorizedCtx,
  tx: Transaction,
  { connector, stated }: PreviewRequest,
  recordRef: string,
): Promise<LockedRecord> {
  const key = { tenantId, connector: connector.id, recordRef };
  if (stated) return lockStatedRecord(tx, key, stated);
  const known = await lockRecord(tx, key);
  const why = `is missing: the gateway has not seen ${recordRef} yet`;
  failOnFaults(present('input.record', known, why));
  return known as LockedRecord;
}

/** The row of a preview: everything that was decided, and what it was decided on. */
function proposalOf(
  who: Principal,
  { connector, action, changes }: PreviewRequest,
  recordRef: string,
  record: LockedRecord,
) {
  const after = afterAction(action.verb, record.state, changes);
  const proposed = changesBetween(record.state, after);
  requireFew(proposed.length);
  const facts = { action, changes: proposed, isAgent: isAgent(who) };
  const risk = riskOf(facts);
  const { outcome, guard, reason } = decisionOn(facts, risk.level);
  return {
    tenantId: who.tenantId,
    connector: connector.id,
    action: action.id,
    recordRef,
    recordVersion: record.version,
    input: changes as Prisma.InputJsonObject,
    stateBefore: record.state as Prisma.InputJsonObject,
    proposedChanges: proposed as unknown as Prisma.InputJsonArray,
    riskLevel: risk.level,
    approvalRequired: outcome === 'after_approval',
    decision: outcome,
    decided: { guard, reason, riskRules: [...risk.rules] },
    requestedByKind: isAgent(who) ? 'agent' : who.kind,
    requestedBy: who.id,
    expiresAt: new Date(record.now.getTime() + PREVIEW_SECONDS * 1_000),
  };
}

/** A record after an action. */
export function afterAction(verb: string, before: RecordState, changes: RecordState): RecordState {
  return verb === 'delete' ? {} : mergedState(before, changes);
}

function requireFew(count: number): void {
  if (count <= LIMITS.proposedChanges) return;
  const what = `must change at most ${LIMITS.proposedChanges} values; this is ${count}`;
  failOnFaults([fault('input.changes', 'out_of_range', what)]);
}
