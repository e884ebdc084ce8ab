import { permissionsOf, ROLES } from '../../graph/permissions.js';
import { type Decided, decide } from '../../kernel/decision.js';
import type { Lifecycle } from '../../kernel/lifecycle.js';

/** The states of an approval. All but `pending` are final. */
export type ApprovalStatus = 'pending' | 'approved' | 'rejected' | 'expired';

/** What a person can decide. */
export type ApprovalDecision = 'approve' | 'reject';

/** The state table of approvals. */
export const APPROVAL_LIFECYCLE: Lifecycle<ApprovalStatus, ApprovalDecision | 'expire'> = {
  pending: { approve: 'approved', reject: 'rejected', expire: 'expired' },
  approved: {},
  rejected: {},
  expired: {},
};

/** The roles whose members may decide, by the one table of who may do what. */
export const DECIDING_ROLES: readonly string[] = ROLES.map((role) => role.code).filter((role) =>
  permissionsOf(role).has('approvals.decide'),
);

/** What the four-eyes rule looks at. */
export interface DecisionFacts {
  readonly principalKind: 'user' | 'api_key';
  /** The member's role. */
  readonly role: string;
  /** The decider is the requester, or answers for the key that requested. */
  readonly isRequester: boolean;
  /** Active members with a deciding role besides the requester. */
  readonly otherEligibleCount: number;
  /** The tenant's setting. */
  readonly fourEyesAlways: boolean;
}

/** What the rule says. `self_decided` stands in the receipt as self-approved. */
export type DecisionRight = 'not_a_decider' | 'self_forbidden' | 'self_decided' | 'decided';

/**
 * Who may decide: a member with a deciding role, never a key; the requester only while nobody else
 * could and the tenant does not insist on a second person.
 */
export function decisionRight(facts: DecisionFacts): Decided<DecisionRight> {
  return decide<DecisionFacts, DecisionRight>(
    [
      {
        name: 'member',
        outcome: 'not_a_decider',
        applies: ({ principalKind }) => principalKind !== 'user',
        reason: () => 'an API key decides nothing',
      },
      {
        name: 'role',
        outcome: 'not_a_decider',
        applies: ({ role }) => !DECIDING_ROLES.includes(role),
        reason: ({ role }) => `the role ${role} decides nothing`,
      },
      {
        name: 'another_person',
        outcome: 'decided',
        applies: ({ isRequester }) => !isRequester,
        reason: () => 'another member than the requester decides',
      },
      {
        name: 'four_eyes_always',
        outcome: 'self_forbidden',
        applies: ({ fourEyesAlways }) => fourEyesAlways,
        reason: () => 'the organization always requires a second person',
      },
      {
        name: 'others_exist',
        outcome: 'self_forbidden',
        applies: ({ otherEligibleCount }) => otherEligibleCount > 0,
        reason: ({ otherEligibleCount }) => `${otherEligibleCount} other members can decide`,
      },
      {
        name: 'nobody_else',
        outcome: 'self_decided',
        applies: () => true,
        reason: () => 'no other member can decide',
      },
    ],
    facts,
  );
}

/** How often an approved action is tried before it is given up. */
export const EXECUTION_ATTEMPTS_MAX = 5;

/**
 * The wait in seconds after the attempt of this number (from 1) failed: 5, 20, 80, 320. Undefined
 * when it was the last.
 */
export function retryAfterSeconds(attempt: number): number | undefined {
  return attempt < EXECUTION_ATTEMPTS_MAX ? 5 * 4 ** (attempt - 1) : undefined;
}
