import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  blastRadiusOf,
  readBlastRadius,
  storedBlastRadius,
} from '../../../src/actions/tools/blast-radius.js';
import { ruleOf } from '../../../src/actions/tools/contract.js';
import { contractOf, TOOL_DRAFT } from '../../../src/actions/tools/draft.js';
import { boundedJson, isPointer, valueAt } from '../../../src/actions/tools/json-values.js';
import { judgeAction } from '../../../src/actions/tools/rules.js';
import type { Sealable } from '../../../src/kernel/canonical.js';
import { inputValues } from '../../../src/kernel/fields/faults.js';

const CONTRACT = contractOf(
  inputValues(TOOL_DRAFT.fields, {
    toolKey: 'desk',
    verbs: [
      { verb: 'read' },
      { verb: 'update', compensatingVerb: 'restore' },
      { verb: 'restore' },
      { verb: 'import' },
      { verb: 'bulk_update', recordsField: '/ids' },
      { verb: 'refund', amountField: '/order/amount' },
      { verb: 'pay' },
    ],
  }),
  1,
);

function radiusOf(verb: string, values: Sealable = {}) {
  return blastRadiusOf(CONTRACT, ruleOf(CONTRACT, verb), values);
}

describe('the blast radius', () => {
  it.each<[string, Sealable, number | null, string]>([
    ['read', {}, 0, 'declared_by_verb'],
    ['update', {}, 1, 'declared_by_verb'],
    ['import', { ids: [1] }, null, 'unknown'],
    ['bulk_update', { ids: ['a', 'b', 'c'] }, 3, 'declared_in_arguments'],
    ['bulk_update', { ids: 7 }, 7, 'declared_in_arguments'],
    ['bulk_update', { ids: -1 }, null, 'unknown'],
    ['bulk_update', { ids: 1.5 }, null, 'unknown'],
    ['bulk_update', { ids: 'all' }, null, 'unknown'],
    ['bulk_update', {}, null, 'unknown'],
    ['no_such_verb', {}, null, 'unknown'],
  ])('of %s with %j changes %s records, %s', (verb, values, records, recordsBasis) => {
    expect(radiusOf(verb, values)).toMatchObject({ records, recordsBasis });
  });

  it.each<[string, Sealable, bigint | null, string]>([
    ['update', { amount: 5 }, null, 'declared_by_verb'],
    ['refund', { order: { amount: 12.5 } }, 12_500_000n, 'declared_in_arguments'],
    ['refund', { order: { amount: '0.000001' } }, 1n, 'declared_in_arguments'],
    ['refund', { order: { amount: -5 } }, null, 'unknown'],
    ['refund', { order: { amount: '12,50' } }, null, 'unknown'],
    ['refund', { order: { amount: 1e21 } }, null, 'unknown'],
    ['refund', { order: {} }, null, 'unknown'],
    ['pay', { amount: 5 }, null, 'unknown'],
  ])('of %s with %j moves %s micro-rubles, %s', (verb, values, amountMicro, amountBasis) => {
    expect(radiusOf(verb, values)).toMatchObject({ amountMicro, amountBasis });
  });

  it('is reversible where nothing changes or the contract names the verb that undoes it', () => {
    const reversible = (verb: string) => radiusOf(verb).reversible;
    expect(['read', 'update', 'restore'].map(reversible)).toEqual([true, true, false]);
    expect(radiusOf('update').compensatingVerb).toBe('restore');
  });

  it('is stored without loss', () => {
    for (const { verb } of CONTRACT.verbs) {
      const radius = radiusOf(verb, { ids: [1], order: { amount: '7.25' } });
      expect(readBlastRadius(JSON.parse(JSON.stringify(storedBlastRadius(radius))))).toEqual(
        radius,
      );
    }
  });
});

describe('the hash that an approval is bound to', () => {
  const asked = {
    contract: CONTRACT,
    contractVersion: 1,
    verb: 'refund',
    arguments: { order: { amount: '5', id: 'A' } },
    caller: 'member',
  } as const;
  const hashOf = (change: object = {}) => judgeAction({ ...asked, ...change }).boundHash;

  it('is the same for the same action, however its arguments are ordered', () => {
    expect(hashOf({ arguments: { order: { id: 'A', amount: '5' } } })).toEqual(hashOf());
  });

  it.each([
    ['contract version', { contractVersion: 2 }],
    ['verb', { verb: 'update' }],
    ['arguments', { arguments: { order: { amount: '5.00', id: 'A' } } }],
    ['caller', { caller: 'agent' }],
  ])('is another for another %s', (_what, change) => {
    expect(hashOf(change)).not.toEqual(hashOf());
  });
});

describe('a JSON pointer', () => {
  it('finds the member that it names, whatever its name is', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 20 }), fc.integer(), (name, value) => {
        const pointer = `/list/1/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        expect(isPointer(pointer)).toBe(true);
        const root = JSON.parse(JSON.stringify({ list: [{}, { [name]: value }] })) as Sealable;
        const isOwn = name !== '__proto__';
        if (isOwn) expect(valueAt(root, pointer)).toBe(value);
      }),
    );
  });

  it.each(['', 'a', '/a~2', '/~', `/${'a'.repeat(200)}`, 1])('is not %s', (text) => {
    expect(isPointer(text)).toBe(false);
  });

  it.each(['/constructor', '/a/length/x', '/toString'])('finds nothing inherited: %s', (at) => {
    expect(valueAt({ a: [] }, at)).toBeUndefined();
  });
});

describe('a JSON value of a caller', () => {
  const bounds = { bytesMax: 100, valuesMax: 10 };
  const messageOf = (value: unknown) => boundedJson('arguments', value, bounds).faults[0]?.message;
  const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);

  it.each<[string, unknown]>([
    ['must be at most 100 bytes of JSON; it has 102', 'x'.repeat(100)],
    ['must have at most 16 levels; it has 21', nested(20)],
    ['must hold at most 10 values; it holds 12', Array.from({ length: 11 }, () => 1)],
    ['the number 9007199254740992 cannot be sealed exactly', { a: 2 ** 53 }],
    ['half a surrogate pair cannot be sealed', ['\ud800']],
  ])('%s', (message, value) => {
    expect(messageOf(value)).toContain(message);
  });

  it('is plain, also where it came without a prototype', () => {
    const given = Object.assign(Object.create(null), { a: 1 });
    expect(boundedJson('arguments', given, bounds)).toEqual({ value: { a: 1 }, faults: [] });
  });
});
