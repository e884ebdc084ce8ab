import { describe, expect, it } from 'vitest';
import { inspectRequest } from '../../../src/inference/firewall/inspect.js';
import { DEFAULT_MODES } from '../../../src/kernel/firewall/vocabulary.js';

const MODES = { ...DEFAULT_MODES, phone: 'mask', email: 'mask', card: 'mask' } as const;

/** What leaves of a text that somebody wrote. */
function sent(text: string): string {
  const { body } = inspectRequest(
    { model: 'm', messages: [{ role: 'user', content: text }] },
    MODES,
  );
  return body.messages[0]?.content ?? '';
}

const DIGITS = [...'79161234567'];

describe('a telephone', () => {
  it.each([
    ['with zero characters', '+7916\u0000123\u00004567'],
    ['with backspaces', '+7916\b123\b4567'],
    ['with fillers', '+7\u3164916\u3164123\u31644567'],
    ['with selectors beyond the basic plane', `+${DIGITS.join('\u{e0100}')}`],
    ['with Mongolian selectors', `+${DIGITS.join('\u180b')}`],
    ['struck through', `+${DIGITS.join('\u0336')}`],
    ['with spaces of HTML', '+7&nbsp;916&nbsp;123&#45;45&#x2d;67'],
    ['in entities of HTML', `&plus;${DIGITS.map((digit) => `&#${digit.charCodeAt(0)};`).join('')}`],
    ['over two lines', '+7 916\n123-45-67'],
    ['with dashes between spaces', '+7 (916) 123 - 45 - 67'],
    ['with two spaces', '+7  916  123  45  67'],
    ['with two dashes', '+7-916-123--45-67'],
    ['with lines below', '+7_916_123_45_67'],
  ])('is masked %s', (_how, text) => {
    expect(sent(`${text} ждёт`)).toBe('[[GW_PHONE_1]] ждёт');
  });

  it.each(['8\t916\t123-45-67', '8/495/123-45-67', '8 916\n123 45 67'])(
    'is masked with whatever stands in it where a word names it: %j',
    (text) => {
      expect(sent(`тел. ${text}, вечером`)).toBe('тел. [[GW_PHONE_1]], вечером');
      expect(sent(`значения ${text}, итог`)).toBe(`значения ${text}, итог`);
    },
  );
});

describe('a card', () => {
  it.each([
    '2202.2031.2345.6784',
    '2202  2031  2345  6784',
    '220220 3123456784',
    '2202 203123456784',
    '2202\n2031\n2345\n6784',
  ])('is masked as %j, and is no card with another last digit', (number) => {
    expect(sent(`Оплата: ${number}, сегодня`)).toBe('Оплата: [[GW_CARD_1]], сегодня');
    const other = `Оплата: ${number.slice(0, -1)}5, сегодня`;
    expect(sent(other)).toBe(other);
  });
});

describe('an address', () => {
  it.each(['ivan&#64;firm.ru', 'ivan&commat;firm&period;ru', 'ivan\u0000@firm.ru'])(
    'is masked as %j',
    (text) => {
      expect(sent(`Пишите: ${text}!`)).toBe('Пишите: [[GW_EMAIL_1]]!');
    },
  );
});

describe('numbers that are called tokens', () => {
  it('are read where they are longer than any token', () => {
    const given = { model: 'm', input: [[79161234567, 1]] };
    expect(inspectRequest(given, MODES).body).toEqual({ ...given, input: [['[[GW_PHONE_1]]', 1]] });
    const tokens = { model: 'm', input: [[100_256, 7]] };
    expect(inspectRequest(tokens, MODES).body).toBe(tokens);
  });
});
