import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  mergePolicies,
  type PolicyInForce,
  readRules,
  storedRules,
} from '../../../src/access/policies/rules.js';
import {
  HYBRID_MODES,
  LIMIT_BOUNDS,
  type PolicyRules,
} from '../../../src/access/policies/vocabulary.js';
import { FINDING_CLASSES, FIREWALL_MODES } from '../../../src/kernel/firewall/vocabulary.js';

const CLASSES = FINDING_CLASSES.map(({ code }) => code);
const MODES = FIREWALL_MODES.map(({ code }) => code);
const HYBRIDS = HYBRID_MODES.map(({ code }) => code);
const LIMITS = Object.keys(LIMIT_BOUNDS);

const amount = fc.bigInt({ min: 1n, max: 10n ** 15n });
const rules: fc.Arbitrary<PolicyRules> = fc.record(
  {
    budgets: fc.record({ dailyMicro: amount, monthlyMicro: amount }, { requiredKeys: [] }),
    allowedModels: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 }),
    limits: fc.dictionary(fc.constantFrom(...LIMITS), fc.integer({ min: 1, max: 1_000 })),
    hybrid: fc.constantFrom(...HYBRIDS),
    firewall: fc.dictionary(fc.constantFrom(...CLASSES), fc.constantFrom(...MODES)),
  },
  { requiredKeys: ['budgets', 'limits', 'firewall'] },
);
const policies = fc.array(
  rules.map((each): PolicyInForce => {
    return { id: 'p', version: 1, name: 'p', rules: each, budgetIds: [] };
  }),
  { maxLength: 4 },
);

describe('the policies of a project taken together', () => {
  it('are as strict as the strictest of them in every part', () => {
    fc.assert(
      fc.property(policies, (all) => {
        const merged = mergePolicies(all);
        for (const { rules: each } of all) {
          for (const [name, value] of Object.entries(each.limits)) {
            expect(merged.limits[name as keyof typeof merged.limits]).toBeLessThanOrEqual(value);
          }
          if (each.hybrid) {
            expect(HYBRIDS.indexOf(merged.hybrid)).toBeLessThanOrEqual(
              HYBRIDS.indexOf(each.hybrid),
            );
          }
          for (const [name, mode] of Object.entries(each.firewall)) {
            const code = name as (typeof CLASSES)[number];
            const rank = MODES.indexOf(mode as (typeof MODES)[number]);
            expect(MODES.indexOf(merged.firewall[code])).toBeGreaterThanOrEqual(rank);
            expect(MODES.indexOf(merged.answerFirewall[code])).toBeGreaterThanOrEqual(rank);
          }
          for (const model of merged.allowedModels ?? []) {
            expect(each.allowedModels?.includes(model) ?? true).toBe(true);
          }
        }
      }),
    );
  });

  it('allow every model that each of them allows', () => {
    fc.assert(
      fc.property(policies, fc.constantFrom('a', 'b', 'c'), (all, model) => {
        const everywhere = all.every(
          ({ rules: each }) => each.allowedModels?.includes(model) ?? true,
        );
        expect(mergePolicies(all).allowedModels?.has(model) ?? true).toBe(everywhere);
      }),
    );
  });

  it('do not depend on their order', () => {
    fc.assert(
      fc.property(policies, (all) => {
        const { limits, hybrid, firewall, answerFirewall, allowedModels } = mergePolicies(all);
        const other = mergePolicies([...all].reverse());
        expect(other).toMatchObject({ limits, hybrid, firewall, answerFirewall });
        expect(other.allowedModels && [...other.allowedModels].sort()).toEqual(
          allowedModels && [...allowedModels].sort(),
        );
      }),
    );
  });
});

describe('stored rules', () => {
  it('are read back as they were written, amounts to the micro-ruble', () => {
    fc.assert(
      fc.property(rules, (each) => {
        expect(readRules(JSON.parse(JSON.stringify(storedRules(each))))).toEqual(each);
      }),
    );
  });
});
