import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inspectRequest } from '../../../src/inference/firewall/inspect.js';
import { writingOf } from '../../../src/inference/firewall/writings.js';
import { DEFAULT_MODES } from '../../../src/kernel/firewall/vocabulary.js';

const ENCODINGS = ['windows-1251', 'koi8-r', 'ibm866', 'iso-8859-5', 'x-mac-cyrillic'];
const LETTER =
  'Уважаемый Иван Петрович! Ваш договор подписан, паспорт 4509 123456 проверен. ' +
  'Приезжайте в офис на улице Ленина; пропуск будет на проходной.';

/** A text in an encoding of one byte for each letter. */
function encoded(text: string, encoding: string): Buffer {
  const decoder = new TextDecoder(encoding);
  const bytes = new Map(
    Array.from({ length: 256 }, (_, byte) => [decoder.decode(Uint8Array.of(byte)), byte]),
  );
  return Buffer.from(Array.from(text, (letter) => bytes.get(letter) ?? 0x3f));
}

const inFile = (bytes: Buffer, address = '') => ({
  model: 'm',
  messages: [
    {
      role: 'user',
      content: [{ type: 'file', file: { file_data: address + bytes.toString('base64') } }],
    },
  ],
});

const read = (bytes: Buffer, address?: string) => {
  const body = inFile(bytes, address);
  const { unread, findings } = inspectRequest(body, DEFAULT_MODES);
  return { unread: unread.map(({ kind }) => kind), found: findings.map((each) => each.class) };
};

const NAMED = ['passport', 'person_name'];

describe.each(ENCODINGS)('a file in %s', (encoding) => {
  it('is read as the text that it is', () => {
    expect(writingOf(encoded(LETTER, encoding))).toMatchObject({ text: LETTER, isCertain: true });
    const { unread, found } = read(encoded(LETTER, encoding));
    expect({ unread, found }).toEqual({ unread: [], found: expect.arrayContaining(NAMED) });
  });

  it('is read where all of it is in capitals', () => {
    const bytes = encoded(LETTER.toUpperCase(), encoding);
    const writing = writingOf(bytes);
    expect(writing?.isCertain === false || writing?.text === LETTER.toUpperCase()).toBe(true);
  });

  it('is masked in its own letters', () => {
    const bytes = encoded(LETTER, encoding);
    const { body } = inspectRequest(inFile(bytes), { ...DEFAULT_MODES, passport: 'mask' });
    const masked = LETTER.replace('4509 123456', '[[GW_PASSPORT_1]]');
    expect(body).toEqual(inFile(encoded(masked, encoding)));
  });

  it('of any Russian words is never read as other words on certainty', () => {
    const words = fc.constantFrom(
      ...'Иванов пётр паспорт серия выдан отдел дом ул квартира ТЕЛЕФОН она Елена да'.split(' '),
    );
    fc.assert(
      fc.property(fc.array(words, { minLength: 1, maxLength: 20 }), (list) => {
        const text = list.join(' ');
        const writing = writingOf(encoded(text, encoding));
        expect(writing?.isCertain ? writing.text : text).toBe(text);
      }),
    );
  });

  it('counts as unread where it is too short to be known', () => {
    expect(read(encoded('Эль', encoding)).unread).toEqual(['file']);
  });

  it('is known by what is said of it, and not where the letters say otherwise', () => {
    const short = encoded('Привет', encoding);
    const address = (name: string) => `data:text/plain;charset=${name};base64,`;
    expect(read(short, address(encoding)).unread).toEqual([]);
    const other = encoding === 'koi8-r' ? 'ibm866' : 'koi8-r';
    expect(read(encoded(LETTER, encoding), address(other)).unread).toEqual(['file']);
  });
});

describe('a file in UTF-16', () => {
  const wide = Buffer.from(LETTER, 'utf16le');
  const mark = Buffer.from([0xff, 0xfe]);
  const turned = (bytes: Buffer) => Buffer.from(bytes).swap16();

  it.each([
    ['of Windows', wide],
    ['the other way', turned(wide)],
    ['with its mark', Buffer.concat([mark, wide])],
    ['with its mark, the other way', turned(Buffer.concat([mark, wide]))],
    ['of Chinese letters with its mark', Buffer.concat([mark, Buffer.from('护照4509', 'utf16le')])],
  ])('is read: %s', (_what, bytes) => {
    expect(read(bytes).unread).toEqual([]);
  });

  it.each([
    ['with a byte more', Buffer.concat([wide, Buffer.from('1')])],
    ['behind a text in ASCII', Buffer.concat([Buffer.from('name;phone\n'.repeat(60)), wide])],
    [
      'before a text in ASCII',
      Buffer.concat([wide, Buffer.from('passport 4509123456 '.repeat(9))]),
    ],
    [
      'of 32 bits',
      Buffer.from(Array.from(LETTER, (letter) => [letter.charCodeAt(0) % 128, 0, 0, 0]).flat()),
    ],
  ])('counts as unread: %s', (_what, bytes) => {
    expect(read(bytes).unread).toEqual(['file']);
  });
});

describe('a file in UTF-7', () => {
  const utf7 = (text: string) =>
    `+${Buffer.from(text, 'utf16le').swap16().toString('base64').replace(/=+$/, '')}-`;

  it.each([
    `Client: ${utf7('паспорт')} ${utf7('4509 123456')}`,
    `Client: ${utf7('Иванов')}`,
    `phone ${utf7('8')}${utf7('912')}3456789`,
  ])('counts as unread: %s', (text) => {
    expect(read(Buffer.from(text)).unread).toEqual(['file']);
  });

  it('is no file with telephones, sums or code', () => {
    for (const text of [
      '+79123456789; +7 912 345-67-89',
      'a+b; x++; C+ABC+DEF; 1+2+3',
      'q=a+BAR+foo',
    ]) {
      expect(read(Buffer.from(text)).unread).toEqual([]);
    }
  });
});

describe('a file in another encoding', () => {
  it.each([
    ['of the West', encoded('Müller, Straße 5, café', 'windows-1252'), []],
    ['of the West with quotes', encoded('It’s “good” — really', 'windows-1252'), []],
    ['of a terminal with colours', Buffer.from('\u001b[31mошибка\u001b[0m'), []],
    [
      'of Japan',
      Buffer.from([0x1b, 0x24, 0x42, 0x46, 0x7c, 0x4b, 0x5c, 0x1b, 0x28, 0x42]),
      ['file'],
    ],
    ['of China', Buffer.from('c4e3bac3cac0bde7bba4d5d5', 'hex'), ['file']],
  ])('is read where it is certain: %s', (_what, bytes, unread) => {
    expect(read(bytes).unread).toEqual(unread);
  });

  it.each(['utf-7', 'x-unknown', 'utf-16le'])('that is said to be %s is unread', (name) => {
    const address = `data:text/plain;charset=${name};base64,`;
    expect(read(Buffer.from('Just words, and no number'), address).unread).toEqual(['file']);
  });
});
