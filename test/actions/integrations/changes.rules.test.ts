import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  changesBetween,
  inverseOf,
  mergedState,
  type RecordState,
} from '../../../src/actions/integrations/changes.js';
import { canonicalJson } from '../../../src/kernel/canonical.js';

const leaf = fc.oneof(fc.string({ unit: 'grapheme-ascii' }), fc.integer(), fc.boolean());
const { state } = fc.letrec<{ state: RecordState; value: unknown }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, leaf, fc.array(leaf, { maxLength: 3 }), tie('state')),
  state: fc.dictionary(
    fc.constantFrom('a', 'b', 'c.d', '__proto__', 'toString', 'имя'),
    tie('value'),
    { maxKeys: 4, noNullPrototype: true },
  ) as fc.Arbitrary<RecordState>,
}));

describe('the changes between two states', () => {
  it('name what differs, deep and by path, and nothing else', () => {
    const before = {
      stage: 'new',
      same: { x: [1, 2] },
      custom: { color: 'red', size: 1 },
      lines: [{ price: 10 }, { price: 20 }],
      'a.b': 1,
      gone: true,
    };
    const after = {
      stage: 'won',
      same: { x: [1, 2] },
      custom: { color: 'blue', size: 1, weight: 2 },
      lines: [{ price: 10 }, { price: 25 }, { price: 30 }],
      'a.b': 2,
    };
    expect(changesBetween(before, after)).toEqual([
      { field: 'stage', kind: 'changed', old: 'new', new: 'won' },
      { field: 'custom.color', kind: 'changed', old: 'red', new: 'blue' },
      { field: 'custom.weight', kind: 'added', old: null, new: 2 },
      { field: 'lines[1].price', kind: 'changed', old: 20, new: 25 },
      { field: 'lines[2]', kind: 'added', old: null, new: { price: 30 } },
      { field: '["a.b"]', kind: 'changed', old: 1, new: 2 },
      { field: 'gone', kind: 'removed', old: true, new: null },
    ]);
  });

  it('are none exactly when both are equal', () => {
    fc.assert(
      fc.property(state, state, (one, other) => {
        const isEqual = canonicalJson(one) === canonicalJson(other);
        expect(changesBetween(one, other).length === 0).toBe(isEqual);
        expect(changesBetween(one, one)).toEqual([]);
      }),
    );
  });

  it('are their inverse the other way round, and each path stands once', () => {
    fc.assert(
      fc.property(state, state, (one, other) => {
        const there = changesBetween(one, other);
        const back = changesBetween(other, one);
        const byField = (a: { field: string }, b: { field: string }) =>
          a.field < b.field ? -1 : 1;
        expect(inverseOf(there).sort(byField)).toEqual(back.sort(byField));
        expect(new Set(there.map(({ field }) => field)).size).toBe(there.length);
      }),
    );
  });
});

describe('merging', () => {
  it('follows JSON Merge Patch', () => {
    const before = { a: 'b', c: { d: 'e', f: 'g' }, list: [1, 2] };
    expect(mergedState(before, { a: 'z', c: { f: null }, list: [3] })).toEqual({
      a: 'z',
      c: { d: 'e' },
      list: [3],
    });
    expect(mergedState({}, { a: { bb: { ccc: null } } })).toEqual({ a: { bb: {} } });
  });

  it('changes nothing when it is done twice, and pollutes no prototype', () => {
    fc.assert(
      fc.property(state, state, (before, changes) => {
        const once = mergedState(before, changes);
        expect(canonicalJson(mergedState(once, changes))).toBe(canonicalJson(once));
        expect(Object.getPrototypeOf(once)).toBe(Object.prototype);
      }),
    );
  });
});
