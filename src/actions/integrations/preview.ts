import type { IntegrationPreview, Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Principal, Transaction } from '../../graph/ctx.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { newId } from '../../kernel/ids.js';
import { audit } from '../../records/audit-trail.js';
import { inTransaction } from '../../records/scope.js';
import { changesBetween, mergedState, type RecordState } from './changes.js';
import { type PreviewInput, type PreviewRequest, readPreview } from './input.js';
import { type LockedRecord, lockRecord, lockStatedRecord } from './records.js';
import { decisionOn, riskOf } from './rules.js';
import { LIMITS, PREVIEW_SECONDS } from './vocabulary.js';

/** True for the key of an AI agent: it sees what it asked for itself, and may do less. */
export function isAgent(who: Principal): boolean {
  return who.kind === 'api_key' && who.role === 'agent';
}

/** What a caller sees of previews and actions: all of the organization, or an agent's own. */
export function seenBy(who: Principal): { readonly requestedBy?: string } {
  return isAgent(who) ? { requestedBy: who.id } : {};
}

/**
 * Shows what an action would change, how risky that is and who decides. No system is changed: only
 * the gateway's view of the record follows what the caller states of it.
 * @throws invalid_request with every fault
 */
export function previewAction(
  ctx: AuthorizedCtx,
  input: PreviewInput,
): Promise<IntegrationPreview> {
  const request = readPreview(input);
  const id = newId('IntegrationPreview');
  const recordRef = request.recordRef ?? `new:${id}`;
  return inTransaction(ctx, {}, async (tx) => {
    const record = await lockTarget(ctx, tx, request, recordRef);
    const preview = await tx.integrationPreview.create({
      data: { id, ...proposalOf(ctx.who, request, recordRef, record) },
    });
    await audit(ctx, tx, {
      action: 'integrationActionPreview',
      subject: 'IntegrationPreview',
      subjectId: id,
      after: { connector: preview.connector, action: preview.action, recordRef },
    });
    return preview;
  });
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
  const message = `record is missing: the gateway has not seen ${recordRef} yet.`;
  failOnFaults(known ? [] : [{ path: 'record', code: 'missing', message }]);
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
    proposedChanges: proposed as Prisma.InputJsonArray,
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
  const message = `changes must change at most ${LIMITS.proposedChanges} values; this is ${count}.`;
  failOnFaults([{ path: 'changes', code: 'out_of_range', message }]);
}
