import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repeatedKeys } from '../../src/kernel/repeated-keys.js';

describe('the keys that a body repeats', () => {
  it.each([
    ['{"a":1,"a":2}', ['a']],
    ['{"a":1,"b":{"a":1,"c":[0,{"d":1,"d":2}]}}', ['b.c.1.d']],
    ['{"a":1,"\\u0061":2}', ['a']],
    ['{"a" : 1 , "a"\n:2, "a":3}', ['a', 'a']],
    ['[[{"x":1}],[{"x":1,"x":2}]]', ['1.0.x']],
    ['{"a\\"b":"{\\"a\\":1,\\"a\\":2}","c":"]},[","c":1}', ['c']],
    ['{"a":"a","b":"a","c":["a","a"]}', []],
    ['"a"', []],
  ])('of %s are %j', (text, paths) => {
    expect(repeatedKeys(Buffer.from(text))).toEqual(paths);
  });

  it('are none in what was written from a value', () => {
    const written = fc.json({ depthSize: 'medium' });
    fc.assert(
      fc.property(written, (text) => {
        const once = JSON.stringify(JSON.parse(text));
        expect(repeatedKeys(Buffer.from(once))).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });
});
