import { describe, expect, it } from 'vitest';
import { type OwnClassRule, OwnRules } from '../../../src/kernel/firewall/own-classes.js';

const RULE: OwnClassRule = {
  name: 'letters',
  words: [],
  patterns: ['z'],
  mode: 'mask',
  dataClass: 'C2',
};

describe('an own pattern', () => {
  it('is found wherever it matches, however often that is', () => {
    const count = 300_000;
    const places = new OwnRules([RULE]).find('z '.repeat(count));
    expect(places).toHaveLength(count);
    expect(places.at(-1)).toEqual({
      class: 'letters',
      start: 2 * count - 2,
      end: 2 * count - 1,
    });
  });
});
