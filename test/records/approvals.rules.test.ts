import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ROLES } from '../../src/graph/permissions.js';
import { next } from '../../src/kernel/lifecycle.js';
import {
  APPROVAL_LIFECYCLE,
  type DecisionFacts,
  decidingRoles,
  decisionRight,
  EXECUTION_ATTEMPTS_MAX,
  retryAfterSeconds,
} from '../../src/records/approvals/rules.js';

const FACTS: DecisionFacts = {
  principalKind: 'user',
  role: 'owner',
  isRequester: true,
  otherEligibleCount: 0,
  fourEyesAlways: false,
};
const outcome = (change: Partial<DecisionFacts>) => decisionRight({ ...FACTS, ...change }).outcome;

describe('who may decide', () => {
  it('is a member with the role security, admin or owner', () => {
    expect([...decidingRoles()].sort()).toEqual(['admin', 'owner', 'security']);
    const deciding = ROLES.codes.filter(
      (role) => outcome({ role, isRequester: false }) === 'decided',
    );
    expect(deciding).toEqual(['owner', 'admin', 'security']);
  });

  it('is the requester only where nobody else could and four eyes are not insisted on', () => {
    expect(outcome({})).toBe('self_decided');
    expect(outcome({ otherEligibleCount: 1 })).toBe('self_forbidden');
    expect(outcome({ fourEyesAlways: true })).toBe('self_forbidden');
    expect(outcome({ isRequester: false, otherEligibleCount: 1, fourEyesAlways: true })).toBe(
      'decided',
    );
  });

  it('is never a key, whatever the rest', () => {
    const facts = fc.record({
      principalKind: fc.constantFrom('user' as const, 'api_key' as const),
      role: fc.constantFrom(...ROLES.codes, 'agent', 'service', 'standard'),
      isRequester: fc.boolean(),
      otherEligibleCount: fc.nat(5),
      fourEyesAlways: fc.boolean(),
    });
    fc.assert(
      fc.property(facts, (each) => {
        const decided = decisionRight(each);
        const may = decided.outcome === 'decided' || decided.outcome === 'self_decided';
        const eligible = each.principalKind === 'user' && decidingRoles().includes(each.role);
        const alone = each.otherEligibleCount === 0 && !each.fourEyesAlways;
        expect(may).toBe(eligible && (!each.isRequester || alone));
        expect(decided.outcome === 'self_decided').toBe(may && each.isRequester);
        expect(decided.reason).not.toBe('');
      }),
    );
  });
});

describe('the states of an approval', () => {
  it('are left once, from pending', () => {
    expect(next(APPROVAL_LIFECYCLE, 'pending', 'approve')).toBe('approved');
    expect(next(APPROVAL_LIFECYCLE, 'pending', 'reject')).toBe('rejected');
    expect(next(APPROVAL_LIFECYCLE, 'pending', 'expire')).toBe('expired');
    for (const state of ['approved', 'rejected', 'expired'] as const) {
      for (const event of ['approve', 'reject', 'expire'] as const) {
        expect(() => next(APPROVAL_LIFECYCLE, state, event)).toThrow('is not possible');
      }
    }
  });
});

describe('the wait after a failed attempt', () => {
  it('grows fourfold from 5 s and ends after five attempts', () => {
    const attempts = Array.from({ length: EXECUTION_ATTEMPTS_MAX + 1 }, (_, i) => i + 1);
    expect(attempts.map(retryAfterSeconds)).toEqual([5, 20, 80, 320, undefined, undefined]);
  });
});
