import type { Lifecycle } from '../../kernel/lifecycle.js';
import type { CallApprovalStatus, CallStatus } from './vocabulary.js';

/** What moves a call on. */
export type CallEvent = 'approve' | 'reject' | 'expire' | 'execute' | 'succeed' | 'fail' | 'void';

/** The state table of calls: allowed ones begin at `executing`, the others where they stop. */
export const CALL_LIFECYCLE: Lifecycle<CallStatus, CallEvent> = {
  blocked: {},
  pending: { approve: 'approved', reject: 'rejected', expire: 'expired' },
  approved: { execute: 'executing', fail: 'failed' },
  rejected: {},
  expired: {},
  executing: { execute: 'executing', succeed: 'executed', fail: 'failed', void: 'voided' },
  executed: {},
  failed: {},
  voided: {},
};

/** Where a call begins, by the decision of the action policy. */
export const CALL_START = {
  allow: { status: 'executing', approvalStatus: 'not_required' },
  needs_approval: { status: 'pending', approvalStatus: 'pending' },
  block: { status: 'blocked', approvalStatus: 'not_required' },
} as const satisfies Readonly<
  Record<string, { readonly status: CallStatus; readonly approvalStatus: CallApprovalStatus }>
>;

/** The event of a call when its approval has reached a status. */
export const EVENT_OF_APPROVAL: Readonly<Record<string, CallEvent>> = {
  approved: 'approve',
  rejected: 'reject',
  expired: 'expire',
};
