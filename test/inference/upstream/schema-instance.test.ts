import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { instanceOf } from '../../../src/inference/upstream/schema-instance.js';

const ajv = new Ajv2020({ strict: false, allErrors: true });
(addFormats as unknown as (to: unknown) => void)(ajv);

function expectValid(schema: object, hint: string): void {
  const instance = instanceOf(schema, hint);
  const validate = ajv.compile(schema);
  const valid = validate(instance);
  expect({ valid, instance, errors: validate.errors }).toMatchObject({ valid: true });
}

const CORPUS: Readonly<Record<string, object>> = {
  nothing: {},
  enum: { type: 'string', enum: ['ok'] },
  const: { const: { a: [1, null] } },
  'mixed enum': { enum: [null, 3, 'x'] },
  nested: {
    type: 'object',
    properties: {
      user: {
        type: 'object',
        properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 18 } },
        required: ['name', 'age'],
        additionalProperties: false,
      },
      tags: { type: 'array', items: { type: 'string', maxLength: 3 }, minItems: 2 },
    },
    required: ['user', 'tags'],
    additionalProperties: false,
  },
  'references into definitions': {
    type: 'object',
    properties: { step: { $ref: '#/$defs/step' } },
    required: ['step'],
    $defs: {
      step: {
        type: 'object',
        properties: { text: { type: 'string' }, kind: { $ref: '#/$defs/kind' } },
        required: ['text', 'kind'],
      },
      kind: { enum: ['a', 'b'] },
    },
  },
  'a list that refers to itself': {
    type: 'object',
    properties: {
      value: { type: 'number' },
      next: { anyOf: [{ $ref: '#' }, { type: 'null' }] },
    },
    required: ['value', 'next'],
    additionalProperties: false,
  },
  'a tree that refers to itself': {
    $ref: '#/$defs/node',
    $defs: {
      node: {
        type: 'object',
        properties: { children: { type: 'array', items: { $ref: '#/$defs/node' } } },
        required: ['children'],
      },
    },
  },
  'any of objects': {
    anyOf: [
      { type: 'object', properties: { a: { const: 1 } }, required: ['a'] },
      { type: 'string' },
    ],
  },
  'all of parts': {
    allOf: [
      { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] },
      { properties: { b: { type: 'boolean' } }, required: ['b'] },
    ],
  },
  'a nullable type': { type: ['null', 'string'], minLength: 2 },
  'a tuple': {
    type: 'array',
    prefixItems: [{ type: 'string' }, { type: 'integer' }],
    items: false,
    minItems: 2,
  },
  'distinct items of an enum': {
    type: 'array',
    items: { enum: ['a', 'b', 'c'] },
    uniqueItems: true,
    minItems: 3,
  },
  'distinct numbers': { type: 'array', items: { type: 'integer' }, uniqueItems: true, minItems: 4 },
  'an open interval': { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 0.5 },
  'a step': { type: 'number', multipleOf: 0.5, minimum: 1.2 },
  'a negative step': { type: 'integer', multipleOf: 7, maximum: -3 },
  'a phone number': { type: 'string', pattern: '^\\+7\\d{10}$' },
  'a code of alternatives': { type: 'string', pattern: '^(?:[A-Z]{2}-\\d{3,5}|none)$' },
  'a long slug': { type: 'string', pattern: '^[a-z0-9]+$', minLength: 12 },
  'a free map': { type: 'object', additionalProperties: { type: 'integer' }, minProperties: 2 },
  'a required name without a schema': { type: 'object', required: ['anything'] },
  formats: {
    type: 'object',
    properties: Object.fromEntries(
      [
        'date',
        'time',
        'date-time',
        'duration',
        'email',
        'hostname',
        'ipv4',
        'ipv6',
        'uri',
        'uuid',
      ].map((format) => [format, { type: 'string', format }]),
    ),
  },
};

describe('instanceOf', () => {
  it.each(Object.entries(CORPUS))('answers %s with a valid instance', (_, schema) => {
    expectValid(schema, 'Позвони Ивану в b, пожалуйста');
    expectValid(schema, '');
  });

  it('takes the value of an enum that the text mentions', () => {
    const schema = { enum: ['Moscow', 'Kazan'] };
    expect(instanceOf(schema, 'the weather in Kazan, please')).toBe('Kazan');
    expect(instanceOf(schema, 'elsewhere')).toBe('Moscow');
  });

  it('puts the text into strings that are free', () => {
    expect(instanceOf({ type: 'string' }, 'секрет 42')).toBe('секрет 42');
  });

  it.each([
    [
      'a required part that contains itself',
      {
        $ref: '#/$defs/a',
        $defs: { a: { type: 'object', properties: { a: { $ref: '#/$defs/a' } }, required: ['a'] } },
      },
    ],
    ['a reference to nowhere', { $ref: '#/$defs/missing' }],
    ['a reference outside', { $ref: 'https://example.com/schema' }],
    ['bounds that leave nothing', { type: 'integer', minimum: 3, maximum: 2 }],
    ['a look-around', { type: 'string', pattern: '(?=a)b' }],
  ])('refuses %s', (_, schema) => {
    expect(() => instanceOf(schema, '')).toThrow();
  });

  it('is valid for schemas of any nesting', () => {
    const { schema } = fc.letrec<{ schema: object }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        fc.record({ type: fc.constantFrom('string', 'integer', 'number', 'boolean', 'null') }),
        fc.record({
          type: fc.constant('string'),
          minLength: fc.nat(5),
          maxLength: fc.integer({ min: 5, max: 9 }),
        }),
        fc.record({
          type: fc.constantFrom('integer', 'number'),
          minimum: fc.integer({ min: -9, max: 0 }),
          maximum: fc.integer({ min: 0, max: 9 }),
        }),
        fc
          .uniqueArray(fc.jsonValue({ maxDepth: 1 }), {
            minLength: 1,
            selector: (value) => JSON.stringify(value),
          })
          .map((values) => ({ enum: values })),
        fc
          .dictionary(
            fc.string({ minLength: 1, maxLength: 4 }).filter((name) => name !== '__proto__'),
            tie('schema'),
            { maxKeys: 3 },
          )
          .chain((properties) =>
            fc.subarray(Object.keys(properties)).map((required) => ({
              type: 'object',
              properties,
              required,
              additionalProperties: false,
            })),
          ),
        fc.record({ type: fc.constant('array'), items: tie('schema'), minItems: fc.nat(3) }),
        fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
      ),
    }));
    fc.assert(
      fc.property(schema, fc.string(), (one, hint) => {
        expectValid(JSON.parse(JSON.stringify(one)), hint);
      }),
      { numRuns: 300 },
    );
  });
});
