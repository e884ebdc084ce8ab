import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, type Sealable } from '../../src/kernel/canonical.js';

/** Values as `fast-check` makes them, made sealable. */
const sealable = fc
  .jsonValue({ maxDepth: 4 })
  .map((value) => JSON.parse(JSON.stringify(value)) as Sealable)
  .filter((value) => {
    try {
      canonicalJson(value);
      return true;
    } catch {
      return false;
    }
  });

function reversed(value: Sealable): Sealable {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, reversed(member)] as const);
  return Object.fromEntries(members.reverse());
}

describe('canonical text', () => {
  it('is that of RFC 8785, section 3.2.3: names sorted by UTF-16 code units', () => {
    const value = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      1: 'One',
      '\ud83d\ude00': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    };
    expect(canonicalJson(value)).toBe(
      '{"\\r":"Carriage Return","1":"One","\u0080":"Control",' +
        '"ö":"Latin Small Letter O With Diaeresis","€":"Euro Sign",' +
        '"😀":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
    );
  });

  it('is that of RFC 8785, section 3.2.2: strings, literals and numbers', () => {
    const value = {
      numbers: [4.5, 2e-3, 0.000000000000000000000000001, 1e-6, -0],
      string: '\u20ac$\u000f\u000aA\'\u0042\u0022\u005c\\"/',
      literals: [null, true, false],
    };
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[4.5,0.002,1e-27,0.000001,0],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it('does not depend on the order of names, and parses back to the value', () => {
    fc.assert(
      fc.property(sealable, (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(reversed(value))).toBe(text);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
    );
  });

  it('is refused for everything that JSON cannot carry exactly', () => {
    const cases: unknown[] = [
      undefined,
      { a: undefined },
      [undefined],
      // biome-ignore lint/suspicious/noSparseArray: the hole is what is refused.
      [1, , 2],
      1n,
      { amount: 1n },
      Number.NaN,
      Number.POSITIVE_INFINITY,
      2 ** 53,
      -(2 ** 53),
      () => 1,
      Symbol('a'),
      new Date(0),
      new Map(),
      { toJSON: () => 1 },
      'a\ud800',
      '\udc00a',
      { '\ud800': 1 },
    ];
    for (const value of cases) expect(() => canonicalJson(value as Sealable)).toThrow(TypeError);
  });

  it('has at most 32 levels', () => {
    const nested = (levels: number): Sealable => (levels === 0 ? 1 : { inner: nested(levels - 1) });
    expect(() => canonicalJson(nested(32))).not.toThrow();
    expect(() => canonicalJson(nested(33))).toThrow(new TypeError('deeper than 32 levels'));
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    expect(() => canonicalJson(circle as Sealable)).toThrow(TypeError);
  });
});
