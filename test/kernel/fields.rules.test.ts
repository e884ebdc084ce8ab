import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/kernel/canonical.js';
import { inputFaults, inputValues } from '../../src/kernel/fields/faults.js';
import {
  bigInteger,
  code,
  day,
  defaulting,
  fieldTable,
  flag,
  instant,
  integer,
  json,
  list,
  money,
  number,
  object,
  optional,
  sha256,
  text,
  uuid,
  type ValuesOf,
} from '../../src/kernel/fields/field.js';
import { shownName, wireName } from '../../src/kernel/fields/names.js';
import { openedContent, sealedContent } from '../../src/kernel/fields/sealed.js';
import { vocabulary } from '../../src/kernel/vocabulary.js';

const STATES = vocabulary('TestState', 'A state of a test.', [
  { code: 'open', description: 'It goes on.' },
  { code: 'done', description: 'It has ended.' },
]);

const PART = fieldTable('TestPart', 'A part of a test.', {
  costMicroMax: money('The most that it costs.', { min: 0n, max: 10n }),
  state: code(STATES, 'How far the part is.'),
});

const FIELDS = {
  callId: uuid('What was called.'),
  title: text('What it is called.', { max: 5 }),
  count: integer('How many there are.', { min: 1 }),
  share: number('A share of the whole.', { min: 0, max: 1 }),
  isDone: flag('Whether it has ended.'),
  bigCount: bigInteger('How many there are at most.'),
  hash: sha256('What it hashes to.'),
  madeAt: instant('The moment of making.'),
  onDay: day('The day of making.'),
  body: json('What a customer says.'),
  state: code(STATES, 'How far it is.'),
  parts: list(object(PART, 'A part.'), 'The parts of it.', { max: 2 }),
  note: optional(text('A note, where there is one.')),
};

const VALUES: ValuesOf<typeof FIELDS> = {
  callId: '0192f0c1-7a3b-7001-8000-3f2b9c4d5e6f',
  title: 'a',
  count: 1,
  share: 0.5,
  isDone: true,
  bigCount: 12345678901234567890n,
  hash: 'a'.repeat(64),
  madeAt: new Date('2026-11-22T01:02:03.004Z'),
  onDay: '2026-11-22',
  body: { any: ['thing'] },
  state: 'open',
  parts: [{ costMicroMax: 1_500_000n, state: 'done' }],
  note: null,
};

describe('sealed content', () => {
  it('has one spelling: snake_case, rubles as decimals, times with milliseconds and Z', () => {
    expect(sealedContent(FIELDS, VALUES)).toEqual({
      call_id: '0192f0c1-7a3b-7001-8000-3f2b9c4d5e6f',
      title: 'a',
      count: 1,
      share: 0.5,
      is_done: true,
      big_count: '12345678901234567890',
      hash: 'a'.repeat(64),
      made_at: '2026-11-22T01:02:03.004Z',
      on_day: '2026-11-22',
      body: { any: ['thing'] },
      state: 'open',
      parts: [{ cost_rub_max: '1.50', state: 'done' }],
      note: null,
    });
  });

  it('is read back as it was, whatever the amounts and times', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }),
        fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }),
        fc.option(fc.string()),
        (costMicroMax, madeAt, note) => {
          const parts = [{ costMicroMax, state: 'done' as const }];
          const values = { ...VALUES, madeAt, note, parts };
          const sealed = JSON.parse(JSON.stringify(sealedContent(FIELDS, values)));
          expect(openedContent(FIELDS, sealed)).toEqual(values);
        },
      ),
    );
  });

  it('is canonical JSON as it stands', () => {
    expect(() => canonicalJson(sealedContent(FIELDS, VALUES))).not.toThrow();
  });

  it('refuses a missing value and a code that the vocabulary lacks', () => {
    const { title: _, ...without } = VALUES;
    expect(() => sealedContent(FIELDS, without as typeof VALUES)).toThrow('title is missing');
    const odd = { ...VALUES, state: 'odd' as 'open' };
    expect(() => sealedContent(FIELDS, odd)).toThrow('a stored TestState is "odd"');
  });

  it('of an earlier table has null where a field is newer', () => {
    const { note: _, ...earlier } = sealedContent(FIELDS, VALUES);
    expect(openedContent(FIELDS, earlier)).toEqual(VALUES);
  });
});

describe('an input', () => {
  const INPUT = { title: FIELDS.title, parts: FIELDS.parts, size: defaulting(FIELDS.count, 7) };

  it('has null for what is absent, or its default', () => {
    expect(inputValues(INPUT, { parts: [{ costRubMax: 5n }] })).toEqual({
      title: null,
      parts: [{ costMicroMax: 5n, state: null }],
      size: 7,
    });
  });

  it('names every fault at once, by the path of its argument', () => {
    const parts = [
      { costRubMax: 11n, state: 'dome' },
      { costRubMax: -1n, state: 'done' },
    ];
    const values = inputValues(INPUT, { title: 'too long', parts, size: 0 });
    expect(inputFaults(INPUT, values, 'input')).toEqual([
      { path: 'input.title', code: 'out_of_range', message: expect.any(String) },
      { path: 'input.parts.0.costRubMax', code: 'out_of_range', message: expect.any(String) },
      {
        path: 'input.parts.0.state',
        code: 'unknown_value',
        message: 'input.parts.0.state must be one of open, done; did you mean done?',
      },
      { path: 'input.parts.1.costRubMax', code: 'out_of_range', message: expect.any(String) },
      { path: 'input.size', code: 'out_of_range', message: 'input.size must be at least 1.' },
    ]);
  });

  it('with a list that is too long has that fault alone', () => {
    const values = { parts: [{}, {}, {}] };
    const faults = inputFaults({ parts: FIELDS.parts }, values, 'input');
    expect(faults.map(({ path }) => path)).toEqual(['input.parts']);
  });
});

describe('a table', () => {
  it('has Micro in the name of money and of nothing else', () => {
    expect(() => fieldTable('T', 'A table.', { cost: money('A cost.') })).toThrow('T.cost');
    expect(() => fieldTable('T', 'A table.', { costMicro: integer('A cost.') })).toThrow(
      'T.costMicro',
    );
  });

  it('is spelt by one rule in GraphQL and on the wire', () => {
    expect([shownName('costMicroMax'), wireName('costMicroMax'), wireName('p95LatencyMs')]).toEqual(
      ['costRubMax', 'cost_rub_max', 'p95_latency_ms'],
    );
  });
});

describe('a vocabulary', () => {
  it('reads what is stored, and refuses what it did not write', () => {
    expect(STATES.parse('done')).toBe('done');
    expect(() => STATES.parse('toString')).toThrow('none of the list');
    expect([STATES.has('open'), STATES.has('valueOf'), STATES.codes]).toEqual([
      true,
      false,
      ['open', 'done'],
    ]);
  });

  it('cannot be changed by whoever holds it', () => {
    expect(() => Object.assign(STATES.rows[0] ?? {}, { code: 'x' })).toThrow(TypeError);
  });
});
