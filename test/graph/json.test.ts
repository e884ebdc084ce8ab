import { buildSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { openSchema } from '../../src/app/schema.js';
import { JSON_PLACES, jsonPlaces } from './json-places.js';

const schema = await openSchema();

describe('JSON in the schema', () => {
  it('stands only where the shape is not the gateway’s own, for a reason that is listed', () => {
    expect(jsonPlaces(schema).filter((place) => !(place in JSON_PLACES))).toEqual([]);
  });

  it('is listed nowhere any more where it is gone', () => {
    const places = new Set(jsonPlaces(schema));
    expect(Object.keys(JSON_PLACES).filter((place) => !places.has(place))).toEqual([]);
  });

  it('is found in fields, lists, arguments and inputs alike', () => {
    const sample = buildSchema(`
      scalar JSON
      interface I { a: JSON }
      type Query implements I { a: JSON, b(c: [JSON!]): [JSON!]!, d: String }
      input In { e: [JSON], f: Int }
      type Use { g(h: In): String }
    `);
    expect(jsonPlaces(sample).sort()).toEqual(['I.a', 'In.e', 'Query.a', 'Query.b', 'Query.b(c)']);
  });
});
