import { type Finding, findingsOf } from '../finding.js';

const LOCAL = '[A-Za-z0-9](?:[A-Za-z0-9_%+-]|\\.(?=[A-Za-z0-9])){0,63}';
const PART = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const ZONE = '(?:ru|com|org|net|io|su|info|biz|dev|pro|me|ai|co|by|kz|ua|de|uk|eu|tech|online|рф)';
const BRACKETED_AT = '\\s{0,2}[(\\[{<]\\s?(?:at|dog|собака|соб|эт|ат|@)\\s?[)\\]}>]\\s{0,2}';
const BRACKETED_DOT = '\\s{0,2}[(\\[{<]\\s?(?:dot|точка|\\.)\\s?[)\\]}>]\\s{0,2}';
const WORD_DOT = '\\s{1,2}(?:dot|точка)\\s{1,2}';
const ANY_DOT = `(?:\\.|${BRACKETED_DOT}|${WORD_DOT})`;
const SPELT_DOT = `(?:${BRACKETED_DOT}|${WORD_DOT})`;
const DOTTED_LOCAL = `${LOCAL}(?:${SPELT_DOT}${LOCAL}){0,3}`;

/**
 * A bracketed `at` or the word «собака» is unmistakable; the plain English word needs the word
 * `dot` behind it.
 */
const SPELT = new RegExp(
  `(?<![\\w.%+-])${DOTTED_LOCAL}(?:` +
    `(?:${BRACKETED_AT}|\\s{1,2}собака\\s{1,2})(?:${PART}${ANY_DOT}){1,4}${ZONE}|` +
    `(?<=[\\w.-]{3})\\s{1,2}at\\s{1,2}(?!(?:the|an?|our|this|his|her|my)\\s)` +
    `(?:${PART}${SPELT_DOT}){1,4}${ZONE})(?![\\w-])`,
  'gi',
);

/** E-mail addresses that are spelt out so that machines do not see them. */
export function detectSpeltEmails(text: string): Finding[] {
  return findingsOf('email', text, SPELT, 'confirmed');
}
