import fc from 'fast-check';
import { buildSchema, execute, getOperationAST, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { rootFieldsOf } from '../../src/app/root-fields.js';

const schema = buildSchema(`
  type Query { a: Int }
  type Mutation { a(n: Int): Thing b: Thing c: Thing }
  type Thing { x: Int y: Int thing: Thing }`);

const THING: object = { x: 1, y: 2, thing: () => ({ x: 3, y: 4 }) };
const rootValue = { a: () => THING, b: () => THING, c: () => THING };

const field = fc
  .record({
    alias: fc.constantFrom('', 'p: ', 'q: '),
    name: fc.constantFrom('a', 'b', '__typename'),
    inside: fc.constantFrom('{ x }', '{ y thing { x } }', '{ ...T }'),
    directive: fc.constantFrom('', '@include(if: $yes)', '@skip(if: $yes)'),
  })
  .map(({ alias, name, inside, directive }) => {
    // One key stands for one field, or the document would not be valid.
    const key = alias === '' ? '' : `${alias.trim().slice(0, 1)}${name.replace('__', '')}: `;
    return `${key}${name} ${directive} ${name === '__typename' ? '' : inside}`;
  });
const wrapped = fc.oneof(
  field,
  field.map((text) => `... on Mutation { ${text} }`),
  field.map((text) => `... @include(if: $yes) { ${text} }`),
  fc.constantFrom('...M', '...M @skip(if: $yes)'),
);

function document(fields: readonly string[]): string {
  return `mutation($yes: Boolean!) { ${fields.join('\n')} }
    fragment M on Mutation { c { y } m: a(n: 1) { ...T } ...N }
    fragment N on Mutation { n: b { x } }
    fragment T on Thing { x thing { y } }`;
}

describe('the root fields of a document', () => {
  it('answer one by one what the document answers as a whole', async () => {
    const fields = fc.array(wrapped, { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fields, fc.boolean(), async (chosen, yes) => {
        const whole = parse(document(chosen));
        const operation = getOperationAST(whole);
        if (!operation) throw new Error('the document has an operation');
        const given = { schema, rootValue, variableValues: { yes } };
        const expected = await execute({ ...given, document: whole });
        const data: Record<string, unknown> = {};
        for (const part of rootFieldsOf(schema, whole, operation, { yes })) {
          Object.assign(data, (await execute({ ...given, document: part.document })).data);
        }
        expect({ data }).toEqual({ data: { ...expected.data } });
        expect(Object.keys(data)).toEqual(Object.keys(expected.data ?? {}));
      }),
    );
  });

  it('are told by their names, whatever they are called', () => {
    const whole = parse(document(['k: b { x }', '...M']));
    const operation = getOperationAST(whole);
    const told =
      operation &&
      rootFieldsOf(schema, whole, operation, { yes: true }).map(({ key, name }) => [key, name]);
    expect(told).toEqual([
      ['k', 'b'],
      ['c', 'c'],
      ['m', 'a'],
      ['n', 'b'],
    ]);
  });
});
