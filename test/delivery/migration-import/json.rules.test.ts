import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJson } from '../../../src/delivery/migration-import/syntax/json.js';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const nearJson = fc
  .tuple(fc.json({ maxDepth: 4 }), fc.nat(), fc.constantFrom(...'{}[],:"1a \\'), fc.boolean())
  .map(([text, at, character, isKept]) => {
    const place = at % (text.length + 1);
    return isKept ? text : text.slice(0, place) + character + text.slice(place + 1);
  });

describe('JSON', () => {
  it('is accepted exactly where the platform accepts it', () => {
    fc.assert(
      fc.property(nearJson, (text) => {
        expect(readJson(text).faults.length === 0).toBe(isJson(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('has every value at the place that says it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(0, 1), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        for (const { from, to, text: literal, shape } of readJson(text).observations) {
          const there: unknown = JSON.parse(text.slice(from, to));
          if (literal !== undefined) expect(String(there)).toBe(literal);
          if (shape === 'list') expect(Array.isArray(there)).toBe(true);
        }
      }),
    );
  });

  it('tells the names around a value', () => {
    expect(readJson('{"a": [{"b": {"c": "d"}}]}').observations[0]).toEqual({
      kind: 'pair',
      name: 'c',
      path: ['a', 'a', 'b'],
      text: 'd',
      variable: undefined,
      shape: 'text',
      from: 19,
      to: 22,
    });
  });
});
