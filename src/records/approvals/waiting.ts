import { setTimeout as sleep } from 'node:timers/promises';
import type { Services } from '../../graph/ctx.js';
import { tenantDatabase } from '../../platform/database/tenant.js';
import { APPROVAL_FEED } from './events.js';
import { APPROVAL_STATUSES, type ApprovalStatus } from './vocabulary.js';

/** Whose decision is waited for, and for how long. */
export interface DecisionWait {
  readonly tenantId: string;
  readonly approvalId: string;
  /** By performance.now(). */
  readonly deadlineMs: number;
  /** Ends the wait when nobody needs the decision any more. */
  readonly signal: AbortSignal;
}

/** Without a notification it looks about so often: notifications can be lost, never decisions. */
const LOOK_EVERY_MS = 5_000;

/**
 * Waits until an approval is decided, on whatever node, or until the deadline or the signal.
 * @returns the status it has then; `pending` when the wait ended first
 */
export async function awaitDecision(
  { prisma, feedNotifier }: Pick<Services, 'prisma' | 'feedNotifier'>,
  { tenantId, approvalId, deadlineMs, signal }: DecisionWait,
): Promise<ApprovalStatus> {
  const where = { id: approvalId };
  let alarm = new AbortController();
  // Watching begins before the first look, so a commit between the two rings the alarm.
  const unwatch = feedNotifier.watch(tenantId, APPROVAL_FEED.name, () => alarm.abort());
  try {
    for (;;) {
      alarm = new AbortController();
      const isLast = performance.now() >= deadlineMs || signal.aborted;
      const row = await tenantDatabase(prisma, tenantId).approval.findFirst({
        where,
        select: { status: true },
      });
      const status = APPROVAL_STATUSES.parse(row?.status ?? 'expired');
      if (status !== 'pending' || isLast) return status;
      const waitMs = Math.max(0, Math.min(deadlineMs - performance.now(), LOOK_EVERY_MS));
      const ended = AbortSignal.any([alarm.signal, signal]);
      await sleep(waitMs, undefined, { signal: ended, ref: false }).catch(() => {});
    }
  } finally {
    unwatch();
  }
}
