import { expect, it } from 'vitest';
import { tableOf } from '../../../src/inference/firewall/token-text.js';

it('the table of an encoding is found as Node loads its module and as the bundle does', () => {
  const table = ['a', [1, 2], undefined];
  expect(tableOf({ default: table })).toBe(table);
  expect(tableOf({ default: { default: table } })).toBe(table);
  for (const wrong of [undefined, null, {}, { default: {} }]) {
    expect(() => tableOf({ default: wrong })).toThrow('an encoding has no table of tokens');
  }
});
