import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JSON_LIMITS, requireParsable } from '../../rest-compat/json-size.js';
import { GatewayError } from '../../src/kernel/errors/fail.js';

/** Longer than what is parsed without being measured; spaces count for nothing. */
function long(text: string): Buffer {
  return Buffer.from(text + ' '.repeat(40_000));
}

function reasonOf(text: string): unknown {
  try {
    requireParsable(long(text));
    return undefined;
  } catch (error) {
    return error instanceof GatewayError && [error.code, error.message];
  }
}

const list = (count: number, item: string) => `[${Array(count).fill(item).join(',')}]`;

describe('a long body', () => {
  it.each([
    ['levels', 'levels', (count: number) => '['.repeat(count) + ']'.repeat(count)],
    ['containers', 'objects and lists', (count: number) => list(count - 1, '{}')],
    ['strings', 'texts and names', (count: number) => list(count, '"a"')],
    ['items', 'items', (count: number) => list(count + 1, '1')],
    ['backslashes', 'backslashes', (count: number) => `"a${'\\'.repeat(count)}"`],
  ] as const)('holds as many %s as the limit says and not one more', (limit, words, body) => {
    const max = JSON_LIMITS[limit];
    expect(reasonOf(body(max))).toBeUndefined();
    expect(reasonOf(body(max + 1))).toEqual([
      'invalid_json',
      `The body is not valid JSON: more than ${max} ${words}.`,
    ]);
  });

  it('is not measured by what stands inside its texts, whatever is escaped there', () => {
    const deep = '[{'.repeat(JSON_LIMITS.levels);
    fc.assert(
      fc.property(fc.array(fc.constantFrom('\\', '"', '[', '{', 'я', '😀', ',')), (parts) => {
        const text = parts.join('');
        const body = JSON.stringify([text + deep, text, { [text + deep]: text }]);
        expect(reasonOf(body)).toBeUndefined();
        const tooDeep = `[${JSON.stringify(text)},${'['.repeat(JSON_LIMITS.levels)}`;
        expect(reasonOf(tooDeep)).toBeDefined();
      }),
    );
  });
});
