import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { replaceRanges } from '../../../src/inference/firewall/mask.js';
import { PlainView } from '../../../src/inference/firewall/plain-view.js';
import { scan } from '../../../src/inference/firewall/scan.js';
import { DEFAULT_MODES } from '../../../src/kernel/firewall/vocabulary.js';

function masked(text: string): string {
  const found = scan(text, DEFAULT_MODES);
  return replaceRanges(
    text,
    found,
    found.map(({ class: code }) => `[${code}]`),
    'plain',
  );
}

const wide = (digits: string) =>
  digits.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)));

describe('identifiers in disguise', () => {
  it.each([
    ['full-width digits', `ИНН ${wide('7707083893')}.`, 'ИНН [inn].'],
    ['Arabic digits', 'ИНН ٧٧٠٧٠٨٣٨٩٣.', 'ИНН [inn].'],
    ['mathematical digits', 'ИНН 𝟕𝟕𝟎𝟕𝟎𝟖𝟑𝟖𝟗𝟑.', 'ИНН [inn].'],
    ['zero-width spaces', 'тел. +7916\u200b123\u200b45\u200b67!', 'тел. [phone]!'],
    ['word joiners', 'ИНН 77\u206007083893 ок', 'ИНН [inn] ок'],
    ['soft hyphens', 'карта 4111\u00ad1111\u00ad1111\u00ad1111 ок', 'карта [card] ок'],
    ['a byte order mark', '\ufeffИНН 770708\ufeff3893', '\ufeffИНН [inn]'],
    ['thin spaces', 'карта 4111\u20091111\u20091111\u20091111', 'карта [card]'],
    ['minus signs', 'СНИЛС 112\u2212233\u2212445 95', 'СНИЛС [snils]'],
    ['keycaps', 'ИНН 7️⃣7️⃣0️⃣7️⃣0️⃣8️⃣3️⃣8️⃣9️⃣3️⃣', 'ИНН [inn]\ufe0f\u20e3'],
    ['a full-width address', 'ｉｖａｎ＠ｍａｉｌ．ｒｕ пишет', '[email] пишет'],
    [
      'no-break spaces in labels',
      'страховой\u00a0номер\u00a011223344595',
      'страховой\u00a0номер\u00a0[snils]',
    ],
  ])('by %s are found at their place in the text as written', (_, text, expected) => {
    expect(masked(text)).toBe(expected);
  });

  it('of any kind leave everything around them as it was', () => {
    const hidden = fc.constantFrom('', '', '\u200b', '\u2060', '\u00ad', '\u200d');
    const noise = fc.constantFrom('слово', '👩‍👩‍👧', '\u00a0', 'été', '—', '🤔');
    fc.assert(
      fc.property(
        fc.array(noise, { maxLength: 4 }),
        fc.array(hidden, { minLength: 9, maxLength: 9 }),
        fc.array(noise, { maxLength: 4 }),
        fc.boolean(),
        (before, gaps, after, isWide) => {
          const digits = isWide ? wide('7707083893') : '7707083893';
          const id = [...digits].map((digit, at) => digit + (gaps[at] ?? '')).join('');
          const head = `${before.join(' ')} ИНН `;
          const tail = ` ${after.join(' ')}`;
          expect(masked(head + id + tail)).toBe(`${head}[inn]${tail}`);
        },
      ),
    );
  });
});

describe('the plain view', () => {
  it('has the length of the text where nothing is hidden, and maps every place to itself', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('а', '\u00a0', '7', '\u2212', '—') }),
        (text) => {
          const plain = new PlainView(text);
          expect(plain.view).toHaveLength(text.length);
          const whole = {
            class: 'inn',
            start: 0,
            end: text.length,
            confidence: 'confirmed',
          } as const;
          if (text) expect(plain.written([whole])).toEqual([whole]);
        },
      ),
    );
  });
});
