import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AT_ONCE_MAX, isHeavy } from '../../../src/inference/firewall/apart/weight.js';
import { inspectRequest } from '../../../src/inference/firewall/inspect.js';
import { DEFAULT_MODES } from '../../../src/kernel/firewall/vocabulary.js';

const MASKING = { ...DEFAULT_MODES, passport: 'mask', phone: 'mask', email: 'mask' } as const;
const SECRET = 'Паспорт клиента: 4509 123456, телефон +79123456789, почта ivan@mail.example';
const base64 = (text: string) => Buffer.from(text).toString('base64');
const lines = (text: string, width: number, end = '\n') =>
  text.replace(new RegExp(`(.{${width}})(?=.)`, 'g'), `$1${end}`);

const asked = (content: string) => ({ model: 'm', messages: [{ role: 'user', content }] });
const answered = (content: string) => ({
  model: 'm',
  messages: [{ role: 'tool', tool_call_id: 'a', content }],
});

/** All that leaves, with what is base64 in it decoded, again and again. */
function said(text: string): string {
  let all = text.replace(/\\[nr]|[\s>]/g, '').replaceAll('\\/', '/');
  for (let level = 0; level < 4; level += 1) {
    const decoded = [...all.matchAll(/[\w+/-]{16,}/g)].map(([row]) =>
      [0, 1, 2, 3].map((from) => Buffer.from(row.slice(from), 'base64').toString()).join(' '),
    );
    all = [all, ...decoded].join('\n');
  }
  return all;
}

const PLAIN = base64(SECRET);
const LONG = base64(`${SECRET}\n`.repeat(6));

const READ: readonly (readonly [what: string, body: object])[] = [
  ['an address', asked(`Разбери: data:text/plain;base64,${PLAIN} и ответь`)],
  ['an address alone', asked(`data:text/plain;base64,${PLAIN}`)],
  ['an address in capitals', asked(`Разбери: DATA:TEXT/PLAIN;BASE64,${PLAIN}`)],
  ['an address with a set of letters', asked(`a data:text/csv; charset=utf-8; base64,${PLAIN}`)],
  ['an address of a short text', asked(`data:text/plain;base64,${base64('+79123456789')}`)],
  ['an address spelt by percent', asked(`data:;base64,${PLAIN.replaceAll('=', '%3D')}`)],
  ['an address in HTML', asked(`<img src="data:text/plain;base64,${PLAIN}" alt="a">`)],
  ['an address in CSS', asked(`a { background: url(data:text/plain;base64,${PLAIN}) }`)],
  ['a row of signs', asked(`Вот: ${PLAIN}`)],
  ['a row of signs alone', asked(PLAIN)],
  ['a row behind other signs', asked(`key_${PLAIN}`)],
  ['a row behind two other signs', asked(`//${PLAIN}`)],
  ['rows of mail', asked(`Content:\n${lines(LONG, 76, '\r\n')}\nС уважением`)],
  ['rows of keys', asked(`-----BEGIN A-----\n${lines(LONG, 64)}\n-----END A-----`)],
  ['rows that are quoted', asked(`> ${lines(LONG, 76, '\n> ')}`)],
  ['rows with a word below', asked(`${lines(LONG, 76)}\nthanks`)],
  ['two rows', asked(`${PLAIN} и ${base64('Мой телефон +79123456789, звоните мне после обеда')}`)],
  ['base64 in base64', asked(base64(`Вложение: ${base64(`Ещё: ${PLAIN}`)}`))],
  ['hexadecimal digits', asked(Buffer.from(SECRET.repeat(2)).toString('hex'))],
  ['UTF-16', asked(`Файл ${Buffer.from(SECRET, 'utf16le').toString('base64')}`)],
  ['the result of a tool', answered(JSON.stringify({ file: LONG, name: 'a' }))],
  ['the result of a tool with slashes', answered(`{"a":"data:a\\/b;base64,${LONG}"}`)],
  ['rows in JSON', answered(JSON.stringify({ file: lines(LONG, 76), name: 'a' }))],
  [
    'arguments of a call',
    {
      model: 'm',
      messages: [
        {
          role: 'assistant',
          tool_calls: [
            {
              id: 'a',
              type: 'function',
              function: { name: 'f', arguments: JSON.stringify({ file: PLAIN, to: 'b' }) },
            },
          ],
        },
      ],
    },
  ],
  ['any member', { ...asked('a'), note: `Вложение ${PLAIN}` }],
];

describe('a text that stands in base64 within a text', () => {
  it.each(READ)('is masked and blocked: %s', (_what, body) => {
    const masked = inspectRequest(body, MASKING);
    expect(masked.dataClass).toBe('C3');
    expect(masked.verdict).toBe('masked');
    expect(said(JSON.stringify(masked.body))).not.toMatch(/9123456789|4509 ?123456|ivan@/);
    const modes = { ...MASKING, phone: 'block' } as const;
    expect(inspectRequest(body, modes).verdict).toBe('blocked');
  });

  it('leaves the rest as it was', () => {
    const { body, unread } = inspectRequest(asked(`Вот ${PLAIN} и всё`), MASKING);
    const text = SECRET.replace('4509 123456', '[[GW_PASSPORT_1]]')
      .replace('+79123456789', '[[GW_PHONE_1]]')
      .replace('ivan@mail.example', '[[GW_EMAIL_1]]');
    expect(body).toEqual(asked(`Вот ${base64(text)} и всё`));
    expect(unread).toEqual([]);
  });

  it('leaves as the same body where it holds nothing', () => {
    const body = asked(`Вот ${base64('Обычные слова без чисел и без имён. '.repeat(4))} и всё`);
    expect(inspectRequest(body, MASKING)).toMatchObject({ dataClass: 'C0', unread: [] });
    expect(inspectRequest(body, MASKING).body).toBe(body);
  });
});

const PNG = `iVBORw0KGgo${'Ab9+'.repeat(60)}`;
const bytes = (size: number) =>
  Buffer.from(Array.from({ length: size }, (_, at) => (at * 89 + 7) % 256)).toString('base64');
const nested = (levels: number): string =>
  levels === 0 ? SECRET : base64(`Вложение номер ${levels}: ${nested(levels - 1)}`);

const UNREAD: readonly (readonly [kind: string, what: string, content: string])[] = [
  ['image', 'an address of a picture', `Что тут? data:image/png;base64,${PNG}`],
  ['image', 'a picture in HTML', `<p><img src="data:image/png;base64,${PNG}"></p>`],
  ['image', 'a picture in Markdown', `![скан](data:image/jpeg;base64,${bytes(90)})`],
  ['image', 'a picture without an address', `Скан: ${PNG}`],
  ['audio', 'an address of sound', `data:audio/wav;base64,${bytes(90)}`],
  ['file', 'a PDF', `Файл: ${base64(`%PDF-1.7\n${'1 0 obj << /Length 44 >>\n'.repeat(5)}`)}`],
  ['file', 'an archive', `UEsDBBQAAAAIA${bytes(90)}`],
  ['file', 'bytes that nothing names', `Вот ${bytes(120)}`],
  ['file', 'bytes in lines', lines(bytes(400), 76)],
  ['file', 'hexadecimal bytes', Buffer.from(bytes(200), 'base64').toString('hex')],
  ['file', 'base64 in base64 in base64 in base64 in base64', nested(5)],
  ['file', 'more pieces than are read', `${base64('слово '.repeat(6))}, `.repeat(300)],
];

describe('what stands in base64 within a text and is none', () => {
  it.each(UNREAD)('counts as unread, as the kind %s: %s', (kind, _what, content) => {
    const { unread } = inspectRequest(asked(content), DEFAULT_MODES);
    expect(unread.map((each) => each.kind)).toContain(kind);
    expect(unread[0]?.place).toBe('messages.0');
  });
});

describe('what only looks like base64', () => {
  it.each([
    'https://example.com/catalog/Goods2026/items/list-of-all-the-goods/page42/view?sort=Price1',
    '/usr/lib/python3/dist-packages/SomeLongPackageName/internal/module42/implementation.py',
    'getUserAuthenticationProviderFactoryBeanPostProcessor2ConfigurationAdapterImplementation',
    'ООО_РОМАШКА_ДОГОВОР_НА_ПОСТАВКУ_ОБОРУДОВАНИЯ_2026_ГОДА_С_ПРИЛОЖЕНИЯМИ_И_ПРОТОКОЛОМ',
    'd6cd1e2bd19e03a81132a23b2025920577f84e37d6cd1e2bd19e03a81132a23b2025920577f84e37d6cd1e2b',
    'sha512-iHnD6cd1e2bD19e03A81132A23B2025920577f84E37d6Cd1e2bd19E03a81132a23b2025920577F84e37A==',
    `${'d6cd1e2bd19e03a81132a23b2025920577f84e37\n'.repeat(20)}`,
    `${'='.repeat(80)}\n${'-'.repeat(200)}\n${'_'.repeat(200)}\n${'A'.repeat(300)}`,
    'data:image/png;base64,abc123 и data:image/png;base64,... в примере',
    'Пишите в поле data: что угодно; base64 тут ни при чём',
  ])('is no base64: %s', (text) => {
    const { unread } = inspectRequest(asked(text), DEFAULT_MODES);
    expect(unread).toEqual([]);
  });

  it('is in no harmless text of the corpus and in no document of the house', () => {
    const corpus = ['harmless.jsonl', 'harmless-made.jsonl', 'made.jsonl', 'held-out.jsonl'];
    const texts = corpus.flatMap((name) =>
      readFileSync(join(import.meta.dirname, 'corpus', name), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).text as string),
    );
    const root = join(import.meta.dirname, '../../..');
    const documents = [
      'README.md',
      'ARCHITECTURE.md',
      'OPERATIONS.md',
      'SECURITY.md',
      'package.json',
    ];
    texts.push(...documents.map((name) => readFileSync(join(root, name), 'utf8')));
    const unread = texts.filter((text) => inspectRequest(asked(text), DEFAULT_MODES).unread[0]);
    expect(texts.length).toBeGreaterThan(2_000);
    expect(unread).toEqual([]);
  });
});

describe('any bytes', () => {
  it('of a length that holds a document are read or count as unread', () => {
    const given = fc.integer({ min: 300, max: 3_000 }).map((size) => randomBytes(size));
    const frame = fc.constantFrom(
      (text: string) => `Вот файл ${text} конец`,
      (text: string) => `"${text}"`,
      (text: string) => `data:application/zip;base64,${text}`,
      (text: string) => lines(text, 76),
    );
    fc.assert(
      fc.property(given, frame, (each, put) => {
        const { unread } = inspectRequest(asked(put(each.toString('base64'))), DEFAULT_MODES);
        expect(unread.length).toBeGreaterThan(0);
      }),
    );
  });

  it('are weighed, so that long ones are decoded apart', () => {
    const text = 'слово '.repeat(AT_ONCE_MAX);
    expect(isHeavy(asked(text), DEFAULT_MODES)).toBe(false);
    expect(isHeavy(asked(base64(text)), DEFAULT_MODES)).toBe(true);
  });
});
