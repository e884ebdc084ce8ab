import type { Finding } from '../finding.js';

/** Words and signs for `@`, `.`, `-` and `_`, as people spell and say them. */
const AT_WORD = 'собак[ауе]|собачк[ауе]|эт|ат|at';
const AT_IN_BRACKETS = '[(\\[{<]\\s?(?:at|dog|собак[ау]|собачка|соб|эт|ат|@)\\s?[)\\]}>]';
const DOT_WORD = '(?:dot|дот|точк[ау]|тчк)';
const DOT_IN_BRACKETS = '[(\\[{<]\\s?(?:dot|дот|точка|\\.)\\s?[)\\]}>]';
const JOINING_WORD =
  '(?:тире|дефис|минус|dash|hyphen|(?:нижнее |нижний )?(?:подч[её]ркивани[ея]|пробел)|' +
  'андерскор|underscore)';
const SPELT_DOT = `(?:\\s{0,2}${DOT_IN_BRACKETS}\\s{0,2}|\\s{1,2}${DOT_WORD}\\s{1,2})`;
const JOINER = `(?:${SPELT_DOT}|\\s{1,2}${JOINING_WORD}\\s{1,2})`;

const LATIN_LOCAL = '[A-Za-z0-9](?:[A-Za-z0-9_%+-]|\\.(?=[A-Za-z0-9])){0,63}';
const RUSSIAN_WORD = '[А-Яа-яЁё]{1,24}\\d{0,6}';
const NO_LOCAL = `(?!(?:${AT_WORD}|${DOT_WORD}|${JOINING_WORD})(?![A-Za-zА-Яа-яЁё]))`;
const LOCAL_PIECE = `${NO_LOCAL}(?:${LATIN_LOCAL}|${RUSSIAN_WORD})(?:\\s\\d{1,6})?`;
const LOCAL = `${LOCAL_PIECE}(?:${JOINER}${LOCAL_PIECE}){0,4}`;
const PART = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const HOST_WORD = `(?:${PART}|${RUSSIAN_WORD})`;
const HOST_PIECE = `${HOST_WORD}(?:\\s{1,2}${JOINING_WORD}\\s{1,2}${HOST_WORD}){0,3}`;
const ZONE =
  '(?:ru|com|org|net|io|su|info|biz|dev|pro|me|ai|co|by|kz|ua|de|uk|eu|tech|online|рф|ру|ком|' +
  'орг|нет|инфо|су|кз|бай|онлайн|про)(?![A-Za-zА-Яа-яЁё0-9_-])';

/** Where an address may have its `@`. */
const LOCATOR = new RegExp(`${AT_IN_BRACKETS}|(?<=\\s)(?:${AT_WORD})(?=\\s)`, 'gi');
const ANY_DOT = `(?:${SPELT_DOT}|\\s?\\.\\s?)`;
/** A host with any dots, and one whose dots are spelled. */
const HOST = new RegExp(`\\s{0,2}(?:${HOST_PIECE}${ANY_DOT}){1,4}${ZONE}`, 'iy');
const SPELT_HOST = new RegExp(`\\s{0,2}(?:${HOST_PIECE}${SPELT_DOT}){1,4}${ZONE}`, 'iy');
const LOCAL_BEFORE = new RegExp(`(?<=(?<![\\wА-Яа-яЁё.%+-])(${LOCAL}\\s{0,2}))`, 'iy');
const NO_NAME = /^(?:the|an?|our|this|his|her|my|моя|твоя|наша|ваша|эта|какая|чья)$/i;
/** Before `@host.ru` a word may belong to the sentence: «follow us @host.ru». */
const PROSE =
  /^(?:us|me|at|on|is|by|to|via|from|and|or|e?-?mail|email|follow|visit|see)$|[А-Яа-яЁё]/i;

/**
 * The end of the host behind what reads as `@`, or -1. A bracketed `at` and the word «собака» are
 * unmistakable; `at` and «эт» are words, so that the dot has to be spelled too.
 */
function hostEnd(text: string, place: number, at: string): number {
  const isWord = /^(?:at|ат|эт)$/i.test(at);
  const host = isWord ? SPELT_HOST : HOST;
  host.lastIndex = place;
  const found = host.exec(text)?.[0];
  return found === undefined || NO_NAME.test(found.trim().split(/\s/, 1)[0] ?? '')
    ? -1
    : place + found.length;
}

/** True where what stands before `@` is no name of a mailbox. */
function isProse(local: string, at: string, isSpacedOnBothSides: boolean): boolean {
  if (NO_NAME.test(local)) return true;
  if (at === '@' && !isSpacedOnBothSides) return PROSE.test(local);
  // Before a plain English word, prose has short words and addresses have names.
  return /^(?:at|ат)$/i.test(at) && local.length < 3;
}

/** The address around what reads as `@` and stands at [index, place). */
function addressAround(text: string, index: number, place: number): Finding | undefined {
  const at = text.slice(index, place);
  const end = hostEnd(text, place, at);
  LOCAL_BEFORE.lastIndex = index;
  const local = end < 0 ? undefined : LOCAL_BEFORE.exec(text)?.[1];
  if (local === undefined) return undefined;
  const isSpaced = /^\s/.test(text.charAt(place)) && /\s$/.test(local);
  if (isProse(local.trim(), at, isSpaced)) return undefined;
  return { class: 'email', start: index - local.length, end, confidence: 'confirmed' };
}

/** E-mail addresses that are spelled out so that machines do not see them, or that were said. */
export function detectSpeltEmails(text: string): Finding[] {
  return [...text.matchAll(LOCATOR)].flatMap(
    ({ 0: at, index }) => addressAround(text, index, index + at.length) ?? [],
  );
}

/** E-mail addresses with spaces around their `@`, and perhaps their dots. */
export function detectSpacedEmails(text: string): Finding[] {
  const found: Finding[] = [];
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    if (!/\s/.test(text.charAt(at - 1)) && !/\s/.test(text.charAt(at + 1))) continue;
    const address = addressAround(text, at, at + 1);
    if (address) found.push(address);
  }
  return found;
}
