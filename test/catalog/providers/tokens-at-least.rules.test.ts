import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadTokenizer } from '../../../src/catalog/providers/tokenizer.js';
import { tokensAtLeast } from '../../../src/catalog/providers/tokens-at-least.js';

const { count } = await loadTokenizer();

/** What the cuts of a tokenizer depend on, in short runs of any order. */
const pieces = fc.constantFrom(
  ...['a', 'Word', 'дом', 'ё', "'s", "'", "'re", '1', '22', '333', '4444', '²', '٣'],
  ...[
    ' ',
    '  ',
    '\n',
    '\r\n',
    '\t',
    '\u00a0',
    '\u2028',
    '/',
    '\n/',
    '(',
    '((',
    '—',
    '😀',
    '\ud800',
  ],
  ...['.', '!\n', '!\n/', '{"', '": ', ',', '_', '#', 'é', 'x\u0301', '中文', '\u200b'],
);
const mixed = fc.array(pieces, { maxLength: 24 }).map((parts) => parts.join(''));

describe('the tokens that a text has at least', () => {
  it('are never more than the tokenizer counts', () => {
    for (const texts of [mixed, fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' })]) {
      fc.assert(
        fc.property(texts, (text) => {
          expect(tokensAtLeast(text)).toBeLessThanOrEqual(count(text));
        }),
        { numRuns: 2_000 },
      );
    }
  });

  it.each([
    ['prose', 'The order was sent on Monday, and it will be here in three days at most. '],
    ['Russian prose', 'Заказ отправлен в понедельник, и он будет у вас через три дня. '],
    ['figures', 'w12@1234567890123 w13@1234567890124 '],
    ['JSON', '{"id": 4711, "name": "chair", "tags": ["a", "b"], "price": 1250.50}\n'],
    ['code', 'for (let at = 0; at < text.length; at += 1) sum += text.charCodeAt(at);\n'],
  ])('are at least a quarter of the count of %s', (_kind, text) => {
    const whole = text.repeat(20);
    expect(tokensAtLeast(whole) * 4).toBeGreaterThan(count(whole));
  });
});
