import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  aliasFor,
  aliasNameFaults,
  isOwnName,
  nearAliases,
  routePolicyKeyOf,
} from '../../../src/routing/aliases/alias.rules.js';

const terms = (target: string, more: object = {}) => ({
  version: 3,
  terms: { alias: '', target, active: true, shadowsModel: false, ...more },
});
const ALIASES = new Map([
  ['gpt-4o', terms('gw:auto')],
  ['gone', terms('gw:auto', { active: false })],
  ['served', terms('other')],
  ['taken', terms('other', { shadowsModel: true })],
  ['chained', terms('gpt-4o')],
]);
const isCallable = (model: string) => ['served', 'taken', 'other'].includes(model);

describe('what a model name stands for', () => {
  it.each([
    ['an alias stands for its target', 'gpt-4o', 'gw:auto'],
    ['a removed one for nothing', 'gone', undefined],
    ['a model that is served keeps its name', 'served', undefined],
    ['unless the alias may shadow it', 'taken', 'other'],
    ['a target is never read as an alias again', 'chained', 'gpt-4o'],
    ['any other name for nothing', 'gpt-4', undefined],
  ])('%s', (_, name, target) => {
    const found = aliasFor(ALIASES, name, isCallable);
    expect(found).toEqual(target && { name, target, version: 3 });
  });

  it('names of aliases in force are near a misspelt one, removed ones are not', () => {
    expect(nearAliases(ALIASES, 'gpt-4')).toEqual(['gpt-4o']);
    expect(nearAliases(ALIASES, 'gon')).toEqual([]);
  });
});

describe('the name of an alias', () => {
  it.each(['gpt-4o', 'openai/gpt-4o-mini:free', 'моя модель', 'ft:gpt-4o:acme::abc', '🦊'])(
    'may be %s',
    (name) => {
      expect(aliasNameFaults('input.alias', name)).toEqual([]);
    },
  );

  it.each([
    ['one of the gateway', 'gw:mine'],
    ['in capitals too', 'GW:auto'],
    ['empty', ''],
    ['with a line feed', 'a\nb'],
    ['with an invisible character', 'gpt\u200b-4o'],
    ['with space at its end', 'gpt-4o '],
    ['with half a character', 'a\ud800'],
  ])('may not be %s', (_, name) => {
    expect(aliasNameFaults('input.alias', name)).toHaveLength(1);
  });

  it('that begins as those of the gateway is refused, whatever follows', () => {
    fc.assert(
      fc.property(fc.constantFrom('gw:', 'Gw:', 'GW:'), fc.string(), (prefix, rest) => {
        expect(isOwnName(prefix + rest)).toBe(true);
        expect(aliasNameFaults('input.alias', prefix + rest)).toHaveLength(1);
      }),
    );
  });
});

it('a target names a route policy by its prefix alone', () => {
  expect(routePolicyKeyOf('gw:route/support')).toBe('support');
  expect(routePolicyKeyOf('gw:route')).toBeUndefined();
  expect(routePolicyKeyOf('gw:auto')).toBeUndefined();
});
