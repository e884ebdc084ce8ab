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
import { ownRulesOf } from '../../../src/kernel/firewall/modes.js';
import { ownClass } from '../../../src/kernel/firewall/own-classes.js';
import {
  DATA_CLASSES,
  FINDING_CLASSES,
  FIREWALL_MODES,
} from '../../../src/kernel/firewall/vocabulary.js';

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
    dataClassMin: fc.constantFrom(...DATA_CLASSES.map(({ code }) => code)),
    firewall: fc.dictionary(fc.constantFrom(...CLASSES), fc.constantFrom(...MODES)),
    firewallCustom: fc.uniqueArray(
      fc.record({
        name: fc.constantFrom('project_name', 'partner'),
        words: fc.constant(['Заря']),
        patterns: fc.constant(['NS-[0-9]{4}']),
        mode: fc.constantFrom(...MODES),
        dataClass: fc.constantFrom('C2' as const, 'C4' as const),
      }),
      { minLength: 1, selector: ({ name }) => name },
    ),
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
          if (each.dataClassMin) {
            expect((merged.dataClassMin ?? 'C0') >= each.dataClassMin).toBe(true);
          }
          for (const [name, mode] of Object.entries(each.firewall)) {
            const code = name as (typeof CLASSES)[number];
            const rank = MODES.indexOf(mode as (typeof MODES)[number]);
            expect(MODES.indexOf(merged.firewall[code])).toBeGreaterThanOrEqual(rank);
            expect(MODES.indexOf(merged.answerFirewall[code])).toBeGreaterThanOrEqual(rank);
          }
          for (const rule of each.firewallCustom ?? []) {
            const rank = MODES.indexOf(rule.mode);
            const code = ownClass(rule);
            expect(MODES.indexOf(merged.firewall[code] ?? 'off')).toBeGreaterThanOrEqual(rank);
            const highest = ownRulesOf(merged.answerFirewall)?.dataClassOf(rule.name) ?? 'C0';
            expect(highest >= rule.dataClass).toBe(true);
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
        expect(other).toMatchObject({ limits, hybrid });
        expect(plain(other.firewall)).toEqual(plain(firewall));
        expect(plain(other.answerFirewall)).toEqual(plain(answerFirewall));
        expect(other.allowedModels && [...other.allowedModels].sort()).toEqual(
          allowedModels && [...allowedModels].sort(),
        );
      }),
    );
  });
});

/** Modes without how their own classes are found. */
function plain(modes: object): unknown {
  return JSON.parse(JSON.stringify(modes));
}

describe('stored rules', () => {
  it('are read back as they were written, amounts to the micro-ruble', () => {
    fc.assert(
      fc.property(rules, (each) => {
        expect(readRules(JSON.parse(JSON.stringify(storedRules(each))))).toEqual(each);
      }),
    );
  });
});
