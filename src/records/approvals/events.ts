import type { Approval } from '../../generated/prisma/client.js';
import type { Transaction } from '../../graph/ctx.js';
import { eventFeed, publish } from '../feed.js';

/** What can happen to an approval, in the order of its life. */
export const APPROVAL_EVENTS = [
  { code: 'requested', description: 'Something waits for a decision.' },
  { code: 'approved', description: 'A member approved it.' },
  { code: 'rejected', description: 'A member rejected it.' },
  { code: 'expired', description: 'Nobody decided in time.' },
  { code: 'executed', description: 'What was approved has been carried out.' },
  { code: 'execution_failed', description: 'What was approved could not be carried out.' },
] as const;

/** The type of an event of the feed `approvals`. */
export type ApprovalEventType = (typeof APPROVAL_EVENTS)[number]['code'];

/** The feed of all approvals of a tenant; its subject ids are those of the approvals. */
export const APPROVAL_FEED = eventFeed('approvals');

/** The payload of these events: the approval as it was right after the event. */
function payloadOf(approval: Approval) {
  const { id, kind, subjectId, summary, status, execution } = approval;
  const { requestedBy, decidedBy, selfApproved, reason } = approval;
  const people = { requestedBy, decidedBy, selfApproved, reason };
  return { approvalId: id, kind, subjectId, summary, status, execution, ...people };
}

/** Tells the feed, in the transaction that changed the approval. */
export async function publishApproval(
  tx: Transaction,
  type: ApprovalEventType,
  approval: Approval,
): Promise<void> {
  const { tenantId, id } = approval;
  const payload = payloadOf(approval);
  await publish(tx, { tenantId, feed: APPROVAL_FEED.name, type, subjectId: id, payload });
}
