import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  beginningOf,
  MASK_EVERYTHING,
  piecesOf,
  withoutSplitEnd,
} from '../../../src/inference/firewall/cut.js';
import { scan } from '../../../src/inference/firewall/scan.js';
import { instanceOf } from '../../../src/inference/upstream/schema-instance.js';

const VALUES = ['+7 916 123-45-67', '8 (495) 123-45-67', 'irina@sklad.example', '[[GW_PHONE_1]]'];
const words = fc
  .array(fc.constantFrom('склад', 'заявка', 'нужна', 'CRM', 'до', 'конца', '😀'), { maxLength: 30 })
  .map((each) => each.map((word) => `${word} `).join(''));
const text = fc.tuple(words, fc.constantFrom(...VALUES), words);

/** Whether a part of a text holds the value whole, or nothing of it. */
function isUnsplit(part: string, value: string): boolean {
  return part.includes(value) || !part.includes(value.slice(0, 8));
}

describe('the beginning of a text', () => {
  it('is no longer than asked for and splits neither value, placeholder nor character', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 200 }), ([before, value, after], length) => {
        const whole = `${before}${value}, ${after}`;
        const beginning = beginningOf(whole, length);
        expect(beginning.length).toBeLessThanOrEqual(length);
        expect(whole.startsWith(beginning)).toBe(true);
        expect(beginning.isWellFormed()).toBe(true);
        const end = before.length + value.length;
        const isInside = beginning.length > before.length && beginning.length < end;
        expect(isInside).toBe(false);
      }),
    );
  });

  it('is the whole text where that is short enough', () => {
    expect(beginningOf('+7 916 123-45-67', 16)).toBe('+7 916 123-45-67');
    expect(beginningOf('+7 916 123-45-67', 15)).toBe('');
  });
});

describe('the pieces of a text', () => {
  it('are the text when they are joined, and none splits a value', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 20, max: 90 }), ([before, value, after], length) => {
        const whole = `${before}${value}, ${after}`;
        const pieces = piecesOf(whole, length);
        expect(pieces.join('')).toBe(whole);
        expect(pieces.every((piece) => piece !== '' && piece.length <= length)).toBe(true);
        expect(pieces.every((piece) => isUnsplit(piece, value))).toBe(true);
      }),
    );
  });

  it('end, also where a value is longer than a piece', () => {
    expect(piecesOf('irina@sklad.example и +7 916 123-45-67', 5).join('')).toBe(
      'irina@sklad.example и +7 916 123-45-67',
    );
  });
});

describe('a value that only the words beside it make found', () => {
  const filler = fc
    .integer({ min: 0, max: 260 })
    .map((length) => 'слово '.repeat(50).slice(0, length));
  const labelled = fc.constantFrom(
    ['паспорт ', '45 08 123456', ''],
    ['ИНН ', '7707083893', ''],
    ['', '45 08 123456', ' — это паспорт'],
  );

  it('is found in its piece, wherever the text is cut', () => {
    fc.assert(
      fc.property(filler, labelled, filler, (before, [label, value = '', behind], after) => {
        const whole = `${before}\n${label}${value}${behind}\n${after}`;
        fc.pre(scan(whole, MASK_EVERYTHING).length > 0);
        const pieces = piecesOf(whole, 200);
        expect(pieces.join('')).toBe(whole);
        for (const part of [...pieces, beginningOf(whole, 200)]) {
          const isFound = scan(part, MASK_EVERYTHING).length > 0;
          expect([part, isFound]).toEqual([part, part.includes(value.slice(0, 5))]);
        }
      }),
    );
  });
});

describe('a text that a limit of tokens has cut', () => {
  it.each([
    ['Звоните +7 916 123-4', 'Звоните '],
    ['почта irina@skl', 'почта '],
    ['слово', ''],
    ['', ''],
  ])('%j is kept as %j', (cut, kept) => {
    expect(withoutSplitEnd(cut)).toBe(kept);
  });
});

describe('a simulated answer by a schema', () => {
  it('shows no head of a value that the length of a text would split', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 130 }), ([before, value, after], maxLength) => {
        const schema = { type: 'string', maxLength };
        const made = String(instanceOf(schema, `${before}${value}, ${after}`));
        expect(made.length).toBeLessThanOrEqual(2 * maxLength);
        expect(isUnsplit(made, value)).toBe(true);
      }),
    );
  });
});
