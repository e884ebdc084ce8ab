import type {
  Approval,
  IntegrationAction,
  IntegrationPreview,
  Prisma,
} from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { type Fault, fail, failOnFaults } from '../../kernel/errors/fail.js';
import { isUuid, newId } from '../../kernel/ids.js';
import { isoTime } from '../../kernel/time.js';
import { requestApproval } from '../../records/approvals/queue.js';
import { audit } from '../../records/audit-trail.js';
import { inTransaction } from '../../records/scope.js';
import { applyAction } from './apply.js';
import { ACTION_APPROVAL } from './approval.js';
import { type ActionReceipt, receiptOf } from './log.js';
import { seenBy } from './preview.js';
import { isSimulated, sealAction } from './receipts.js';
import { type LockedRecord, lockRecord } from './records.js';
import { NOTHING_TO_UNDO } from './rollback-plan.js';
import { APPROVAL_SECONDS, LIMITS, type PreviewDecision } from './vocabulary.js';

/** What an execution answered. */
export interface Execution extends ActionReceipt {
  /** True when this preview had been executed before; then nothing was done. */
  readonly alreadyExecuted: boolean;
}

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
): Promise<Execution> {
  failOnFaults(requestIdFaults(requestIds));
  const { action, alreadyExecuted } = await inTransaction(ctx, {}, (tx) =>
    executeOnce(ctx, tx, previewId, [...new Set(requestIds)]),
  );
  return { ...(await receiptOf(ctx, action)), alreadyExecuted };
}

async function executeOnce(
  ctx: AuthorizedCtx,
  tx: Transaction,
  previewId: string,
  requestIds: readonly string[],
) {
  const preview = await previewById(ctx, tx, previewId);
  const record = await lockRecord(tx, preview);
  const first = await tx.integrationAction.findFirst({ where: { previewId } });
  if (!first) requireCurrent(preview, record);
  const action = first ?? (await begin(ctx, tx, preview, requestIds));
  await audit(ctx, tx, {
    action: 'integrationActionExecute',
    subject: 'IntegrationAction',
    subjectId: action.id,
    before: first ? snapshot(first) : undefined,
    after: snapshot(action),
  });
  return { action, alreadyExecuted: first !== null };
}

async function previewById(
  { who }: AuthorizedCtx,
  tx: Transaction,
  id: string,
): Promise<IntegrationPreview> {
  const where = { id, tenantId: who.tenantId, ...seenBy(who) };
  const preview = await tx.integrationPreview.findFirst({ where });
  return preview ?? fail('not_found', { values: { subject: 'preview', id }, param: 'preview_id' });
}

function requireCurrent(preview: IntegrationPreview, record: LockedRecord | undefined): void {
  if (!record) throw new Error(`the record of preview ${preview.id} is gone`);
  const { version, now } = record;
  if (preview.expiresAt <= now) {
    const expiresAt = isoTime(preview.expiresAt);
    fail('integration_preview_expired', { values: { expiresAt }, param: 'preview_id' });
  }
  const expected = preview.recordVersion;
  if (version === expected) return;
  fail('integration_target_moved', { values: { version, expected }, param: 'preview_id' });
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
      rollback: NOTHING_TO_UNDO as Prisma.InputJsonObject,
      requestIds: [...requestIds],
      finishedAt: decision === 'blocked' ? new Date() : null,
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
  if (ids.length > LIMITS.requestIds) {
    const message = `request_ids must name at most ${LIMITS.requestIds} requests.`;
    return [{ path: 'request_ids', code: 'out_of_range', message }];
  }
  return ids.flatMap((id, at): Fault[] => {
    const path = `request_ids.${at}`;
    const message = `${path} must be the request_id of a request of this gateway, a uuid.`;
    return isUuid(id) ? [] : [{ path, code: 'invalid', message }];
  });
}

function snapshot({ decision, status, approvalId }: IntegrationAction) {
  return { decision, status, approvalId };
}
