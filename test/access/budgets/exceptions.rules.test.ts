import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BudgetFacts,
  exceptionFaults,
  missingMicro,
  STATUS_AFTER,
  shownOf,
  summaryOf,
} from '../../../src/access/budgets/rules.js';
import { EXCEPTION_BOUNDS, EXCEPTION_STATUSES } from '../../../src/access/budgets/vocabulary.js';
import { canonicalJson } from '../../../src/kernel/canonical.js';
import { APPROVAL_STATUSES } from '../../../src/records/approvals/vocabulary.js';

const micro = fc.bigInt({ min: 0n, max: 10n ** 15n });

describe('what a waiting request asks for', () => {
  it('lets it in whatever the budget looks like, also beside others that ask the same', () => {
    const budget = fc.record({ spentMicro: micro, heldMicro: micro, capMicro: micro });
    fc.assert(
      fc.property(micro, budget, fc.bigInt({ min: 1n, max: 50n }), (estimate, full, waiters) => {
        const amount = missingMicro(estimate, full);
        const used = full.spentMicro + full.heldMicro + waiters * estimate;
        expect(used <= full.capMicro + waiters * amount || amount === 0n).toBe(true);
      }),
    );
  });

  it('is a whole number of kopeks, and less than a kopek more than it needs', () => {
    fc.assert(
      fc.property(micro, micro, (estimate, capMicro) => {
        const amount = missingMicro(estimate, { spentMicro: 0n, heldMicro: 0n, capMicro });
        expect(amount % 10_000n).toBe(0n);
        expect(amount - estimate >= 0n && amount - estimate < 10_000n).toBe(true);
      }),
    );
    expect(missingMicro(1n, { spentMicro: 3n, heldMicro: 2n, capMicro: 5n })).toBe(10_000n);
    expect(missingMicro(1n, { spentMicro: 15_000n, heldMicro: 0n, capMicro: 0n })).toBe(20_000n);
  });
});

describe('a wish', () => {
  const { amountMicroMax } = EXCEPTION_BOUNDS;
  it.each([
    [1n, 'why', []],
    [amountMicroMax, 'x'.repeat(500), []],
    [0n, 'why', ['amountRub out_of_range']],
    [-1n, 'why', ['amountRub out_of_range']],
    [amountMicroMax + 1n, 'why', ['amountRub out_of_range']],
    [1n, '', ['reason out_of_range']],
    [1n, '   ', ['reason out_of_range']],
    [1n, 'x'.repeat(501), ['reason out_of_range']],
    [1n, 'a\udc00', ['reason invalid']],
    [1n, 'a\0', ['reason invalid']],
    [0n, '', ['reason out_of_range', 'amountRub out_of_range']],
  ])('of %s for %j has the faults %j', (amountMicro, reason, faults) => {
    const found = exceptionFaults({ amountMicro, reason });
    expect(found.map(({ path, code }) => `${path} ${code}`)).toEqual(faults);
  });

  it('without faults can always be shown and hashed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), micro, (reason, amountMicro) => {
        fc.pre(exceptionFaults({ amountMicro, reason }).length === 0);
        expect(() => canonicalJson(shownOf(FACTS, { amountMicro, reason }))).not.toThrow();
      }),
    );
  });
});

const FACTS: BudgetFacts = {
  budgetId: 'b',
  policyId: 'p',
  policyName: 'production',
  scope: 'policy',
  scopeRef: 'p',
  name: 'production (month)',
  period: 'month',
  periodStart: '2026-11-01',
  capMicro: 10_000_000n,
  grantedMicro: 2_500_000n,
  spentMicro: 12_000_000n,
  heldMicro: 400_000n,
};

describe('the queue', () => {
  it('tells in a line how much more than what cap is wanted', () => {
    expect(summaryOf(FACTS, { amountMicro: 3_000_000n, reason: 'r' })).toBe(
      '3.00 RUB beyond 12.50 RUB of "production (month)" from 2026-11-01',
    );
  });

  it('decides about every exception: each status of an approval has its own', () => {
    expect(Object.keys(STATUS_AFTER)).toEqual(APPROVAL_STATUSES.codes);
    expect(Object.values(STATUS_AFTER)).toEqual(EXCEPTION_STATUSES.codes);
  });
});
