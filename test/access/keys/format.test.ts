import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isWellFormedKey, keyHasher, newKey } from '../../../src/access/keys/format.js';
import { Keyring } from '../../../src/platform/keyring.js';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'gw_sk_';

describe('a key', () => {
  it('is well formed as it is made, and no two are the same', () => {
    const keys = Array.from({ length: 200 }, newKey);
    expect(keys.filter((key) => !isWellFormedKey(key))).toEqual([]);
    expect(new Set(keys).size).toBe(keys.length);
    expect(new Set(keys.map((key) => key.length))).toEqual(new Set([55]));
  });

  it('with any one character mistyped is not well formed', () => {
    const place = fc.integer({ min: PREFIX.length, max: 54 });
    const typed = fc.constantFrom(...ALPHABET);
    fc.assert(
      fc.property(fc.constant(0).map(newKey), place, typed, (key, at, character) => {
        fc.pre(key[at] !== character);
        expect(isWellFormedKey(key.slice(0, at) + character + key.slice(at + 1))).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it('with two neighbours swapped, cut off or continued is not well formed', () => {
    const place = fc.integer({ min: PREFIX.length, max: 53 });
    fc.assert(
      fc.property(fc.constant(0).map(newKey), place, (key, at) => {
        const [left = '', right = ''] = [key[at], key[at + 1]];
        fc.pre(left !== right);
        expect(isWellFormedKey(key.slice(0, at) + right + left + key.slice(at + 2))).toBe(false);
        expect(isWellFormedKey(key.slice(0, at))).toBe(false);
        expect(isWellFormedKey(`${key}0`)).toBe(false);
      }),
    );
  });

  it('is hashed with a pepper, so that another server makes another hash of it', () => {
    const key = newKey();
    const here = keyHasher(new Keyring({ secret: 'a secret for tests that is long enough' }));
    const there = keyHasher(new Keyring({ secret: 'another secret for tests, long enough' }));
    expect(here(key)).toEqual(here(key));
    expect(here(key).length).toBe(32);
    expect(here(key).equals(there(key))).toBe(false);
  });
});
