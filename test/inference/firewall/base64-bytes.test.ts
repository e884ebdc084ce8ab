import { describe, expect, it } from 'vitest';
import { isMixed, unreadBytes } from '../../../src/inference/firewall/base64-bytes.js';
import { inspectRequest } from '../../../src/inference/firewall/inspect.js';
import { DEFAULT_MODES } from '../../../src/kernel/firewall/vocabulary.js';
import { asked, bytesOf } from './base64-cases.js';

const BYTES = bytesOf(300).toString('base64');
const PICTURE = `iVBORw0KGgo${BYTES}`;
const NAMELESS = { kind: 'file', isNameless: true };

describe('signs that may be bytes', () => {
  it.each([
    ['63 signs of a picture', PICTURE.slice(0, 63), undefined],
    ['64 signs of a picture', PICTURE.slice(0, 64), { kind: 'image', isNameless: false }],
    ['64 signs that nothing names', BYTES.slice(0, 64), undefined],
    ['127 signs that nothing names', BYTES.slice(0, 127), undefined],
    ['128 signs that nothing names', BYTES.slice(0, 128), NAMELESS],
    ['bytes between zeros', `${'A'.repeat(10_000)}${BYTES}${'A'.repeat(10_000)}`, NAMELESS],
    ['zeros alone', 'A'.repeat(10_000), undefined],
    ['small hexadecimal digits', 'd6cd1e2b'.repeat(40), undefined],
    ['large hexadecimal digits', 'D6CD1E2B'.repeat(40), undefined],
    ['hexadecimal digits of both cases', 'd6Cd1E2b7F90aBc4'.repeat(20), NAMELESS],
  ])('are what the list says: %s', (_what, signs, kind) => {
    expect(unreadBytes(signs)).toEqual(kind);
  });
});

/**
 * A row of 256 signs with so many capitals, small letters and digits, one after the other, of which
 * so many stand apart from their kind, so that the rest of them are in as few turns as may be.
 */
function rowWith({ capitals = 100, small = 100, digits = 56, turns = 200 }): string {
  const left = { A: capitals, a: small, 7: digits } as Record<string, number>;
  let row = '';
  let before = '';
  for (let turn = 1; row.length < capitals + small + digits; turn += 1) {
    const kinds = Object.keys(left).filter((kind) => kind !== before && (left[kind] ?? 0) > 0);
    const most = kinds.sort((one, other) => (left[other] ?? 0) - (left[one] ?? 0))[0] ?? before;
    row += most;
    left[most] = (left[most] ?? 0) - 1;
    before = most;
    if (turn < turns) continue;
    for (const kind of Object.keys(left)) row += kind.repeat(left[kind] ?? 0);
    break;
  }
  return row;
}

describe('signs are mixed as bytes are', () => {
  it.each([
    ['26 capitals of 256', rowWith({ capitals: 26, small: 120, digits: 110 }), true],
    ['25 capitals of 256', rowWith({ capitals: 25, small: 121, digits: 110 }), false],
    ['26 small letters of 256', rowWith({ capitals: 120, small: 26, digits: 110 }), true],
    ['25 small letters of 256', rowWith({ capitals: 121, small: 25, digits: 110 }), false],
    ['8 digits of 256', rowWith({ capitals: 124, small: 124, digits: 8 }), true],
    ['7 digits of 256', rowWith({ capitals: 125, small: 124, digits: 7 }), false],
    ['79 turns of 256', rowWith({ turns: 79 }), true],
    ['some 60 turns of 256', rowWith({ turns: 60 }), false],
    ['63 mixed signs', BYTES.slice(0, 63), false],
    ['64 mixed signs', BYTES.slice(0, 64), true],
  ])('where no part is too small: %s', (_what, signs, isOfBytes) => {
    expect(isMixed(signs)).toBe(isOfBytes);
  });
});

describe('hexadecimal digits in a text', () => {
  const digits = Buffer.from('Just words, and no number. '.repeat(9)).toString('hex');
  const kindsIn = (content: string) =>
    inspectRequest(asked(content), DEFAULT_MODES).unread.map(({ kind }) => kind);

  it('of bytes count as unread in small and in large letters', () => {
    const bytes = bytesOf(200).toString('hex');
    expect(kindsIn(bytes)).toEqual(['file']);
    expect(kindsIn(bytes.toUpperCase())).toEqual(['file']);
  });

  it('of a text are read', () => {
    expect(kindsIn(digits)).toEqual([]);
  });
});
