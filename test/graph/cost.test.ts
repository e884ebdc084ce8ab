import { buildSchema, getIntrospectionQuery, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { costOf, tooComplex } from '../../src/graph/cost.js';
import type { Ctx } from '../../src/graph/ctx.js';
import { COMPLEXITY_MAX, DEPTH_MAX } from '../../src/graph/limits.js';

const schema = buildSchema('type Query { again: Query! name: String! many: [Query!]! }');
const cost = (text: string, name?: string) => costOf(schema, parse(text), name, {}, {} as Ctx);
const nested = (levels: number): string =>
  levels === 1 ? '{ name }' : `{ again ${nested(levels - 1)} }`;

describe('the cost of an operation', () => {
  it('counts levels, also through fragments', () => {
    expect(cost(nested(5))).toMatchObject({ depth: 5 });
    const text =
      'query { ...A } fragment A on Query { again { ...B } } fragment B on Query { name }';
    expect(cost(text)).toMatchObject({ depth: 2 });
  });

  it('is that of the chosen operation, wherever it stands in the document', () => {
    const text = `query Shallow { name } query Deep ${nested(20)}`;
    expect(cost(text, 'Shallow').depth).toBe(1);
    expect(cost(text, 'Deep').depth).toBe(20);
  });

  it('does not count questions about the schema', () => {
    expect(cost(getIntrospectionQuery())).toEqual({ points: 1, depth: 0 });
    expect(cost('{ __typename name }').depth).toBe(1);
  });

  it('is refused past either limit, and not at it', () => {
    const within = { depth: DEPTH_MAX, points: COMPLEXITY_MAX };
    expect(tooComplex(within)).toBeUndefined();
    expect(tooComplex({ ...within, depth: DEPTH_MAX + 1 })?.code).toBe('query_too_complex');
    expect(tooComplex({ ...within, points: COMPLEXITY_MAX + 1 })?.code).toBe('query_too_complex');
  });
});
