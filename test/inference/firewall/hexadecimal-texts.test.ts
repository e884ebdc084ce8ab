import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { inspectRequest } from '../../../src/inference/firewall/inspect.js';
import { unmaskText } from '../../../src/inference/firewall/mask.js';
import { maskingAll } from '../../../src/kernel/firewall/modes.js';
import { DEFAULT_MODES } from '../../../src/kernel/firewall/vocabulary.js';

const MODES = maskingAll(DEFAULT_MODES);
const hex = (text: string, encoding: BufferEncoding = 'utf8') =>
  Buffer.from(text, encoding).toString('hex');
const wrapped = (digits: string, width: number) =>
  digits.replace(new RegExp(`(.{${width}})(?=.)`, 'g'), '$1\n');
const asked = (content: string) => ({ messages: [{ role: 'user', content }] });

const TEXT = 'паспорт 4509 123456';
const MASKED = 'паспорт [[GW_PASSPORT_1]]';

describe('a text in hexadecimal digits', () => {
  it.each([
    ['of fewer than 256', hex(TEXT), hex(MASKED)],
    ['in capitals', hex(TEXT).toUpperCase(), hex(MASKED)],
    ['of 40 digits', hex('card 4111111111111111'.slice(1)), hex('ard [[GW_CARD_1]]')],
    ['that are all below ten', hex('card 4111111111111111'), hex('card [[GW_CARD_1]]')],
    ['with the lead of a program', `0x${hex(TEXT)}`, `0x${hex(MASKED)}`],
    ['with the lead of a database', `\\x${hex(TEXT)}`, `\\x${hex(MASKED)}`],
    ['in lines', wrapped(hex(TEXT.repeat(1)), 40), hex(MASKED)],
    ['in long lines', wrapped(hex(`${TEXT}, спасибо`), 60), hex(`${MASKED}, спасибо`)],
    ['in UTF-16', hex(TEXT, 'utf16le'), hex(MASKED, 'utf16le')],
    [
      'of 256 and more',
      hex(`${TEXT} ${'слово '.repeat(20)}`),
      hex(`${MASKED} ${'слово '.repeat(20)}`),
    ],
  ])('is read %s', (_how, digits, left) => {
    const given = asked(`Вот: ${digits} конец`);
    const { body, dataClass, unread, vault } = inspectRequest(given, MODES);
    expect(body).toEqual(asked(`Вот: ${left} конец`));
    expect([dataClass === 'C0', unread]).toEqual([false, []]);
    expect(vault.isEmpty).toBe(false);
  });

  it('leaves as the same body where nothing is found in it', () => {
    const given = asked(`Вот: ${hex('обычные слова без чисел')} конец`);
    expect(inspectRequest(given, MODES)).toMatchObject({ dataClass: 'C0', unread: [] });
    expect(inspectRequest(given, MODES).body).toBe(given);
  });

  it('comes back as it was sent, wherever its placeholder stands', () => {
    const { vault } = inspectRequest(asked(hex(TEXT)), MODES);
    expect(unmaskText(MASKED, vault)).toBe(TEXT);
  });
});

describe('digits that are no text', () => {
  it.each(['sha1', 'sha256', 'sha384', 'sha512'])('are left as they are: %s', (algorithm) => {
    const digests = Array.from({ length: 2_000 }, (_, at) =>
      createHash(algorithm).update(String(at)).digest('hex'),
    );
    for (let at = 0; at < digests.length; at += 100) {
      const given = asked(`Хеши: ${digests.slice(at, at + 100).join(', ')}.`);
      expect(inspectRequest(given, MODES)).toMatchObject({ dataClass: 'C0', unread: [] });
      expect(inspectRequest(given, MODES).body).toBe(given);
    }
  });

  it('count as unread from 256 on, in one row', () => {
    const digits = createHash('sha512').update('a').digest('hex').repeat(2);
    const kinds = (content: string) =>
      inspectRequest(asked(content), MODES).unread.map(({ kind }) => kind);
    expect(kinds(digits)).toEqual(['file']);
    expect(kinds(digits.slice(1))).toEqual([]);
    expect(kinds(wrapped(digits, 64))).toEqual([]);
  });
});
