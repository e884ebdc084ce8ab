import { PERMISSIONS } from '../../graph/permissions.js';
import { type Decided, type DecisionTable, decide } from '../../kernel/decision.js';
import type { Fault } from '../../kernel/errors/fail.js';
import { fits, length } from '../../kernel/errors/faults.js';
import type { Lifecycle } from '../../kernel/lifecycle.js';
import type { ApprovalDecision, ApprovalStatus } from './vocabulary.js';

/** The state table of approvals. */
export const APPROVAL_LIFECYCLE: Lifecycle<ApprovalStatus, ApprovalDecision | 'expire'> = {
  pending: { approve: 'approved', reject: 'rejected', expire: 'expired' },
  approved: {},
  rejected: {},
  expired: {},
};

/** The roles whose members may decide, by the one table of who may do what. */
export function decidingRoles(): readonly string[] {
  return PERMISSIONS['approvals.decide'].roles;
}

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
const DECISION_RIGHTS: DecisionTable<DecisionFacts, DecisionRight> = [
  {
    code: 'member',
    outcome: 'not_a_decider',
    description: 'an API key decides nothing',
    applies: ({ principalKind }) => principalKind !== 'user',
  },
  {
    code: 'role',
    outcome: 'not_a_decider',
    description: 'the role decides nothing',
    applies: ({ role }) => !decidingRoles().includes(role),
    reason: ({ role }) => `the role ${role} decides nothing`,
  },
  {
    code: 'another_person',
    outcome: 'decided',
    description: 'another member than the requester decides',
    applies: ({ isRequester }) => !isRequester,
  },
  {
    code: 'four_eyes_always',
    outcome: 'self_forbidden',
    description: 'the organization always requires a second person',
    applies: ({ fourEyesAlways }) => fourEyesAlways,
  },
  {
    code: 'others_exist',
    outcome: 'self_forbidden',
    description: 'other members can decide',
    applies: ({ otherEligibleCount }) => otherEligibleCount > 0,
    reason: ({ otherEligibleCount }) => `${otherEligibleCount} other members can decide`,
  },
  {
    code: 'nobody_else',
    outcome: 'self_decided',
    description: 'no other member can decide',
    applies: () => true,
  },
];

/** Whether a caller may decide about an approval, and how it then counts. */
export function decisionRight(facts: DecisionFacts): Decided<DecisionRight> {
  return decide(DECISION_RIGHTS, facts);
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

/** U+0000 and lone halves of surrogate pairs: neither the database nor RFC 8785 can hold them. */
const NOT_STORABLE = /\0|\p{Surrogate}/u;

/** Every fault of a reason that a person gives: its length in characters, and what it may hold. */
export function reasonFaults(
  path: string,
  reason: string,
  { lengthMin, lengthMax }: { readonly lengthMin: number; readonly lengthMax: number },
): Fault[] {
  const isStorable = !NOT_STORABLE.test(reason);
  if (!isStorable) return fits(path, isStorable, 'must be well-formed text without U+0000');
  return length(path, reason, { min: lengthMin, max: lengthMax });
}
