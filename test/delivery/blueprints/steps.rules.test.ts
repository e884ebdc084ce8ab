import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blueprintById } from '../../../src/delivery/blueprints/catalogue.js';
import {
  approvalNeed,
  toolPreview,
  validated,
} from '../../../src/delivery/blueprints/decisions.js';
import { bestPassages, stemsOf } from '../../../src/delivery/blueprints/retrieve.js';
import { runSteps } from '../../../src/delivery/blueprints/run-steps.js';
import { transformed } from '../../../src/delivery/blueprints/transform.js';
import { holds, valueAt } from '../../../src/delivery/blueprints/values.js';
import type { AuthorizedCtx } from '../../../src/graph/ctx.js';

const values = {
  input: { amount: 100, name: 'Анна', list: [1], inn: '7707083893', empty: '', nested: { a: 1 } },
  outputs: new Map<string, unknown>([['step', { total: 100.004, word: 'да', none: null }]]),
};

describe('a path', () => {
  it('leads into inputs and outputs, and to null where nothing is', () => {
    expect(valueAt(values, 'input.nested.a')).toBe(1);
    expect(valueAt(values, 'steps.step.word')).toBe('да');
    for (const path of ['input.no', 'input.name.length', 'steps.no.x', 'input.toString', 'x.y']) {
      expect(valueAt(values, path)).toBe(null);
    }
  });
});

describe('a condition', () => {
  it.each([
    ['input.amount', 'equals', 100, true],
    ['input.amount', 'equals', '100', false],
    ['input.name', 'not_equals', 'Олег', true],
    ['input.name', 'in', ['Анна', 'Олег'], true],
    ['input.name', 'in', ['Олег'], false],
    ['input.amount', 'above', 99, true],
    ['input.amount', 'above', 100, false],
    ['input.amount', 'below', 101, true],
    ['input.name', 'below', 101, false],
    ['input.list', 'present', undefined, true],
    ['input.empty', 'present', undefined, false],
    ['input.inn', 'valid_inn', undefined, true],
    ['input.name', 'valid_inn', undefined, false],
  ] as const)('%s %s %j is %s', (ref, operator, value, expected) => {
    expect(holds(values, { ref, operator, value })).toBe(expected);
  });

  it('compares with another value, to less than a hundredth for amounts', () => {
    const near = { ref: 'steps.step.total', operator: 'near', other: 'input.amount' } as const;
    expect(holds(values, near)).toBe(true);
    expect(holds(values, { ref: 'input.amount', operator: 'near', value: 100.01 })).toBe(false);
  });

  it('never holds for a value that is not there', () => {
    const operators = ['equals', 'not_equals', 'in', 'above', 'below', 'near', 'present'] as const;
    for (const operator of operators) {
      expect(holds(values, { ref: 'steps.skipped.x', operator, value: 1 })).toBe(false);
    }
  });
});

describe('retrieval', () => {
  const documents = [
    { id: 'A', title: 'Отпуск', text: 'Отпуск 28 дней.\n\nЗаявления подают за 14 дней.' },
    { id: 'B', title: 'Доступ', text: 'Доступ выдаёт администратор.' },
  ];

  it('ranks the paragraph with the rarest words of the question first', () => {
    const found = bestPassages(documents, 'как подать заявление на отпуск', 5);
    expect(found.map(({ id, text }) => [id, text])).toEqual([
      ['A', 'Заявления подают за 14 дней.'],
      ['A', 'Отпуск 28 дней.'],
    ]);
  });

  it('finds nothing where no word is shared', () => {
    expect(bestPassages(documents, 'погода завтра', 5)).toEqual([]);
    expect(bestPassages([], 'отпуск', 5)).toEqual([]);
  });

  it('gives at most `top` passages, best first, each with a word of the question', () => {
    const words = fc.constantFrom('отпуск', 'касса', 'чек', 'склад', 'возврат', 'оплата');
    const text = fc.array(words, { minLength: 1, maxLength: 12 }).map((each) => each.join(' '));
    const document = fc.record({ id: fc.string(), title: fc.constant('Статья'), text });
    fc.assert(
      fc.property(fc.array(document), text, fc.integer({ min: 1, max: 5 }), (given, query, top) => {
        const found = bestPassages(given, query, top);
        expect(found.length).toBeLessThanOrEqual(top);
        const scores = found.map(({ score }) => score);
        expect(scores).toEqual([...scores].sort((a, b) => b - a));
        const wanted = new Set(stemsOf(query));
        for (const passage of found) {
          expect(stemsOf(passage.text).some((stem) => wanted.has(stem))).toBe(true);
        }
      }),
    );
  });
});

describe('a transform', () => {
  const of = 'value';
  it.each([
    ['count', [1, 2, 3], 3],
    ['count', 'одна\n\nдве', 2],
    ['count', null, 0],
    ['lines', 'одна\n \nдве\r\n', ['одна', 'две']],
    ['join', [{ name: 'Объём', value: '1,7 л' }, 'сталь'], 'Объём: 1,7 л\nсталь'],
    ['amounts', 'Итого 12 500 000,50 руб., аванс 300₽ и 7 шт.', [12_500_000.5, 300]],
    ['dates', 'с 01.02.2026 по 30.02.2026, затем 01.02.2026', ['2026-02-01']],
  ] as const)('%s of %j is %j', (operation, value, expected) => {
    expect(transformed({ x: { operation, of } }, { value })).toEqual({ x: expected });
  });

  it('counts what differs, and joins lists and their elements', () => {
    const set = {
      percent: { operation: 'percent', of, by: 'whole' },
      union: { operation: 'union', of: 'text', by: 'whole' },
      lookup: { operation: 'lookup', of: 'named', field: 'rule', by: 'rules' },
    } as const;
    const given = {
      value: ['a', 'a ', 'a'],
      whole: ['a', 'b'],
      text: 'c',
      named: [{ rule: 'R1', quote: 'q' }, { rule: 'R9' }],
      rules: [{ id: 'R1', text: 't' }],
    };
    expect(transformed(set, given)).toEqual({
      percent: 50,
      union: ['c', 'a', 'b'],
      lookup: [{ rule: { id: 'R1', text: 't' }, quote: 'q' }, { rule: null }],
    });
  });

  it('sums money by hundredths, so that nothing is lost to fractions', () => {
    const value = [
      { price: 0.1, quantity: 3 },
      { price: 0.2, quantity: 1 },
    ];
    const set = {
      product: { operation: 'sum_product', of, field: 'price', by: 'quantity' },
    } as const;
    expect(transformed(set, { value })).toEqual({ product: 0.5 });
  });

  it('names the least element and how far it is below the greatest', () => {
    const value = [{ price: 200 }, { price: 150 }, { price: 180 }];
    const set = {
      least: { operation: 'least_by', of, field: 'price' },
      spread: { operation: 'spread_percent', of, field: 'price' },
    } as const;
    expect(transformed(set, { value })).toEqual({ least: { price: 150 }, spread: 25 });
    expect(transformed(set, { value: [] })).toEqual({ least: null, spread: null });
  });
});

describe('decisions', () => {
  it('a validation names every check that does not hold', () => {
    const step = {
      id: 'check',
      type: 'validate',
      title: 'Check',
      on_failure: 'stop',
      checks: [
        { code: 'a', must: { ref: 'input.amount', operator: 'above', value: 1 }, message: 'A.' },
        { code: 'b', must: { ref: 'input.no', operator: 'present' }, message: 'B.' },
      ],
    } as const;
    const violations = [{ code: 'b', message: 'B.' }];
    expect(validated(step, values)).toEqual({ passed: false, violations });
  });

  it('an approval is required with every reason that applies, else not', () => {
    const step = {
      id: 'ask',
      type: 'approval',
      title: 'Ask',
      approver: 'Юрист',
      required_when: [
        { ref: 'input.amount', operator: 'above', value: 50, reason: 'Дорого.' },
        { ref: 'input.name', operator: 'equals', value: 'Олег', reason: 'Олег.' },
      ],
    } as const;
    const needed = approvalNeed(step, values);
    expect(needed).toEqual({ decision: 'required', reasons: ['Дорого.'], approver: 'Юрист' });
    const none = approvalNeed({ ...step, required_when: step.required_when.slice(1) }, values);
    expect(none).toEqual({ decision: 'not_required', reasons: [], approver: 'Юрист' });
  });

  it('a tool that is not registered is said not to be', () => {
    const step = { tool_key: 'crm.deals', verb: 'create' };
    expect(toolPreview(step, { a: 1 }, undefined, 'member')).toEqual({
      decision: 'not_registered',
      guard: 'tool_not_registered',
      reasons: ['no tool is registered as crm.deals'],
      tool_key: 'crm.deals',
      verb: 'create',
      arguments: { a: 1 },
      argument_faults: [],
    });
  });
});

describe('the cost of a run', () => {
  it('ends the run before a model is asked once it reaches what the manifest allows', async () => {
    const manifest = blueprintById('support-ticket-triage');
    const { budget } = manifest.policies;
    const policies = { ...manifest.policies, budget: { ...budget, run_rub_max: 0 } };
    const facts = { manifest: { ...manifest, policies }, models: [], metadata: {} };
    const { steps, costMicro } = await runSteps(NOBODY, facts, manifest.example_input, {
      tools: new Map(),
    });
    expect(costMicro).toBe(0n);
    expect(steps).toEqual([
      {
        step: 'classify',
        type: 'llm',
        title: 'Тема и срочность',
        status: 'failed',
        reason: 'The run has cost 0.00 RUB, and the manifest allows 0.00.',
        errorCode: 'blueprint_run_cost_exceeded',
        attempts: [],
        routing: null,
        firewall: null,
        costMicro: 0n,
        latencyMs: expect.any(Number),
        output: null,
        outputValid: null,
      },
    ]);
  });
});

/** A caller that nothing may be asked of. */
const NOBODY = {} as AuthorizedCtx;
