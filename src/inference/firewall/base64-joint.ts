import { isMixedCase, ROW_MIN } from './base64-rows.js';
import { isSign, withoutHidden } from './base64-signs.js';
import { textAmong } from './base64-text.js';
import { withoutHalves } from './text-bytes.js';
import { writingOf } from './writings.js';

/** A word that begins a sentence is shorter. */
const FIRST_ROW_MIN = 4;
/** So many signs before a joint are kept. */
const SIGNS_MAX = 512;
/** A text that goes on over a joint begins within so many signs before it, or its end does. */
const NEAR_SIGNS = 64;
const QUOTE = /^[\s>]{0,8}/;
const PADDING = /^={0,2}\s{0,8}$/;

/** The signs at the end of texts that follow one another, as far as a next one may go on there. */
export class Joint {
  private signs = '';

  /** Adds a text. True where base64 at the end of those before goes on at its beginning. */
  add(text: string): boolean {
    const end = text.trimEnd().length;
    const begin = QUOTE.exec(text)?.[0].length ?? 0;
    if (begin >= end) return false;
    const tail = this.signs;
    const own = lastSigns(text, begin, end);
    const signs = withoutHidden(own)?.view ?? own;
    if (signs === '' && own !== '') return false;
    const isOnlySigns = own.length === end - begin;
    this.signs = isOnlySigns ? (tail + signs).slice(-SIGNS_MAX) : signs;
    return tail !== '' && goesOn(tail, text, begin);
  }
}

function goesOn(tail: string, text: string, begin: number): boolean {
  let end = begin;
  while (end < text.length && isSign(text.charCodeAt(end))) end += 1;
  const own = text.slice(begin, end);
  const head = withoutHidden(own)?.view ?? own;
  const isAll = PADDING.test(text.slice(end, end + 12));
  if (head === '' || (head.length < FIRST_ROW_MIN && !isAll)) return false;
  if (tail.length + head.length < ROW_MIN) return false;
  return isTextOver(tail + head, tail.length) || isWritingOver(tail + head);
}

/** True where a text begins before a joint and ends behind it. */
function isTextOver(signs: string, joint: number): boolean {
  let at = Math.max(0, joint - NEAR_SIGNS);
  while (at < joint) {
    const among = textAmong(signs, at, joint);
    if (!among) return false;
    if (among.end > joint) return true;
    at = among.end;
  }
  return false;
}

/** The same of a text in another encoding, where it is certain which one that is. */
function isWritingOver(signs: string): boolean {
  if (!isMixedCase(signs)) return false;
  return writingOf(withoutHalves(Buffer.from(signs, 'base64')))?.isCertain ?? false;
}

function lastSigns(text: string, from: number, end: number): string {
  let begin = end;
  while (begin > from && isSign(text.charCodeAt(begin - 1))) begin -= 1;
  return text.slice(begin, end);
}
