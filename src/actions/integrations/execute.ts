import type {
  Approval,
  IntegrationAction,
  IntegrationPreview,
  Prisma,
} from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import { type Fault, fail, failOnFaults, GatewayError } from '../../kernel/errors/fail.js';
import { count, fits } from '../../kernel/errors/faults.js';
import { isUuid, newId } from '../../kernel/ids.js';
import { isoTime } from '../../kernel/time.js';
import { isErased } from '../../platform/database/sealed-columns.js';
import { requestApproval } from '../../records/approvals/queue.js';
import { change } from '../../records/change.js';
import { requireSeen } from '../seen.js';
import { applyAction } from './apply.js';
import { ACTION_APPROVAL } from './approval.js';
import { isSimulated } from './input.js';
import { outcomeOf } from './log.js';
import { sealAction } from './receipts.js';
import { type LockedRecord, lockRecord } from './records.js';
import { type ActionOutcome, NOTHING_TO_UNDO } from './tables.js';
import { APPROVAL_SECONDS, LIMITS, type PreviewDecision } from './vocabulary.js';

/**
 * Executes a preview, once: whoever comes later, or loses a race, gets the first action. What needs
 * no approval is carried out at once; what needs one is put into the approval queue; what is
 * blocked is recorded. The record must still be at the version that the preview saw.
 * @param requestIds the requests of the gateway that led to the action, for its cost
 * @throws invalid_request, not_found, integration_target_moved, integration_preview_expired
 */
export async function executePreview(
  ctx: AuthorizedCtx,
  previewId: string,
  requestIds: readonly string[],
): Promise<ActionOutcome> {
  failOnFaults(requestIdFaults(requestIds));
  const name = { action: 'integrationActionExecute', subject: 'IntegrationAction' };
  const { action, isRepeated } = await change(ctx, name, async (tx) => {
    const preview = await requireSeen(ctx, 'IntegrationPreview', previewId, {
      param: 'previewId',
      tx,
    });
    const record = await lockRecord(tx, preview);
    const first = await tx.integrationAction.findFirst({ where: { previewId } });
    if (!first) requireCurrent(preview, record);
    const made = first ?? (await begin(ctx, tx, preview, [...new Set(requestIds)]));
    return {
      result: { action: made, isRepeated: first !== null },
      id: made.id,
      before: first ? snapshot(first) : undefined,
      after: snapshot(made),
    };
  });
  return outcomeOf(ctx, action, isRepeated);
}

function requireCurrent(preview: IntegrationPreview, record: LockedRecord | undefined): void {
  // Between the two reads an erasure may have come: the preview was read, and its record is gone.
  if (!record || isErased(preview, 'proposedChanges')) {
    throw new GatewayError('personal_data_erased', { param: 'previewId' });
  }
  const { version, now } = record;
  if (preview.expiresAt <= now) {
    const expiresAt = isoTime(preview.expiresAt);
    fail('integration_preview_expired', { values: { expiresAt }, param: 'previewId' });
  }
  const expected = preview.recordVersion;
  if (version === expected) return;
  fail('integration_target_moved', { values: { version, expected }, param: 'previewId' });
}

/** What becomes of a preview by its decision. */
const BEGINNINGS: Readonly<
  Record<
    PreviewDecision,
    (ctx: AuthorizedCtx, tx: Transaction, action: IntegrationAction) => Promise<IntegrationAction>
  >
> = {
  auto: applyAction,
  after_approval: askFor,
  blocked: sealAction,
};

const FIRST_STATUS = {
  auto: { decision: 'auto', status: 'approved' },
  after_approval: { decision: 'pending', status: 'pending' },
  blocked: { decision: 'blocked', status: 'blocked' },
} as const;

async function begin(
  ctx: AuthorizedCtx,
  tx: Transaction,
  preview: IntegrationPreview,
  requestIds: readonly string[],
): Promise<IntegrationAction> {
  const decision = preview.decision as PreviewDecision;
  const { tenantId, connector, action, recordRef, requestedBy, requestedByKind } = preview;
  const created = await tx.integrationAction.create({
    data: {
      id: newId('IntegrationAction'),
      previewId: preview.id,
      ...{ tenantId, connector, action, recordRef, requestedBy, requestedByKind },
      ...FIRST_STATUS[decision],
      changedFields: [],
      rollback: NOTHING_TO_UNDO as unknown as Prisma.InputJsonObject,
      requestIds: [...requestIds],
      finishedAt: decision === 'blocked' ? sharedNow() : null,
    },
  });
  return BEGINNINGS[decision](ctx, tx, created);
}

/** Puts an action into the approval queue; the decision is bound to everything that is shown. */
async function askFor(
  ctx: AuthorizedCtx,
  tx: Transaction,
  action: IntegrationAction,
): Promise<IntegrationAction> {
  const { id, previewId, connector, recordRef } = action;
  const preview = await tx.integrationPreview.findFirstOrThrow({ where: { id: previewId } });
  const approval: Approval = await requestApproval(
    ctx,
    {
      kind: ACTION_APPROVAL.kind,
      subjectId: id,
      summary: `${connector}: ${action.action} on ${recordRef}`,
      shown: {
        connector,
        action: action.action,
        recordId: recordRef,
        recordVersion: preview.recordVersion,
        riskLevel: preview.riskLevel,
        changes: preview.proposedChanges as Shown,
        previewId,
        simulated: isSimulated(connector),
      },
      expiresInSeconds: APPROVAL_SECONDS,
    },
    { tx },
  );
  return tx.integrationAction.update({ where: { id }, data: { approvalId: approval.id } });
}

type Shown = Parameters<typeof requestApproval>[1]['shown'];

function requestIdFaults(ids: readonly string[]): Fault[] {
  const tooMany = count('requestIds', ids, { max: LIMITS.requestIds }, 'requests');
  if (tooMany.length > 0) return tooMany;
  const what = 'must be the request_id of a request of this gateway, a uuid';
  return ids.flatMap((id, at) => fits(`requestIds.${at}`, isUuid(id), what));
}

function snapshot({ decision, status, approvalId }: IntegrationAction) {
  return { decision, status, approvalId };
}
