import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { embeddedIn } from '../../../src/inference/firewall/embedded.js';
import { inspectRequest } from '../../../src/inference/firewall/inspect.js';
import { DEFAULT_MODES } from '../../../src/kernel/firewall/vocabulary.js';
import {
  asked,
  base64,
  bytesOf,
  CALL,
  judged,
  MASKING,
  masked,
  rowsOf,
  SIGNS,
} from './base64-cases.js';

const PLACEHOLDER = '[[GW_PHONE_1]]';
const MASKED = CALL.replace('+7 916 123-45-67', PLACEHOLDER);
const unpadded = (text: string) => Buffer.from(text).toString('base64url');
const QUESTIONS = 'Is it so??? Is it so>>> Call +7 916 123-45-67, please?~?~';
const masksOf = (text: string) => text.replace('+7 916 123-45-67', PLACEHOLDER);

describe('base64 that stands in a text more than once', () => {
  it.each([
    ['twice', `${SIGNS}, ${SIGNS}`, `${base64(MASKED)}, ${base64(MASKED)}`],
    ['behind another sign first', `x${SIGNS}, ${SIGNS}`, `x${base64(MASKED)}, ${base64(MASKED)}`],
    [
      'behind the same bytes that nothing reads',
      `${'z'.repeat(400)}${SIGNS}; ${SIGNS}`,
      `${'z'.repeat(400)}${base64(MASKED)}; ${base64(MASKED)}`,
    ],
    [
      'behind a telephone as it reads',
      `+7 916 123-45-67 ${'и'.repeat(9)} ${SIGNS}, ${SIGNS}`,
      `${PLACEHOLDER} ${'и'.repeat(9)} ${base64(MASKED)}, ${base64(MASKED)}`,
    ],
  ])('is replaced where it stands: %s', (_what, content, left) => {
    expect(masked(content)).toBe(left);
  });

  it('leaves in one text where a space parts two of them, as one that goes on does', () => {
    const left = masked(`${SIGNS} ${SIGNS}`);
    expect(Buffer.from(left, 'base64').toString()).toBe(MASKED + MASKED);
  });
});

describe('base64 that is replaced', () => {
  const LONG = `${CALL}. ${'Just words. '.repeat(9)}`;
  it.each([
    ['of addresses, without padding', unpadded(QUESTIONS), unpadded(masksOf(QUESTIONS))],
    ['with padding', base64(`${CALL}.`), base64(`${MASKED}.`)],
    [
      'without padding',
      base64(`${CALL}.`).replace(/=+$/, ''),
      base64(`${MASKED}.`).replace(/=+$/, ''),
    ],
    ['in rows of 64', rowsOf(base64(LONG), 64), rowsOf(base64(masksOf(LONG)), 64)],
    ['in rows of 32', rowsOf(base64(LONG), 32), rowsOf(base64(masksOf(LONG)), 32)],
    ['in quotes', rowsOf(base64(LONG), 60, '\r\n> '), rowsOf(base64(masksOf(LONG)), 60, '\r\n> ')],
    ['in rows of JSON', rowsOf(base64(LONG), 76, '\\n'), rowsOf(base64(masksOf(LONG)), 76, '\\n')],
    [
      'behind an address',
      `data:text/plain;base64,${rowsOf(base64(LONG), 40)}`,
      `data:text/plain;base64,${rowsOf(base64(masksOf(LONG)), 40)}`,
    ],
  ])('keeps its manner: %s', (_what, content, left) => {
    expect(unpadded(QUESTIONS)).toMatch(/[-_]/);
    expect(masked(content)).toBe(left);
  });

  it('keeps it in a member for bytes', () => {
    const of = (data: string) => ({ model: 'm', messages: [{ role: 'user', content: 'a', data }] });
    for (const put of [unpadded, (text: string) => rowsOf(base64(text), 20, '\r\n')]) {
      const { body } = inspectRequest(of(put(QUESTIONS)), MASKING);
      expect(body).toEqual(of(put(masksOf(QUESTIONS))));
    }
  });
});

describe('the bounds of what is read', () => {
  const plain = base64('Just words, and nothing else in them.');
  const list = (count: number) => `${`${plain}, `.repeat(count)}${SIGNS}`;

  it('are 256 pieces in a text', () => {
    expect(judged(list(255))).toBe('read');
    expect(judged(list(256))).toBe('unread');
    expect(judged(`${`${plain}, `.repeat(256)}no more`)).toBe('nothing');
  });

  it('are three levels of base64 in base64', () => {
    const nested = (levels: number): string =>
      levels === 0 ? CALL : base64(`It is, as far as I see: ${nested(levels - 1)}`);
    expect([1, 2, 3, 4].map((levels) => judged(nested(levels)))).toEqual([
      'read',
      'read',
      'read',
      'unread',
    ]);
  });

  it('are 64 signs where a text is a guess, and 128 where nothing says what bytes are', () => {
    const kindsIn = (content: string) =>
      inspectRequest(asked(content), DEFAULT_MODES).unread.map(({ kind }) => kind);
    // Letters of Windows-1251 that are too few to be certain.
    const words = '\xd2\xe5\xeb\xe5\xf4\xee\xed \xea\xeb\xe8\xe5\xed\xf2\xe0 '.repeat(3);
    const guess = Buffer.from(`${words}+7 916`, 'latin1').toString('base64');
    expect(kindsIn(guess.slice(0, 60))).toEqual([]);
    expect(kindsIn(guess.slice(0, 64))).toEqual(['file']);
    const bytes = bytesOf(96).toString('base64');
    expect(kindsIn(bytes)).toEqual(['file']);
    expect(kindsIn(bytes.slice(0, 124))).toEqual([]);
  });
});

describe('the pieces of any text', () => {
  const fragment = fc.oneof(
    fc.constantFrom(
      SIGNS,
      'x',
      '-',
      '=',
      ' ',
      '\n',
      '\\n',
      '> ',
      '😀',
      '\u200b',
      '\udc00',
      'é',
      '%2b',
    ),
    fc.constantFrom('data:;base64,', 'data:image/png;base64,', ', ', 'words ', '\u{e0020}', '\0'),
    fc.stringMatching(/^[\w+/-]{1,70}$/),
    fc.string({ unit: 'binary' }),
  );

  it('stand in their order, and nothing but them changes', () => {
    const text = fc.array(fragment, { maxLength: 24 }).map((fragments) => fragments.join(''));
    fc.assert(
      fc.property(text, (given) => {
        const pieces = embeddedIn(given);
        let at = 0;
        for (const { begin, end } of pieces) {
          expect([begin >= at, end > begin, end <= given.length]).toEqual([true, true, true]);
          at = end;
        }
        const { body, masked: counts } = inspectRequest(asked(given), MASKING);
        if (counts.length === 0) expect(body.messages[0]?.content).toBe(given);
      }),
      { numRuns: 2_000 },
    );
  });
});
