import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  dottedPlace,
  patched,
  placeOf,
  pointerOf,
  sizeOf,
  valueAt,
  valuesIn,
} from '../../../src/growth/devex/debug/patch.rules.js';
import { wireRepairs } from '../../../src/growth/devex/debug/repair.rules.js';
import { CHAT_REQUEST, chatFaults } from '../../../src/inference/wire/chat-request.js';
import type { JsonObject } from '../../../src/kernel/json.js';

const BODY = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })) as fc.Arbitrary<JsonObject>;

describe('a pointer', () => {
  it('names the place that it was made of, whatever stands in the names', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (place) => {
        expect(placeOf(pointerOf(place))).toEqual(place);
      }),
    );
  });

  it('is found from a dotted path, also where names hold dots', () => {
    const body = { 'a.b': { c: 1 }, a: { b: 2 }, list: [{ x: 3 }] };
    expect(dottedPlace(body, 'a.b.c')).toEqual(['a.b', 'c']);
    expect(dottedPlace(body, 'list.0.x')).toEqual(['list', '0', 'x']);
    expect(dottedPlace(body, 'not.there')).toEqual(['not', 'there']);
    expect(dottedPlace(body, '')).toEqual([]);
  });
});

describe('a patch', () => {
  it('changes nothing but its place, and never the body that it is given', () => {
    fc.assert(
      fc.property(BODY, fc.jsonValue({ maxDepth: 1 }), (body, value) => {
        const text = JSON.stringify(body);
        for (const name of Object.keys(body)) {
          const path = pointerOf([name]);
          const replaced = patched(body, [{ op: 'replace', path, value }]);
          expect(valueAt(replaced, [name])).toEqual(value);
          const removed = patched(body, [{ op: 'remove', path, value: null }]);
          expect(Object.keys(removed ?? {})).toEqual(
            Object.keys(body).filter((each) => each !== name),
          );
          expect(sizeOf(body, { op: 'remove', path, value: null })).toBe(valuesIn(body[name]));
        }
        expect(JSON.stringify(body)).toBe(text);
      }),
    );
  });

  it('fails as a whole where a place is not there', () => {
    const step = { op: 'replace', path: '/a/5/b', value: 1 } as const;
    expect(patched({ a: [] }, [{ op: 'add', path: '/c', value: 1 }, step])).toBeUndefined();
    expect(patched({ a: [] }, [{ op: 'remove', path: '/b', value: null }])).toBeUndefined();
    expect(patched({ a: [] }, [{ op: 'add', path: '/a/7', value: 1 }])).toBeUndefined();
  });

  it('that adds over what is there counts what is lost', () => {
    const body = { messages: ['a', 'b', 'c'] };
    expect(sizeOf(body, { op: 'add', path: '/messages', value: ['a'] })).toBe(2);
    expect(sizeOf(body, { op: 'add', path: '/messages/0', value: 'z' })).toBe(1);
  });
});

describe('repairs of the wire', () => {
  it('have no end to odd bodies, and take neither the model nor the messages out', () => {
    const odd = fc.record(
      {
        model: fc.jsonValue({ maxDepth: 1 }),
        messages: fc.oneof(
          fc.jsonValue({ maxDepth: 2 }),
          fc.array(fc.record({ role: fc.jsonValue(), content: fc.jsonValue() }), { maxLength: 3 }),
        ),
        temperature: fc.jsonValue({ maxDepth: 1 }),
        tools: fc.jsonValue({ maxDepth: 2 }),
        metadata: fc.jsonValue({ maxDepth: 2 }),
      },
      { requiredKeys: [] },
    ) as fc.Arbitrary<JsonObject>;
    fc.assert(
      fc.property(odd, (body) => {
        for (const fault of chatFaults(body, 0)) {
          const operations = wireRepairs(body, CHAT_REQUEST.schema, fault);
          const sizes = operations.map((each) => sizeOf(body, each));
          expect(sizes).toEqual([...sizes].sort((one, other) => one - other));
          const removed = operations.filter(({ op }) => op === 'remove').map(({ path }) => path);
          expect(removed).not.toContain('/messages');
          expect(removed).not.toContain('/model');
          expect(removed).not.toContain('');
        }
      }),
    );
  });
});
