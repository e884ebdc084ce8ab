import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RunBudget } from '../../../src/delivery/prompt-evaluations/budget.js';
import { openedContent, sealedContent } from '../../../src/kernel/fields/sealed.js';
import { caseSetFaults } from '../../../src/prompts/evaluations/case-set.rules.js';
import { EVIDENCE, type Evidence } from '../../../src/prompts/evaluations/evidence-tables.js';
import {
  fixedGrades,
  judgedScore,
  outcomeOf,
} from '../../../src/prompts/evaluations/graders.rules.js';
import { pathSteps, valueAt } from '../../../src/prompts/evaluations/json-path.rules.js';
import {
  comparisonOf,
  regressionProbability,
} from '../../../src/prompts/evaluations/paired.rules.js';
import { textSimilarity } from '../../../src/prompts/evaluations/similarity.rules.js';
import type { Grader, PromptCase } from '../../../src/prompts/evaluations/tables.js';
import {
  checkEvidence,
  decisionAgain,
  failingOf,
  gateStatusOf,
} from '../../../src/prompts/packages/gate/evidence.rules.js';

const NO_GRADER: Grader = { rule: null, similarity: null, judge: null };
const BARE: PromptCase = {
  name: 'x',
  variables: null,
  messages: [],
  expectedOutput: null,
  outputSchema: null,
  graders: [],
};

function ruled(rule: object): PromptCase {
  const whole = { value: null, path: null, json: null, ...rule } as Grader['rule'];
  return { ...BARE, graders: [{ ...NO_GRADER, rule: whole }] };
}

describe('a rule', () => {
  it.each<[object, string, boolean]>([
    [{ kind: 'equals', value: '{"a":1,"b":2}' }, ' {"b": 2, "a": 1} ', true],
    [{ kind: 'equals', value: 'Yes' }, 'yes', false],
    [{ kind: 'contains', value: 'ten' }, 'It takes ten days.', true],
    [{ kind: 'not_contains', value: 'ten' }, 'It takes ten days.', false],
    [{ kind: 'regex', value: '^\\d+$' }, '12', true],
    [{ kind: 'regex', value: '^(a+)+$' }, `${'a'.repeat(5_000)}!`, false],
    [{ kind: 'json_path', path: '$.a[1]["b c"]', json: 2 }, '{"a": [0, {"b c": 2}]}', true],
    [{ kind: 'json_path', path: '$.a', json: 2 }, '{"a": "2"}', false],
    [{ kind: 'json_path', path: '$.a' }, '{"a": null}', false],
    [{ kind: 'json_path', path: '$.constructor' }, '{}', false],
    [{ kind: 'json_path', path: '$.a' }, 'no JSON', false],
  ])('%j on %j: %s', (rule, answer, passed) => {
    expect(fixedGrades(ruled(rule), answer).map((each) => each.passed)).toEqual([passed]);
  });

  it('never throws and repeats no answer, whatever a model writes', () => {
    const rules = [
      { kind: 'equals', value: 'x' },
      { kind: 'json_path', path: '$.a.b', json: { c: 1 } },
      { kind: 'regex', value: 'x' },
    ];
    const answers = fc.oneof(fc.string({ unit: 'binary' }), fc.json());
    fc.assert(
      fc.property(fc.constantFrom(...rules), answers, (rule, answer) => {
        const [grade] = fixedGrades(ruled(rule), answer);
        const text = grade?.passed ? null : `The rule ${rule.kind} does not hold.`;
        expect(grade?.message).toBe(text);
      }),
    );
  });

  it('without graders is that the answer equals what is expected', () => {
    const expecting = { ...BARE, expectedOutput: '{"a": 1}' };
    expect(fixedGrades(expecting, '{ "a":1 }')[0]).toMatchObject({ passed: true });
    expect(outcomeOf(fixedGrades(BARE, 'x'))).toBe('unproved');
  });
});

describe('a path', () => {
  it('is a singular query or nothing, and follows own members alone', () => {
    expect(pathSteps('$.a[0]["b"]')).toEqual(['a', 0, 'b']);
    for (const wrong of ['a', '$..a', '$.*', '$[*]', '$[-1]', '$.a[?@.b]', '$.', '$a']) {
      expect([wrong, pathSteps(wrong)]).toEqual([wrong, undefined]);
    }
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(fc.oneof(fc.string(), fc.nat(9))), (value, steps) => {
        expect(() => valueAt(value, steps)).not.toThrow();
      }),
    );
  });
});

describe('the similarity of texts', () => {
  it('is symmetric, from 0 to 1, and 1 for texts that differ in case and spaces alone', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        const share = textSimilarity(one, other);
        expect(share).toBe(textSimilarity(other, one));
        expect(share).toBeGreaterThanOrEqual(0);
        expect(share).toBeLessThanOrEqual(1);
        expect(textSimilarity(one, one)).toBe(1);
      }),
    );
    expect(textSimilarity('Где  мой ЗАКАЗ', 'где мой заказ')).toBe(1);
    // abcd has abc, bcd; abce has abc, bce: 2·1 / 4.
    expect(textSimilarity('abcd', 'abce')).toBe(0.5);
    expect(textSimilarity('abcd', 'wxyz')).toBe(0);
  });
});

describe('the paired test', () => {
  it('counts the same as every way to flip fair coins', () => {
    for (let pairs = 1; pairs <= 10; pairs += 1) {
      for (let worse = 1; worse <= pairs; worse += 1) {
        let ways = 0;
        for (let flips = 0; flips < 2 ** pairs; flips += 1) {
          const heads = flips.toString(2).replaceAll('0', '').length;
          if (heads >= worse) ways += 1;
        }
        const exact = ways / 2 ** pairs;
        const found = regressionProbability({ worse, better: pairs - worse });
        expect(found).toBeGreaterThanOrEqual(exact - 1e-12);
        expect(found).toBeLessThan(exact + 1e-6 + 1e-12);
      }
    }
  });

  it.each<[string, number, number, number, string]>([
    ['no case became worse', 0, 3, 10, 'no_case_worse'],
    ['five of five', 5, 0, 5, 'regressed'],
    ['four of four cases', 4, 0, 4, 'cannot_conclude'],
    ['four of ten cases', 4, 0, 10, 'not_significant'],
    ['as many better', 5, 5, 20, 'not_significant'],
  ])('%s', (_what, worse, better, count, verdict) => {
    const pairs = Array.from({ length: count }, (_none, at) => {
      return [at >= worse || at < 0 ? at < worse || at >= worse + better : true, at >= worse];
    }) as [boolean, boolean][];
    expect(comparisonOf(pairs, 0.05)).toMatchObject({ worse, better, verdict });
  });
});

describe('a judge', () => {
  it('says a score from 0 to 1, or nothing', () => {
    expect(judgedScore('{"score": 0.5, "why": "x"}')).toBe(0.5);
    for (const wrong of ['', '0.5', 'null', '{"score": "1"}', '{"score": 2}', '{"score": -1}']) {
      expect([wrong, judgedScore(wrong)]).toEqual([wrong, undefined]);
    }
  });
});

describe('a budget', () => {
  it('is never overspent, whatever requests cost within their estimates', async () => {
    const request = fc.tuple(fc.nat(50), fc.nat(100));
    await fc.assert(
      fc.asyncProperty(fc.nat(500), fc.array(request, { maxLength: 40 }), async (max, all) => {
        const budget = new RunBudget(BigInt(max));
        let spent = 0;
        const work = async ([most, percent]: readonly [number, number]) => {
          if (!(await budget.take(BigInt(most)))) return;
          await Promise.resolve();
          const cost = Math.floor((most * percent) / 100);
          spent += cost;
          budget.settle(BigInt(most), BigInt(cost));
        };
        await Promise.all(all.map(work));
        expect(spent).toBeLessThanOrEqual(max);
      }),
    );
  });
});

const target = fc.record({
  name: fc.constantFrom('a', 'b'),
  model: fc.constant('m'),
  simulatedOnly: fc.boolean(),
  evaluationId: fc.constant(null),
  receiptId: fc.constant(null),
  runs: fc.nat(3),
  outcomes: fc.option(fc.string({ unit: fc.constantFrom('p', 'f', 'u'), maxLength: 8 })),
  simulated: fc.boolean(),
  schemaChecked: fc.nat(8),
  schemaValid: fc.nat(8),
  costMicro: fc.bigInt({ min: 0n, max: 10n }),
  latencyMsMedian: fc.option(fc.nat(9)),
});
const targets = fc.array(target, { maxLength: 3 });
const evidences = fc.record({
  hasSchema: fc.boolean(),
  caseSetId: fc.constant(null),
  caseSetVersion: fc.constant(null),
  caseSetHash: fc.constant(null),
  caseCount: fc.nat(8),
  passShareMin: fc.constantFrom(0, 0.5, 0.9, 1),
  significance: fc.constant(0.05),
  targets,
  production: fc.option(fc.record({ version: fc.nat(9), contentHash: fc.constant('a'), targets })),
});

describe('the decision on evidence', () => {
  it('passes only where every case has an answer that counts, and follows from the receipt', () => {
    fc.assert(
      fc.property(evidences, (evidence: Evidence) => {
        const checks = checkEvidence(evidence);
        const status = gateStatusOf(checks, evidence);
        const { caseCount } = evidence;
        if (status === 'pass') {
          expect(caseCount).toBeGreaterThan(0);
          expect(evidence.targets.length).toBeGreaterThan(0);
          for (const each of evidence.targets) {
            expect(each.outcomes).toMatch(new RegExp(`^[pf]{${caseCount}}$`));
            expect(each.simulated && !each.simulatedOnly).toBe(false);
          }
          expect(failingOf(checks, evidence)).toEqual([]);
        }
        if (evidence.hasSchema && status !== 'fail') {
          expect(evidence.targets.every((each) => each.schemaChecked >= caseCount)).toBe(true);
        }
        const sealed = openedContent(EVIDENCE.fields, sealedContent(EVIDENCE.fields, evidence));
        expect(decisionAgain({ checks, evidence: sealed })).toEqual({ gateStatus: status, checks });
      }),
      { numRuns: 2_000 },
    );
  });

  it('cannot be made again from a receipt without evidence', () => {
    expect(decisionAgain({ checks: [], evidence: null })).toBeNull();
  });
});

describe('a case set', () => {
  it('names a name that occurs twice, and graders that are none or several', () => {
    const cases = [BARE, { ...BARE, graders: [NO_GRADER] }];
    const content = { description: null, passShareMin: 1, significance: 0.05, cases };
    expect(caseSetFaults(content).map(({ path }) => path)).toEqual([
      'input.cases.1.name',
      'input.cases.1.graders.0',
    ]);
  });
});
