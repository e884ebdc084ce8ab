import { describe, expect, it, vi } from 'vitest';
import { embeddedIn } from '../../../src/inference/firewall/embedded.js';
import {
  base64,
  bytesOf,
  CALL,
  type Judgement,
  judged,
  masked,
  rowsOf,
  SIGNS,
} from './base64-cases.js';

const WORDS = 'Please read all of this before you answer, since we both depend on it. ';
const LONG = base64(WORDS + CALL + WORDS);
const BYTES = bytesOf(300).toString('base64');
const HIDDEN = ['\u200b', '\u00ad', '\u2060', '\ufeff', '\u{e0020}'];
const split = (signs: string, at: number, by: string) => signs.slice(0, at) + by + signs.slice(at);
const cyrillic = base64('Привет, мой телефон +7 916 123-45-67, звоните после обеда');

/** A line of Russian words as Windows writes them, with a telephone. */
const WINDOWS = Buffer.from(
  `${'\xd2\xe5\xeb\xe5\xf4\xee\xed \xea\xeb\xe8\xe5\xed\xf2\xe0 '.repeat(8)}+7 916 123-45-67`,
  'latin1',
).toString('base64');

const CASES: readonly (readonly [what: string, content: string, judgement: Judgement])[] = [
  ['a row of 40', base64('Call +7 916 123-45-67 at 5 now'), 'read'],
  ['a row of 39', base64('Call +7 916 123-45-67 at 5 now').slice(0, 39), 'nothing'],
  ['rows of 40', rowsOf(LONG, 40), 'read'],
  ['rows of 39', rowsOf(LONG, 39), 'read'],
  ['rows of 16', rowsOf(LONG, 16), 'read'],
  ['rows of 15', rowsOf(LONG, 15), 'nothing'],
  ['rows of 59', rowsOf(LONG, 59), 'read'],
  ['rows of 60', rowsOf(LONG, 60), 'read'],
  ['bytes in rows of 59', rowsOf(BYTES, 59), 'nothing'],
  ['bytes in rows of 60', rowsOf(BYTES, 60), 'unread'],
  ['rows of 16 behind an address', `data:;base64,${rowsOf(LONG, 16)}`, 'read'],
  ['rows of 8 behind an address', `data:;base64,${rowsOf(LONG, 8)}`, 'read'],
  ['rows of 7 behind an address', `data:;base64,${rowsOf(LONG, 7)}`, 'nothing'],
  ['bytes in rows of 15 behind an address', `data:;base64,${rowsOf(BYTES, 15)}`, 'nothing'],
  ['a picture in rows of 32', rowsOf(`iVBORw0KGgo${BYTES}`, 32), 'unread'],
  ['a row of Windows-1251 with a space', split(WINDOWS, 180, ' '), 'read'],
  ['bytes in rows of 16 behind an address', `data:;base64,${rowsOf(BYTES, 16)}`, 'unread'],
  ['rows of 44 above a longer row', `${rowsOf(LONG.slice(0, 176), 44)}\n${'-'.repeat(60)}`, 'read'],
  ['rows of 44 below another one', `${'-'.repeat(44)}\n${rowsOf(LONG, 44)}`, 'read'],
  [
    'rows of 32 between others',
    `${'-'.repeat(32)}\n${rowsOf(LONG, 32)}\n${'-'.repeat(32)}`,
    'read',
  ],
  [
    'rows that grow',
    `${LONG.slice(0, 44)}\n${LONG.slice(44, 92)}\n${LONG.slice(92, 152)}\n${LONG.slice(152)}`,
    'read',
  ],
  ['a last row that is shorter', `${SIGNS.slice(0, 40)}\n${SIGNS.slice(40)}`, 'read'],
  ['a last row that is as long', `${SIGNS.slice(0, 30)}\n${SIGNS.slice(30)}`, 'read'],
  ['a last row that is longer', `${SIGNS.slice(0, 20)}\n${SIGNS.slice(20)}`, 'read'],
  [
    'a last row with =',
    `${base64(`${CALL}!`).slice(0, 44)}\n${base64(`${CALL}!`).slice(44)}`,
    'read',
  ],
  ['rows with \\n of JSON', rowsOf(LONG, 44, '\\n'), 'read'],
  ['rows with \\r\\n of JSON', rowsOf(LONG, 44, '\\r\\n'), 'read'],
  ['quotes 8 deep', rowsOf(LONG, 60, `\n${'>'.repeat(8)}`), 'read'],
  [
    'quotes 9 deep',
    rowsOf(base64(`${WORDS.slice(0, 34)}${CALL.slice(5)}`), 60, `\n${'>'.repeat(9)}`),
    'nothing',
  ],
  ['a row directly before data:', `${SIGNS}data:text/plain;base64,${base64('words')}`, 'read'],
  ['an address that %41 stops', `data:;base64,${SIGNS}%41${SIGNS}`, 'read'],
  ['an address that \\u stops', `data:;base64,${SIGNS}\\u0041`, 'read'],
  ['a telephone behind %41', `data:;base64,${base64('Just words.')}%41 +7 916 123-45-67`, 'read'],
  ['a space in the row', split(SIGNS, 16, ' '), 'read'],
  ['a space in the telephone', split(LONG, 100, ' '), 'read'],
  ['a tab in the row', split(SIGNS, 30, '\t'), 'read'],
  ['eight spaces in the row', split(SIGNS, 30, ' '.repeat(8)), 'read'],
  ['nine spaces in the row', split(SIGNS, 16, ' '.repeat(9)), 'nothing'],
  ['a space that does not break', split(SIGNS, 30, '\u00a0'), 'read'],
  ['an empty line', split(SIGNS, 30, '\n\n'), 'read'],
  ...HIDDEN.map(
    (sign) =>
      [
        `an invisible U+${sign.codePointAt(0)?.toString(16)}`,
        split(SIGNS, 20, sign),
        'read',
      ] as const,
  ),
  ['a picture in front', `😀${SIGNS}`, 'read'],
  ['pictures around narrow rows', `😀${rowsOf(LONG, 32)}😀`, 'read'],
  ['a half of a picture in front', `\udc00${SIGNS}`, 'read'],
  ['many invisible ones', [...SIGNS].join('\u200b'), 'read'],
  ['one sign in front', `x${SIGNS}`, 'read'],
  ['two signs in front', `xy${SIGNS}`, 'read'],
  ['three signs in front', `x_y${SIGNS}`, 'read'],
  ['forty signs in front', `${'some-name-of-a-thing-'.repeat(2)}${SIGNS}`, 'read'],
  ['ninety signs in front', `${'a'.repeat(90)}${SIGNS}`, 'read'],
  ['signs behind', `${SIGNS}_end`, 'read'],
  ['signs on both sides', `x${SIGNS}yz`, 'read'],
  ...[1, 2, 3].map(
    (cut) => [`a beginning cut by ${cut}`, base64(`Hello. ${CALL}`).slice(cut), 'read'] as const,
  ),
  ...[1, 2, 3, 5, 6, 7].map(
    (cut) => [`letters of UTF-8 cut by ${cut}`, cyrillic.slice(cut, -cut), 'read'] as const,
  ),
  ['a word behind it', `${SIGNS} implementation details`, 'read'],
  ['two of them with a space between', `${SIGNS} ${SIGNS}`, 'read'],
];

describe('rows of base64', () => {
  it.each(CASES)('are judged as the list says: %s', (_what, content, judgement) => {
    expect(judged(content)).toBe(judgement);
  });

  it.each(CASES.filter(([, , judgement]) => judgement === 'read'))(
    'leave without the telephone: %s',
    (_what, content) => {
      const left = masked(content).replace(/(?:\\r)?\\n|[\s>\u00ad\ufeff]|\p{Cf}/gu, '');
      const decoded = [...left.matchAll(/[\w+/-]{16,}/g)].flatMap(([row]) =>
        [0, 1, 2, 3].map((from) => Buffer.from(row.slice(from), 'base64').toString('latin1')),
      );
      expect([left, ...decoded].join('\n')).not.toMatch(/123-45|916/);
    },
  );
});

/** How many signs are decoded, and how many patterns are tried, while a text is read. */
function workOf(text: string): number {
  const decode = vi.spyOn(Buffer, 'from');
  const match = vi.spyOn(RegExp.prototype, 'exec');
  embeddedIn(text);
  const decoded = decode.mock.calls.map(([given]) => (given as { length: number }).length);
  const work = decoded.reduce((sum, length) => sum + length, 0) + match.mock.calls.length;
  vi.restoreAllMocks();
  return work;
}

const RANDOM = bytesOf(6_000).toString('base64');
/** Rows of mixed signs that are no text, each as wide as is said. */
function listOf(characters: number, widthOf: (row: number) => number): string {
  let text = '';
  for (let row = 0; text.length < characters; row += 1) {
    const from = (row * 61) % 7_000;
    text += `${RANDOM.slice(from, from + widthOf(row))}\n`;
  }
  return text;
}

describe('the work of a long list of rows', () => {
  it.each([
    ['of 59 signs', () => 59],
    ['that grow from 40 to 59 again and again', (row: number) => 40 + (row % 20)],
    ['that grow once', (row: number) => 40 + Math.min(19, Math.floor(row / 1_000))],
    ['of 20 signs', () => 20],
    ['of 76 signs', () => 76],
  ])('grows with its length alone: %s', (_what, widthOf) => {
    const some = workOf(listOf(131_072, widthOf));
    const more = workOf(listOf(1_048_576, widthOf));
    expect(some).toBeGreaterThan(0);
    expect(more).toBeLessThan(8.5 * Math.max(some, 131_072));
    expect(more).toBeLessThan(40 * 1_048_576);
  });
});
