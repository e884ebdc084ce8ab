import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  alertBasisPoints,
  askingOrder,
  concerning,
  guard,
  scopeKey,
} from '../../../src/finops/budgets/budgets.rules.js';
import { ON_CAP_ACTIONS } from '../../../src/finops/budgets/vocabulary.js';

const NONE = { use_case: [], route: [], partner_client: [], agent_session: [] };

describe('what concerns a request', () => {
  const kept = new Map([
    [scopeKey('use_case', 'a'), ['a']],
    [scopeKey('use_case', '*'), ['every use case']],
    [scopeKey('route', 'a'), ['route a']],
  ]);

  it.each([
    [NONE, []],
    [{ ...NONE, use_case: ['a'] }, ['every use case', 'a']],
    [{ ...NONE, use_case: ['b'] }, ['every use case']],
    [{ ...NONE, route: ['a', 'a'] }, ['route a']],
    [{ ...NONE, agent_session: ['a'] }, []],
  ])('%j is %j', (scopes, found) => {
    expect(concerning(kept, scopes)).toEqual(found);
  });
});

describe('the order in which the ledger is asked', () => {
  it('begins with what degrades and ends with what only counts', () => {
    const all = ON_CAP_ACTIONS.codes.map((onCapReached) => ({
      id: onCapReached,
      name: '',
      onCapReached,
      degradeTo: undefined,
    }));
    const order = ['degrade', 'policy', 'block', 'require_approval', 'allow'];
    expect(askingOrder(all, ['policy'])).toEqual(order);
  });

  it('is that of the policy, the very list, where no scope has a budget', () => {
    const policy = ['one', 'two'];
    expect(askingOrder([], policy)).toBe(policy);
  });
});

describe('the guard', () => {
  const micro = fc.bigInt({ min: 0n, max: 10n ** 15n });
  const budget = fc.record({
    spentMicro: micro,
    heldMicro: micro,
    capMicro: micro,
    grantedMicro: micro,
    onCapReached: fc.constantFrom(...ON_CAP_ACTIONS.codes),
    degradeTo: fc.constant('cheap'),
    softAlerts: fc.constant([5_000, 10_000]),
    active: fc.boolean(),
  });

  it('allows what fits the cap and decides by the action of the budget what does not', () => {
    fc.assert(
      fc.property(budget, micro, (given, estimate) => {
        const { decision, capReached, leftMicro } = guard(given, estimate);
        const fits =
          given.spentMicro + given.heldMicro + estimate <= given.capMicro + given.grantedMicro;
        expect(capReached).toBe(!fits);
        expect(decision).toBe(fits || !given.active ? 'allow' : given.onCapReached);
        if (fits) expect(leftMicro >= estimate).toBe(true);
      }),
    );
  });
});

describe('soft alerts', () => {
  it('are percentages, each once and ascending', () => {
    expect(alertBasisPoints([80, 1, 50, 50, 99.99])).toEqual([100, 5_000, 8_000, 9_999]);
  });
});
