import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inspectRequest } from '../../../src/inference/firewall/inspect.js';
import { hasSpelling, JsonText } from '../../../src/inference/firewall/json-text.js';
import { unmaskText } from '../../../src/inference/firewall/mask.js';
import { scan } from '../../../src/inference/firewall/scan.js';
import { maskingAll } from '../../../src/kernel/firewall/modes.js';
import { DEFAULT_MODES } from '../../../src/kernel/firewall/vocabulary.js';
import { inn12, phone } from './generators.js';

const MODES = maskingAll(DEFAULT_MODES);
const encoded = encodeURIComponent;
const ofForm = (text: string) => encoded(text).replaceAll('%20', '+');

/** Texts of a request that stand by themselves, and beside others. */
const PLACES: readonly (readonly [place: string, bodyOf: (text: string) => object])[] = [
  ['a message', (text) => ({ messages: [{ role: 'user', content: text }] })],
  [
    'an address in a part',
    (text) => ({
      messages: [{ role: 'user', content: [{ type: 'link', target: { address: text } }] }],
    }),
  ],
];

function read(body: object) {
  const { findings, dataClass, body: sent, vault } = inspectRequest(body, MODES);
  return { classes: findings.map((finding) => finding.class), dataClass, sent, vault };
}

describe.each(PLACES)('percent escapes in %s', (_place, bodyOf) => {
  it.each([
    ['a name', `ФИО: ${encoded('Петров Иван Сергеевич')}`, 'person_name', 'ФИО: '],
    ['an address', `адрес: ${encoded('г. Тверь, ул. Мира, д. 5, кв. 7')}`, 'postal_address', ''],
    ['a document', encoded('паспорт 4509 123456'), 'passport', encoded('паспорт ')],
    ['a document of a form', ofForm('паспорт 4509 123456'), 'passport', ofForm('паспорт ')],
    [
      'a document, spelt twice',
      encoded(encoded('паспорт 4509 123456')),
      'passport',
      encoded(encoded('паспорт ')),
    ],
    [
      'a document in small letters',
      encoded('паспорт 4509 123456').toLowerCase(),
      'passport',
      encoded('паспорт ').toLowerCase(),
    ],
    ['a number', 'q=%D0%B0%20500100732259', 'inn', 'q=%D0%B0%20'],
    [
      'a number of a link',
      'https://a.example/?q=%20500100732259',
      'inn',
      'https://a.example/?q=%20',
    ],
    ['an address of mail', 'q=%D0%B0%20ivan%40firm.ru', 'email', 'q=%D0%B0%20'],
  ])('hide no value: %s', (_what, text, code, before) => {
    const { classes, dataClass, sent, vault } = read(bodyOf(text));
    expect([classes, dataClass]).toEqual([[code], code === 'inn' ? 'C2' : 'C3']);
    const left = JSON.stringify(sent);
    expect(left).toContain(`${before}[[GW_${code.toUpperCase()}_1]]`);
    expect(unmaskText(left, vault)).toBe(JSON.stringify(bodyOf(text)));
  });

  it.each([
    ['a pattern of a query', "WHERE card LIKE '%4111111111111111%'", 'card'],
    ['patterns of a query', "LIKE ANY('%4111111111111111%','%4111111111111111%')", 'card'],
    ['a pattern of a document', "паспорт LIKE '%4509 123456%'", 'passport'],
    ['a share before a number', 'скидка 100%4111111111111111', 'card'],
  ])('are no escapes behind %s', (_what, text, code) => {
    const { classes, sent } = read(bodyOf(text));
    expect(new Set(classes)).toEqual(new Set([code]));
    expect(JSON.stringify(sent)).not.toMatch(/\d{6}/);
  });

  it('read as UTF-8, and leave other bytes as they are', () => {
    const given = bodyOf('q=%C0%AF%ED%A0%80%D0%20%F4%90%80%80%FF%D0%B0');
    expect(read(given)).toMatchObject({ classes: [], dataClass: 'C0', sent: given });
  });
});

describe('bytes behind percent signs', () => {
  const escaped = (bytes: Iterable<number>) =>
    Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

  it('read as any text that they are, and each place of it leads back to its escape', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const letters = [...text];
        const written = letters.map((letter) => escaped(Buffer.from(letter)));
        const json = new JsonText(written.join(''), 'any');
        expect(json.view).toBe(text);
        let [seen, place] = [0, 0];
        for (const [at, letter] of letters.entries()) {
          expect(json.writtenPlace(seen)).toBe(place);
          seen += letter.length;
          place += written[at]?.length ?? 0;
        }
      }),
    );
  });

  it('never fail to read, and what is no text in them is not read again', () => {
    const high = fc.integer({ min: 0x80, max: 0xff });
    fc.assert(
      fc.property(fc.array(fc.oneof(high, fc.nat(255)), { maxLength: 12 }), (bytes) => {
        const written = escaped(bytes);
        fc.pre(!written.includes('%ef%bf%bd'));
        const { view } = new JsonText(written, 'any');
        expect(view.replace(/%[\da-f]{2}/g, '')).not.toContain('\ufffd');
      }),
      { numRuns: 2_000 },
    );
    for (const none of [
      '%C0%AF',
      '%E0%80%AF',
      '%ED%A0%80',
      '%F0%80%80%AF',
      '%F4%90%80%80',
      '%FF',
    ]) {
      expect([none, hasSpelling(none)]).toEqual([none, false]);
    }
  });
});

const harmless = fc.constantFrom(
  ...['отчёт', 'Итоги года', 'прайс-лист 2024', 'акция "лето"', 'a/b', 'c&d=e', '50% скидка'],
  ...['версия 1.20', '20', '2024-12-31', 'файл (1).pdf', 'ёлка', '№ 7', '25 20', '👍', 'q+a'],
);
/** A number that is nothing by itself; behind `%20` one of ten of them looks like a card. */
const order = fc
  .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 10 ** 11 - 1 }))
  .map(([first, rest]) => `артикул ${first}${String(rest).padStart(11, '0')}`)
  .filter((text) => scan(text, MODES).length === 0);
const spelt = fc.oneof(
  fc.tuple(
    harmless,
    fc.constantFrom(encoded, ofForm, (text: string) => encoded(encoded(text))),
  ),
  fc.tuple(order, fc.constantFrom(encoded)),
);
const address = fc
  .record({
    path: fc.array(fc.oneof(harmless, order), { maxLength: 4 }),
    tags: fc.dictionary(fc.constantFrom('utm_source', 'utm_campaign', 'q', 'redirect'), spelt),
  })
  .map(({ path, tags }) => {
    const query = Object.entries(tags).map(([name, [text, spell]]) => `${name}=${spell(text)}`);
    return `https://site.example/${path.map(encoded).join('/')}?${query.join('&')}`;
  });

describe('an address in which nothing is found', () => {
  it('leaves with the same bytes, whatever it spells by percent', () => {
    fc.assert(
      fc.property(address, address, (first, second) => {
        const body = { messages: [{ role: 'user', content: `Смотри ${first} и ${second}` }] };
        expect(read(body)).toMatchObject({ classes: [], dataClass: 'C0' });
        expect(inspectRequest(body, MODES).body).toBe(body);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a value in an address', () => {
  it('leaves at its place and comes back with the same bytes', () => {
    const value = fc.oneof(
      phone.map((number) => `тел. ${number}`),
      inn12.map((number) => `ИНН ${number}`),
    );
    fc.assert(
      fc.property(address, harmless, value, harmless, (link, before, text, after) => {
        const content = `${link}&last=${encoded(`${before} ${text} ${after}`)}`;
        const { sent, vault } = read({ messages: [{ role: 'user', content }] });
        const left = (sent as { messages: { content: string }[] }).messages[0]?.content ?? '';
        expect(left.startsWith(`${link}&last=`)).toBe(true);
        expect(left).toMatch(/\[\[GW_(?:PHONE|INN)_1\]\]/);
        // What is left is an address: nothing of an escape went with the value.
        expect(() => decodeURIComponent(left)).not.toThrow();
        expect(decodeURIComponent(left)).not.toContain(text);
        expect(unmaskText(left, vault)).toBe(content);
      }),
      { numRuns: 300 },
    );
  });
});
