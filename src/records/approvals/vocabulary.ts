import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';

/** What can wait in the queue; each kind is defined by the module that asks. */
export const APPROVAL_KINDS = vocabulary(
  'ApprovalKind',
  'What kind of thing waits for a decision.',
  [
    { code: 'tool_call', description: 'An action of a tool; approving it executes it.' },
    {
      code: 'integration_action',
      description: 'A change in a connected system; approving it executes it.',
    },
    {
      code: 'migration_cutover',
      description: 'The move of live traffic from another provider; approving it cuts over.',
    },
    {
      code: 'budget_exception',
      description: 'More than the cap of a budget for one period; approving it grants the amount.',
    },
    {
      code: 'spend_pause',
      description: 'A scope that an anomaly has paused or put under review; approving lets it run.',
    },
    {
      code: 'balance_operation',
      description:
        'Money that an administrator of the platform moves in the account of an organization; ' +
        'another administrator of the platform approves it, and approving posts it.',
    },
  ],
);

/** A kind of approval. */
export type ApprovalKindCode = CodeOf<typeof APPROVAL_KINDS>;

/** The states of an approval. All but `pending` are final. */
export const APPROVAL_STATUSES = vocabulary(
  'ApprovalStatus',
  'Whether an approval waits, and how it was decided.',
  [
    { code: 'pending', description: 'It waits for a member to decide.' },
    { code: 'approved', description: 'A member approved it.' },
    { code: 'rejected', description: 'A member rejected it.' },
    { code: 'expired', description: 'Nobody decided in time, or who asked no longer waits.' },
  ],
);

/** The state of an approval. */
export type ApprovalStatus = CodeOf<typeof APPROVAL_STATUSES>;

/** What a person can decide. */
export const APPROVAL_DECISIONS = vocabulary('ApprovalDecision', 'What is decided.', [
  { code: 'approve', description: 'What waits may happen, exactly as it was shown.' },
  { code: 'reject', description: 'It must not happen.' },
]);

/** The length of the reason that a decision may carry. */
export const APPROVAL_REASON = { lengthMin: 0, lengthMax: 1_000 } as const;

/** A decision. */
export type ApprovalDecision = CodeOf<typeof APPROVAL_DECISIONS>;

/** How far the execution of what was approved has come. */
export const APPROVAL_EXECUTIONS = vocabulary(
  'ApprovalExecution',
  'How far the execution of what was approved has come.',
  [
    {
      code: 'none',
      description: 'Nothing to execute: not approved, or the approval itself was all.',
    },
    { code: 'waiting', description: 'Approved; the next attempt has not begun.' },
    { code: 'running', description: 'An attempt is under way.' },
    { code: 'done', description: 'It has been carried out.' },
    { code: 'failed', description: 'Every attempt failed; it is given up.' },
  ],
);
