import { describe, expect, it } from 'vitest';
import { COMPARE_INPUT } from '../../../src/delivery/migration/comparison-tables.js';
import {
  type EvaluationItem,
  evaluationHash,
  judgeOf,
  messagesOf,
  outputsOf,
  provesNothing,
} from '../../../src/delivery/migration/evaluation.rules.js';
import { compareFaults } from '../../../src/delivery/migration/input.rules.js';
import { inputValues } from '../../../src/kernel/fields/faults.js';

const ITEM: EvaluationItem = { input: 'Two and two?', expect: { contains: '4' } };

function faultsOf(evaluationSet: readonly EvaluationItem[]) {
  const given = { sourceCostPer1mRub: 120_000_000n, evaluationSet };
  return compareFaults(inputValues(COMPARE_INPUT.fields, given));
}

function pathsOf(items: readonly EvaluationItem[]): string[] {
  return faultsOf(items).map(({ path }) => path);
}

function schemaFault(jsonSchema: unknown): string | undefined {
  return faultsOf([{ ...ITEM, expect: { jsonSchema } }])[0]?.message;
}

describe('an expectation', () => {
  it.each([
    [{ equals: '4' }, ' 4\n', true],
    [{ equals: '4' }, '4.', false],
    [{ contains: 'four' }, 'It is four.', true],
    [{ contains: 'four' }, 'It is FOUR.', false],
    [{ startsWith: 'It' }, ' It is four.', true],
    [{ startsWith: 'four' }, 'It is four.', false],
    [{ jsonSchema: { type: 'object', required: ['sum'] } }, '{"sum":4}', true],
    [{ jsonSchema: { type: 'object', required: ['sum'] } }, '{"total":4}', false],
    [{ jsonSchema: { type: 'object' } }, 'no JSON', false],
  ])('%j judges %j as %s', (expectation, answer, passes) => {
    expect(judgeOf(expectation)(answer)).toBe(passes);
  });

  it('is not met by an answer beyond the bound, whatever it says', () => {
    expect(judgeOf({ contains: 'a' })('a'.repeat(20_000))).toBe(true);
    expect(judgeOf({ contains: 'a' })('a'.repeat(20_001))).toBe(false);
  });
});

describe('an expectation that does not tell answers apart', () => {
  const item = (expect: EvaluationItem['expect'], sourceOutput?: string): EvaluationItem => ({
    input: 'Which one?',
    expect,
    ...(sourceOutput === undefined ? {} : { sourceOutput }),
  });

  it.each([
    [{ contains: ' ' }],
    [{ contains: 'e' }],
    [{ startsWith: 'Thank' }],
    [{ equals: ' ' }],
    [{ jsonSchema: {} }],
    [{ jsonSchema: { type: 'object' } }],
    [{ jsonSchema: { type: 'array', items: { type: 'string' } } }],
    [{ jsonSchema: { type: 'string' } }],
    [{ jsonSchema: { type: ['integer', 'null'] } }],
  ])('such as %j proves nothing', (expectation) => {
    expect(provesNothing(item(expectation), [])).toBe(true);
  });

  it.each([
    [{ equals: 'positive' }],
    [{ equals: 'да' }],
    [{ contains: '42' }],
    [{ startsWith: 'The capital' }],
    [{ jsonSchema: { type: 'object', required: ['sum'] } }],
  ])('is none such as %j', (expectation) => {
    expect(provesNothing(item(expectation), [])).toBe(false);
  });

  it('passes the output of the source to another item beside its own', () => {
    const labels = [
      item({ equals: 'positive' }, 'positive'),
      item({ equals: 'negative' }, 'negative'),
      item({ equals: 'positive' }, ' positive'),
      item({ equals: 'positive' }, 'negative'),
    ];
    const proving = (items: readonly EvaluationItem[]) =>
      items.map((each) => provesNothing(each, outputsOf(items)));
    expect(proving(labels)).toEqual([false, false, false, false]);
    const loose = ['price: 5', 'price: 7', 'no idea'].map((output) =>
      item({ contains: 'price' }, output),
    );
    expect(proving([...loose, item({ contains: 'price' })])).toEqual([true, true, false, false]);
  });
});

describe('an evaluation set', () => {
  it('has from 1 to 200 items', () => {
    expect(faultsOf([ITEM])).toEqual([]);
    expect(pathsOf([])).toEqual(['input.evaluationSet']);
    expect(pathsOf(Array.from({ length: 201 }, () => ITEM))).toEqual(['input.evaluationSet']);
  });

  it('names every fault of every item', () => {
    expect(
      pathsOf([
        { expect: { contains: 'a' } },
        { ...ITEM, messages: [{ role: 'user', content: 'x' }] },
        { messages: [], expect: { contains: 'a' } },
        { input: '', expect: {} },
        { input: 'x'.repeat(20_001), expect: { equals: 'a', contains: 'b' } },
        { ...ITEM, sourceOutput: '\ud800' },
      ]),
    ).toEqual([
      'input.evaluationSet.0',
      'input.evaluationSet.1',
      'input.evaluationSet.3.expect',
      'input.evaluationSet.4.expect',
      'input.evaluationSet.2.messages',
      'input.evaluationSet.3.input',
      'input.evaluationSet.4.input',
      'input.evaluationSet.5.sourceOutput',
    ]);
  });

  it.each<[string, unknown]>([
    ['must be an object', 'text'],
    ['must have at most', { enum: ['x'.repeat(16_384)] }],
    ['without $ref', { $ref: '#' }],
    ['without $ref', { properties: { a: { $ref: 'https://example.com' } } }],
    ['without $async', { $async: true }],
    ['patterns such as', { type: 'string', pattern: '(a+)+$' }],
    ['patterns such as', { patternProperties: { '(a+)+$': {} } }],
    ['has at most 64 levels', JSON.parse(`${'{"not":'.repeat(2_000)}{}${'}'.repeat(2_000)}`)],
    ['cannot be used', { type: 'nonsense' }],
    ['cannot be used', { minimum: 'nonsense' }],
    ['cannot be used', { const: '\ud800' }],
  ])('refuses a schema that %s', (message, schema) => {
    expect(schemaFault(schema)).toContain(message);
  });

  it('has a hash that any change of it changes', () => {
    const hash = evaluationHash([ITEM]);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(evaluationHash([{ ...ITEM }])).toBe(hash);
    const changed: EvaluationItem[][] = [
      [ITEM, ITEM],
      [{ ...ITEM, input: 'other' }],
      [{ ...ITEM, expect: { equals: '4' } }],
      [{ ...ITEM, sourceOutput: '4' }],
    ];
    expect(new Set([hash, ...changed.map(evaluationHash)]).size).toBe(5);
  });

  it('takes an input as the message of a user', () => {
    expect(messagesOf(ITEM)).toEqual([{ role: 'user', content: 'Two and two?' }]);
  });
});
