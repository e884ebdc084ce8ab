import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/kernel/json.js';
import { EXACT_FORMATS } from '../../src/kernel/json-schema/formats.js';
import { PLAIN_KEYWORDS } from '../../src/kernel/json-schema/keywords.js';
import type { SchemaRules } from '../../src/kernel/json-schema/rules.js';
import { JsonSchemas } from '../../src/kernel/json-schema/schemas.js';
import { WorkStopped, withinTime } from '../../src/kernel/json-schema/within-time.js';
import { thrownBy } from './thrown.js';

/** A place that takes all that any place takes. */
const OPEN: SchemaRules = {
  users: 'tests',
  keywords: 'standard',
  formats: 'standard',
  patternCharsMax: 1_000,
  references: true,
  nodesMax: 100,
  charsMax: 10_000,
  workMsMax: 2_000,
  stopped: 'fault',
};

/** A place that takes only what cannot take long. */
const NARROW: SchemaRules = {
  ...OPEN,
  keywords: PLAIN_KEYWORDS,
  formats: EXACT_FORMATS,
  patternCharsMax: 0,
  references: false,
};

function faults(rules: SchemaRules, schema: unknown): string[] {
  return new JsonSchemas(rules).schemaFaults('at', schema).map(({ message }) => message);
}

function accepts(schema: JsonObject, value: unknown, rules = OPEN): boolean {
  return new JsonSchemas(rules).valueFaults(schema, value, 'value').length === 0;
}

function nested(levels: number): JsonObject {
  return levels === 0 ? {} : { not: nested(levels - 1) };
}

describe('what may stand in a schema', () => {
  it.each<[string, unknown, string]>([
    ['no object', true, 'at must be an object.'],
    ['more levels than are looked at', nested(65), 'at has at most 64 levels.'],
    ['more characters', { const: 'x'.repeat(10_000) }, 'at must have at most 10000 characters.'],
    ['more schemas', { allOf: Array(100).fill(true) }, 'at must hold at most 100 schemas.'],
    [
      'what cannot be recorded',
      { const: '\ud800' },
      'at cannot be used: it cannot be recorded exactly',
    ],
    [
      '$async, whose verdict would be a promise',
      { properties: { a: { $async: true } } },
      'at.properties.a.$async cannot be used: values are judged at once, without $async.',
    ],
    [
      'a pattern that no linear engine runs',
      { pattern: '(?=a)b' },
      'at.pattern is no pattern of RE2, which has no look-around and no back-reference: (?=a)b.',
    ],
    [
      'a short pattern that is long when compiled',
      { patternProperties: { [`${'.{1000}'.repeat(28)}!`]: true } },
      'at.patternProperties is too large when compiled.',
    ],
    ['a pattern that is long', { pattern: 'a'.repeat(1_001) }, 'at.pattern must be a text of at'],
    ['a remote reference', { $ref: 'https://example.test/s' }, "at cannot be used: can't resolve"],
    ['another draft', { $schema: 'http://json-schema.org/draft-04/schema#' }, 'at cannot be used'],
    ['an unknown keyword', { requird: [] }, 'at cannot be used: strict mode: unknown keyword'],
    ['an unknown format', { format: 'colour' }, 'at cannot be used: unknown format'],
    ['a wrong keyword', { properties: { a: { type: 7 } } }, 'at.properties.a.type must be'],
  ])('is nowhere %s', (_what, schema, message) => {
    expect(faults(OPEN, schema)[0]).toContain(message);
  });

  it.each<[string, unknown, string]>([
    ['references', { $ref: '#' }, 'at.$ref cannot be used: the schema must be written in one'],
    ['patterns', { pattern: 'a' }, 'at.pattern cannot be used: patterns such as a are not'],
    ['other keywords', { requird: [] }, 'may use; did you mean required?'],
    ['other formats', { format: 'email' }, 'at.format must be one of uuid, date, date-time.'],
  ])('is without %s where the place says so', (_what, schema, message) => {
    expect(faults(NARROW, schema)).toEqual([expect.stringContaining(message)]);
    expect(faults({ ...OPEN, keywords: 'any' }, schema)).toEqual([]);
  });

  it('is told with every fault at once, wherever schemas are held', () => {
    const wrong = { $ref: '#' };
    const held = {
      ...{ not: wrong, if: wrong, contains: wrong, unevaluatedItems: wrong },
      ...{ anyOf: [wrong], prefixItems: [true, wrong] },
      ...{ properties: { a: wrong }, dependencies: { a: ['b'], b: wrong }, $defs: { a: wrong } },
    };
    const found = new JsonSchemas({ ...OPEN, references: false }).schemaFaults('at', held);
    expect(found.map(({ path }) => path).sort()).toEqual([
      'at.$defs.a.$ref',
      'at.anyOf.0.$ref',
      'at.contains.$ref',
      'at.dependencies.b.$ref',
      'at.if.$ref',
      'at.not.$ref',
      'at.prefixItems.1.$ref',
      'at.properties.a.$ref',
      'at.unevaluatedItems.$ref',
    ]);
  });

  it('includes a property or a constant that is only called like a keyword', () => {
    const schema = { properties: { $ref: { const: { pattern: '(?=a)' } } } };
    expect(faults(NARROW, schema)).toEqual([]);
    expect(accepts(schema, { $ref: { pattern: '(?=a)' } }, NARROW)).toBe(true);
    expect(accepts(schema, { $ref: 1 }, NARROW)).toBe(false);
  });
});

describe('a value', () => {
  it('is told where it is against its schema, with what was meant there', () => {
    const schema = {
      type: 'object',
      properties: {
        'a/b': {
          type: 'object',
          properties: { amount: { type: 'number', exclusiveMinimum: 0 }, kind: { enum: ['x', 1] } },
          required: ['amount', 'day'],
          additionalProperties: false,
        },
      },
    };
    const value = { 'a/b': { amount: 0, kind: 'z', ammount: 1 } };
    const told = new JsonSchemas(OPEN).valueFaults(schema, value, 'input');
    expect(told.map(({ path, code, message }) => [path, code, message])).toEqual([
      ['input.a/b.day', 'missing', 'input.a/b.day is missing.'],
      [
        'input.a/b.ammount',
        'unknown_value',
        'input.a/b.ammount is not a field of the schema. Did you mean amount?',
      ],
      ['input.a/b.amount', 'out_of_range', 'input.a/b.amount must be > 0.'],
      ['input.a/b.kind', 'unknown_value', 'input.a/b.kind must be one of x, 1.'],
    ]);
  });

  it('has at most 100 faults', () => {
    const told = new JsonSchemas(OPEN).valueFaults(
      { items: { type: 'string' } },
      Array(500).fill(1),
      'value',
    );
    expect(told).toHaveLength(100);
  });

  it('is judged by the same schema whether that is one object or was read again', () => {
    const schemas = new JsonSchemas(OPEN);
    fc.assert(
      fc.property(fc.integer(), fc.integer(), (maximum, value) => {
        const schema = { maximum };
        const again = JSON.parse(JSON.stringify(schema)) as JsonObject;
        const verdicts = [schema, schema, again].map(
          (each) => schemas.valueFaults(each, value, 'value').length === 0,
        );
        expect(verdicts).toEqual(Array(3).fill(value <= maximum));
      }),
    );
  });

  it.each<[string, string, boolean]>([
    ['date', '2024-02-29', true],
    ['date', '2023-02-29', false],
    ['date-time', '2026-01-01T23:59:59.123456789123Z', true],
    ['date-time', '2026-01-01t00:00:00z', true],
    ['date-time', '2026-01-01T00:00:00+03:00', true],
    ['date-time', '2026-01-01T24:00:00Z', false],
    ['date-time', '2026-01-01T00:00:00', false],
    ['date-time', '2026-01-01 00:00:00Z', false],
    ['date-time', '2016-12-31T23:59:60Z', true],
    ['date-time', '2017-01-01T02:59:60+03:00', true],
    ['date-time', '2016-12-31T22:59:60Z', false],
    ['uuid', '018F2C3E-0000-7000-8000-000000000000', true],
    ['uuid', 'urn:uuid:018f2c3e-0000-7000-8000-000000000000', false],
    ['email', 'a@example.test', true],
    ['email', 'a', false],
  ])('of the format %s: %s is taken: %s', (format, value, taken) => {
    expect(accepts({ format }, value)).toBe(taken);
    const unchecked = new JsonSchemas({ ...OPEN, formats: 'unchecked' });
    expect(unchecked.valueFaults({ format }, value, 'value')).toEqual([]);
  });
});

describe('work that takes too long', () => {
  const again = { type: 'array', items: { $ref: '#' } };
  const endless = { anyOf: [again, { ...again, minItems: 2 }] };
  const value = JSON.parse('['.repeat(40) + ']'.repeat(40)) as unknown;
  const short = { ...OPEN, workMsMax: 100 };

  it('is a fault of what was judged, or no verdict, as the place says', () => {
    expect(new JsonSchemas(short).valueFaults(endless, value, 'value')).toEqual([
      {
        path: 'value',
        code: 'invalid',
        message: 'value cannot be judged: it took longer than 100 ms.',
      },
    ]);
    const throwing = new JsonSchemas({ ...short, stopped: 'thrown' });
    expect(thrownBy(() => throwing.valueFaults(endless, value, 'value'))).toMatchObject({
      message: 'took longer than 100 ms',
      limitMs: 100,
    });
  });

  it('is also what goes too deep, and nothing else that fails', () => {
    const deep = (): number => deep() + 1;
    expect(() => withinTime(1_000, deep)).toThrow(WorkStopped);
    const wrong = new TypeError('wrong');
    expect(
      thrownBy(() =>
        withinTime(1_000, () => {
          throw wrong;
        }),
      ),
    ).toBe(wrong);
  });
});
