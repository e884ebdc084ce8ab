import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffContents } from '../../../src/prompts/packages/diff/diff.rules.js';
import { diffLines } from '../../../src/prompts/packages/diff/lines.rules.js';
import { diffSchemas } from '../../../src/prompts/packages/diff/schema-change.rules.js';
import type { PromptContent } from '../../../src/prompts/packages/vocabulary.js';

type Schema = Readonly<Record<string, unknown>>;

const NAME = { type: 'string' };

function object(properties: Schema, required: readonly string[] = [], more: Schema = {}): Schema {
  return { type: 'object', properties, required, ...more };
}

/** Codes and paths of the changes, breaking ones with an exclamation mark. */
function changes(from: Schema | null, to: Schema | null): string[] {
  return diffSchemas(from, to).changes.map(
    ({ code, path, breaking }) => `${breaking ? '!' : ''}${code} ${path}`,
  );
}

describe('a change of the output schema', () => {
  it.each<[string, Schema | null, Schema | null, string[]]>([
    ['none', object({ name: NAME }), object({ name: NAME }), []],
    ['only a description', { ...NAME, description: 'a' }, { ...NAME, description: 'b' }, []],
    ['the schema removed', NAME, null, ['!schema_removed $']],
    ['a schema added', null, NAME, ['schema_added $']],
    [
      'a required property removed',
      object({ a: NAME, b: NAME }, ['a', 'b']),
      object({ a: NAME }, ['a']),
      ['!property_removed $.b'],
    ],
    [
      'a property renamed',
      object({ a: NAME }, ['a']),
      object({ b: NAME }, ['b']),
      ['!property_removed $.a', 'property_added $.b'],
    ],
    [
      'a required property added',
      object({ a: NAME }, ['a'], { additionalProperties: false }),
      object({ a: NAME, b: NAME }, ['a', 'b'], { additionalProperties: false }),
      ['property_added $.b'],
    ],
    [
      'a property that becomes optional',
      object({ a: NAME }, ['a']),
      object({ a: NAME }),
      ['!property_not_required $.a'],
    ],
    [
      'a property that becomes required',
      object({ a: NAME }),
      object({ a: NAME }, ['a']),
      ['property_required $.a'],
    ],
    ['a type widened', NAME, { type: ['string', 'null'] }, ['!type_widened $']],
    ['a type narrowed', { type: ['string', 'null'] }, NAME, ['type_narrowed $']],
    ['an integer to a number', { type: 'integer' }, { type: 'number' }, ['!type_widened $']],
    ['a number to an integer', { type: 'number' }, { type: 'integer' }, ['type_narrowed $']],
    ['a number in place of a text', NAME, { type: 'number' }, ['!type_replaced $']],
    ['a value added', { enum: ['a'] }, { enum: ['a', 'b'] }, ['!value_added $']],
    ['a value removed', { enum: ['a', 'b'] }, { enum: ['a'] }, ['value_removed $']],
    ['a list of values dropped', { ...NAME, enum: ['a'] }, NAME, ['!values_unlisted $']],
    ['a constant changed', { const: 'a' }, { const: 'b' }, ['!value_added $', 'value_removed $']],
    [
      'other members allowed',
      object({}, [], { additionalProperties: false }),
      object({}),
      ['!additional_opened $'],
    ],
    [
      'other members ruled out',
      object({}),
      object({}, [], { additionalProperties: false }),
      ['additional_closed $'],
    ],
    ['a bound raised', { maximum: 5 }, { maximum: 6 }, ['!bound_loosened $']],
    ['a bound lowered', { maximum: 5 }, { maximum: 4 }, ['bound_tightened $']],
    ['a lower bound dropped', { minLength: 1 }, {}, ['!bound_loosened $']],
    ['a pattern changed', { pattern: 'a' }, { pattern: 'b' }, ['!not_comparable $']],
    ['a format dropped', { format: 'date' }, {}, ['!bound_loosened $']],
    [
      'an item of a list widened',
      { type: 'array', items: NAME },
      { type: 'array' },
      ['!type_widened $[]'],
    ],
    [
      'an alternative added',
      { anyOf: [NAME] },
      { anyOf: [NAME, { type: 'null' }] },
      ['!alternative_added $'],
    ],
    [
      'a change inside an alternative',
      { anyOf: [object({ a: NAME }, ['a']), { type: 'null' }] },
      { anyOf: [object({ a: NAME }), { type: 'null' }] },
      ['!property_not_required $.a'],
    ],
    ['a keyword without a rule', { not: { type: 'null' } }, {}, ['!not_comparable $']],
    [
      'a definition behind a reference',
      { $ref: '#/$defs/a', $defs: { a: NAME } },
      { $ref: '#/$defs/a', $defs: { a: {} } },
      ['!type_widened $'],
    ],
    [
      'a definition behind a reference that stands among other keywords',
      { $ref: '#/$defs/a', minLength: 1, $defs: { a: NAME } },
      { $ref: '#/$defs/a', minLength: 1, $defs: { a: {} } },
      ['!not_comparable $'],
    ],
    [
      'a schema that contains itself',
      object({ next: { $ref: '#' }, a: NAME }, ['a']),
      object({ next: { $ref: '#' }, a: NAME }),
      ['!property_not_required $.a'],
    ],
  ])('%s', (_what, from, to, expected) => {
    expect(changes(from, to)).toEqual(expected);
    expect(diffSchemas(from, to).breaking).toBe(expected.some((change) => change.startsWith('!')));
  });
});

const LEAF: fc.Arbitrary<Schema> = fc.oneof(
  fc.constantFrom<Schema>(
    {},
    { type: 'string' },
    { type: 'integer' },
    { type: 'number' },
    { type: ['string', 'null'] },
    { type: 'boolean' },
  ),
  fc.record({ type: fc.constant('integer'), maximum: fc.integer({ min: 0, max: 3 }) }),
  fc.record({ type: fc.constant('string'), minLength: fc.integer({ min: 0, max: 2 }) }),
  fc
    .uniqueArray(fc.constantFrom('a', 'b', 1, null), { minLength: 1, maxLength: 3 })
    .map((values) => ({ enum: values })),
);

const SCHEMA: fc.Arbitrary<Schema> = fc
  .letrec<{ schema: Schema }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 2 },
      LEAF,
      fc.record({ type: fc.constant('array'), items: tie('schema') }),
      fc.array(tie('schema'), { minLength: 1, maxLength: 2 }).map((anyOf) => ({ anyOf })),
      fc
        .record({
          properties: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('schema'), { maxKeys: 3 }),
          required: fc.uniqueArray(fc.constantFrom('a', 'b', 'c')),
          additionalProperties: fc.constantFrom(true, false),
        })
        .map((parts) => ({ type: 'object', ...parts })),
    ),
  }))
  .schema.map((schema) => structuredClone(schema));

const VALUE: fc.Arbitrary<unknown> = fc
  .letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 2 },
      fc.constantFrom('', 'a', 'b', 'abc', 0, 1, 2.5, 9, null, true),
      fc.array(tie('value'), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), tie('value'), { maxKeys: 3 }),
    ),
  }))
  .value.map((value) => structuredClone(value));

/** Two schemas that are alike in most of their parts, so that many changes do not break. */
const PAIR: fc.Arbitrary<readonly [Schema, Schema]> = fc
  .record({
    properties: fc.uniqueArray(
      fc.record({
        name: fc.constantFrom('a', 'b', 'c'),
        from: SCHEMA,
        other: SCHEMA,
        isSame: fc.boolean(),
        isNew: fc.constantFrom(true, false, false),
        wasRequired: fc.boolean(),
        isRequired: fc.boolean(),
      }),
      { selector: ({ name }) => name, minLength: 1, maxLength: 3 },
    ),
    wasClosed: fc.boolean(),
    isClosed: fc.boolean(),
  })
  .map(({ properties, wasClosed, isClosed }) => {
    const old = properties.filter(({ isNew }) => !isNew);
    const named = (list: typeof old) => list.map(({ name }) => name);
    const before = Object.fromEntries(old.map(({ name, from }) => [name, from]));
    const after = properties.map(({ name, isSame, from, other }) => [name, isSame ? from : other]);
    return [
      object(before, named(old.filter(({ wasRequired }) => wasRequired)), {
        additionalProperties: !wasClosed,
      }),
      object(Object.fromEntries(after), named(properties.filter((each) => each.isRequired)), {
        additionalProperties: !isClosed,
      }),
    ] as const;
  });

/** Closed objects opened: a property that is added is stated not to break. */
function opened(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(opened);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([name, value]) =>
      name === 'additionalProperties' && value === false ? [] : [[name, opened(value)]],
    ),
  );
}

describe('a change that does not break', () => {
  it('lets no output through that the old schema ruled out', () => {
    fc.assert(
      fc.property(PAIR, fc.array(VALUE, { maxLength: 12 }), ([from, to], values) => {
        if (diffSchemas(from, to).breaking) return;
        const ajv = new Ajv2020({ strict: false });
        const before = ajv.compile(opened(from) as object);
        const after = ajv.compile(to);
        for (const value of values) if (after(value)) expect(before(value)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('is none at all between a schema and itself', () => {
    fc.assert(
      fc.property(SCHEMA, (schema) => {
        expect(diffSchemas(schema, structuredClone(schema))).toEqual({
          changed: false,
          breaking: false,
          changes: [],
        });
      }),
    );
  });
});

describe('the lines of two templates', () => {
  const TEMPLATE = fc
    .array(fc.constantFrom('a', 'b', 'c', ''), { minLength: 1, maxLength: 12 })
    .map((lines) => lines.join('\n'));

  it('without what was removed, and with what was added, are those of the second', () => {
    fc.assert(
      fc.property(TEMPLATE, TEMPLATE, (from, to) => {
        const { added, removed } = diffLines(from, to);
        const gone = new Set(removed.map(({ line }) => line));
        const rest = from.split('\n').filter((_text, index) => !gone.has(index + 1));
        for (const { line, text } of added) rest.splice(line - 1, 0, text);
        expect(rest.join('\n')).toBe(to);
      }),
    );
  });

  it('are counted from 1, each in its own version', () => {
    expect(diffLines('a\nb\nc', 'a\nB\nc\nd')).toEqual({
      added: [
        { line: 2, text: 'B' },
        { line: 4, text: 'd' },
      ],
      removed: [{ line: 2, text: 'b' }],
    });
  });

  it('that are very far apart count as replaced between what they share', () => {
    const lines = (name: string) => Array.from({ length: 3_000 }, (_, at) => `${name}${at}`);
    const { added, removed } = diffLines(
      ['head', ...lines('a'), 'tail'].join('\n'),
      ['head', ...lines('b'), 'tail'].join('\n'),
    );
    expect([added.length, removed.length]).toEqual([3_000, 3_000]);
    expect(added[0]).toEqual({ line: 2, text: 'b0' });
  });
});

describe('variables and model variants', () => {
  const variable = { type: 'string', required: true, description: null, default: null } as const;
  const content: PromptContent = {
    template: 'a',
    variables: [
      { ...variable, name: 'kept', trusted: null },
      { ...variable, name: 'gone', trusted: null },
      { ...variable, name: 'changed', trusted: null },
    ],
    outputSchema: null,
    modelVariants: [{ name: 'v', model: 'm', temperature: 0, max_tokens: null, weight: 1 }],
    dataClassMin: null,
    samples: { variables: {}, outputs: [], context_pack: null },
  };

  it('are compared by name, and changed ones name the members that differ', () => {
    const [kept] = content.variables;
    const to: PromptContent = {
      ...content,
      variables: [
        ...(kept ? [kept] : []),
        { ...variable, name: 'changed', trusted: true, type: 'number' },
        { ...variable, name: 'new', trusted: null },
      ],
      modelVariants: [{ name: 'v', model: 'm', temperature: 1, max_tokens: null, weight: 1 }],
    };
    const { variables, modelVariants, dataClassMin } = diffContents(content, to);
    expect(dataClassMin).toEqual({ changed: false, before: null, after: null });
    expect(variables.added.map(({ name }) => name)).toEqual(['new']);
    expect(variables.removed.map(({ name }) => name)).toEqual(['gone']);
    expect(variables.changed.map(({ name, members }) => [name, members])).toEqual([
      ['changed', ['type', 'trusted']],
    ]);
    expect(modelVariants).toMatchObject({ added: [], removed: [] });
    expect(modelVariants.changed).toMatchObject([{ name: 'v', members: ['temperature'] }]);
  });

  it('stand beside the least class of data, which is compared too', () => {
    const { dataClassMin } = diffContents(content, { ...content, dataClassMin: 'C4' });
    expect(dataClassMin).toEqual({ changed: true, before: null, after: 'C4' });
  });
});
