import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { saysNoMore } from '../../src/inference/faithful-bytes.js';
import type { JsonObject } from '../../src/kernel/json.js';

const judged = (text: string) => saysNoMore(Buffer.from(text), JSON.parse(text) as JsonObject);

describe('the bytes of a body', () => {
  it('say no more than the body where they are written plainly, whatever it holds', () => {
    const body = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }), { maxKeys: 6 });
    fc.assert(
      fc.property(body, fc.constantFrom(undefined, 2, '\t'), (value, gap) => {
        expect(judged(JSON.stringify(value, null, gap))).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['a member that stands twice', '{"a":"secret","a":"b"}'],
    ['a member that stands twice further inside', '{"a":[{"b":{"c":"secret","c":1}}]}'],
    ['a member whose name is spelt with escapes', '{"ab":"secret","\\u0061b":1}'],
    ['a member with quotes and colons in its name', '{"\\":\\"":"secret","\\":\\"":1}'],
    ['digits that parsing loses', '{"a":2202200022002200216}'],
    ['digits before an exponent', '{"a":79161234567e-9}'],
    ['digits behind a sign', '{"a":-2202200022002200216}'],
    ['a long number that is called seed further inside', '{"a":{"seed":2202200022002200216}}'],
    ['long numbers in a list of seeds', '{"seed":[1,2202200022002200216]}'],
  ])('say more where there is %s', (_what, text) => {
    expect(judged(text)).toBe(false);
  });

  it('say more where they are no UTF-8', () => {
    const bytes = Buffer.from('{"a":"7916?1234567"}');
    bytes[bytes.indexOf('?')] = 0xff;
    expect(saysNoMore(bytes, JSON.parse(bytes.toString()) as JsonObject)).toBe(false);
  });

  it.each(['{"seed":9223372036854775807}', '{"a":[1.50,1e3,-0.0,123456789012345]}'])(
    'say no more in %s',
    (text) => {
      expect(judged(text)).toBe(true);
    },
  );
});
