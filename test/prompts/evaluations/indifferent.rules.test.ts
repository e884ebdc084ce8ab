import { describe, expect, it } from 'vitest';
import { isIndifferent } from '../../../src/prompts/evaluations/indifferent.rules.js';
import { keepsCases } from '../../../src/prompts/evaluations/kept-cases.rules.js';
import type { Grader, PromptCase } from '../../../src/prompts/evaluations/tables.js';

const BARE: PromptCase = {
  name: 'case',
  variables: null,
  messages: [],
  expectedOutput: null,
  outputSchema: null,
  graders: [],
};
const NONE: Grader = { rule: null, similarity: null, judge: null };
const rule = (kind: string, value: string): Grader =>
  ({ ...NONE, rule: { kind, value, path: null, json: null } }) as Grader;
const judge = (scoreMin: number): Grader =>
  ({
    ...NONE,
    judge: { model: 'm', rubric: 'Is it polite?', scoreMin, budgetMicro: 1n },
  }) as Grader;
const NEEDED = { type: 'object', required: ['reply'] };

describe('a case says nothing of an answer', () => {
  it.each<[string, readonly Grader[], object | null, boolean]>([
    ['that lacks a word which no answer has', [rule('not_contains', 'zzzz')], null, true],
    ['of any form', [rule('regex', '.*')], null, true],
    ['of any likeness', [{ ...NONE, similarity: { shareMin: 0 } } as Grader], null, true],
    ['of any form by a schema of any object', [], { type: 'object' }, true],
    ['that a judge passes with no score', [judge(0)], null, true],
    ['with what it is asked for', [rule('contains', 'ten days')], null, false],
    [
      'with no such word, and with one',
      [rule('not_contains', 'z'), rule('contains', '42')],
      null,
      false,
    ],
    ['by a schema that demands something', [rule('not_contains', 'zzzz')], NEEDED, false],
    ['that a judge passes', [rule('regex', '.*'), judge(0.5)], null, false],
  ])('%s', (_what, graders, schema, indifferent) => {
    expect(isIndifferent({ ...BARE, graders }, schema as never)).toBe(indifferent);
  });

  it.each<[string, Partial<PromptCase>, boolean]>([
    [
      'of a message',
      { messages: [{ role: 'user', content: 'Refund in ten days?' }] as never },
      true,
    ],
    ['of a variable', { variables: { q: 'Refund in ten days?', tone: 'kind' } }, true],
    ['of variables within one', { variables: { q: { asked: ['ten days?', 'Refund'] } } }, true],
    [
      'of a variable and a message together',
      {
        variables: { q: 'Refund' },
        messages: [{ role: 'user', content: 'in ten days?' }] as never,
      },
      true,
    ],
    ['of nothing that is asked', { variables: { q: 'When is a refund paid?' } }, false],
  ])('that asks for the words %s alone, since an echo passes it', (_what, asked, indifferent) => {
    const graders = [rule('contains', 'Refund'), rule('contains', 'ten days')];
    expect(isIndifferent({ ...BARE, ...asked, graders }, null)).toBe(indifferent);
    const more = [...graders, rule('contains', 'to the card')];
    expect(isIndifferent({ ...BARE, ...asked, graders: more }, null)).toBe(false);
  });

  it('never where it expects an output, or has nothing that judges', () => {
    expect(isIndifferent({ ...BARE, expectedOutput: 'ten days' }, null)).toBe(false);
    expect(isIndifferent({ ...BARE, expectedOutput: ' ' }, null)).toBe(true);
    expect(isIndifferent(BARE, null)).toBe(false);
  });
});

describe('a case set keeps the cases of an earlier one', () => {
  const [one, two, three] = ['one', 'two', 'three'].map((name) => ({ ...BARE, name })) as [
    PromptCase,
    PromptCase,
    PromptCase,
  ];
  const set = (cases: readonly PromptCase[] | null, passShareMin = 1, significance = 0.05) => ({
    cases,
    passShareMin,
    significance,
  });
  const before = set([one, two], 0.5);

  it.each<[string, ReturnType<typeof set>, string, boolean]>([
    ['with all of them and a further one', set([three, two, one], 0.5), 'fpf', true],
    ['with too few of them that pass', set([three, two, one], 0.5), 'pff', false],
    ['without one of them', set([one, three]), 'pp', false],
    [
      'with one of them changed',
      set([one, { ...two, messages: [], expectedOutput: 'x' }]),
      'pp',
      false,
    ],
    ['that demands less', set([one, two], 0.4), 'pp', false],
    ['with another level of chance', set([one, two], 0.5, 0.01), 'pp', false],
    ['that was erased', set(null), 'pp', false],
  ])('%s', (_what, after, outcomes, kept) => {
    expect(keepsCases(before, after, [{ outcomes }])).toBe(kept);
  });

  it('with each model', () => {
    const targets = [{ outcomes: 'pp' }, { outcomes: 'ff' }];
    expect(keepsCases(before, set([one, two], 0.5), targets)).toBe(false);
    expect(keepsCases(set(null), set([one]), [{ outcomes: 'p' }])).toBe(false);
  });
});
