import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance, nearestNames } from '../../src/kernel/near-names.js';

const KNOWN = ['sandbox/gw-mini', 'sandbox/gw-pro', 'cloudru/gpt-oss-120b', 'gw:auto'];

describe('nearestNames', () => {
  it.each([
    ['sandbox/gw-mni', ['sandbox/gw-mini', 'sandbox/gw-pro']],
    ['GPT-OSS-120B', ['cloudru/gpt-oss-120b']],
    ['openai/gpt-oss', ['cloudru/gpt-oss-120b']],
    ['gw-auto', ['gw:auto']],
    ['completely-different-name', []],
    ['', []],
  ])('for %j suggests %j', (name, expected) => {
    expect(nearestNames(name, KNOWN).slice(0, expected.length || 3)).toEqual(expected);
  });

  it('finds a known name by itself first', () => {
    fc.assert(
      fc.property(fc.constantFrom(...KNOWN), (name) => {
        expect(nearestNames(name, KNOWN)[0]).toBe(name);
      }),
    );
  });

  it('measures a distance: symmetric, zero only for equals, at most the longer length', () => {
    const text = fc.string({ maxLength: 12 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        const distance = editDistance(a, b);
        expect(distance).toBe(editDistance(b, a));
        expect(distance === 0).toBe(a === b);
        expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length));
      }),
    );
  });
});
