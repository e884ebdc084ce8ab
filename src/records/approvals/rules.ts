import { permissionsOf, ROLES } from '../../graph/permissions.js';
import { type Decided, decide } from '../../kernel/decision.js';
import { type Fault, failOnFaults } from '../../kernel/errors/fail.js';
import type { Lifecycle } from '../../kernel/lifecycle.js';
import type { ApprovalDecision, ApprovalKindCode, ApprovalStatus } from './vocabulary.js';

/** The state table of approvals. */
export const APPROVAL_LIFECYCLE: Lifecycle<ApprovalStatus, ApprovalDecision | 'expire'> = {
  pending: { approve: 'approved', reject: 'rejected', expire: 'expired' },
  approved: {},
  rejected: {},
  expired: {},
};

/**
 * The condition of a list of approvals; null narrows nothing.
 * @throws invalid_request for a status that there is not
 */
export function approvalsWhere(status?: string | null, kind?: ApprovalKindCode | null) {
  const codes: readonly string[] = Object.keys(APPROVAL_LIFECYCLE);
  const message = `status must be one of ${codes.join(', ')}.`;
  const known = status == null || codes.includes(status);
  failOnFaults(known ? [] : [{ path: 'status', code: 'unknown_value', message }]);
  return { status: status ?? undefined, kind: kind ?? undefined };
}

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

/** U+0000 and lone halves of surrogate pairs: neither the database nor RFC 8785 can hold them. */
const NOT_STORABLE = /\0|\p{Surrogate}/u;

/** Every fault of a reason that a person gives: its length in characters, and what it may hold. */
export function reasonFaults(
  path: string,
  reason: string,
  { lengthMin, lengthMax }: { readonly lengthMin: number; readonly lengthMax: number },
): Fault[] {
  if (NOT_STORABLE.test(reason)) {
    const message = `${path} must be well-formed text without U+0000.`;
    return [{ path, code: 'invalid', message }];
  }
  const fits = reason.trim().length >= lengthMin && reason.length <= lengthMax;
  const message = `${path} must have ${lengthMin} to ${lengthMax} characters.`;
  return fits ? [] : [{ path, code: 'out_of_range', message }];
}
