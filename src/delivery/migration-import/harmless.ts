import { HARMLESS_WORDS, HOST_LABELS, MODEL_FAMILIES, NUMBERS } from './harmless-words.js';
import { snakeOf, wordsOf } from './observation.js';
import { suffixOfHost } from './providers.js';
import { REDACTED } from './vocabulary.js';

/** How long a text may be that is judged by its words; a longer one is somebody's own. */
const PHRASE_LENGTH_MAX = 120;
const PARTS_MAX = 16;
const SEPARATED = /^=?[@/.]?[A-Za-z0-9]+(?:(?:[-_./:@, ]|, |: |; |__)[A-Za-z0-9]+)*[/:]?$/;
const SMALL = /^\d{1,2}$/;
const DIGITS_OF_PHRASE_MAX = 4;

/** True for texts that are made of words that everybody uses, with a few small numbers. */
export function isKnownPhrase(text: string): boolean {
  if (text.length > PHRASE_LENGTH_MAX || !SEPARATED.test(text)) return false;
  const parts = text.split(/[^A-Za-z0-9]+/).filter(Boolean);
  if (parts.length > PARTS_MAX || digitsIn(text) > DIGITS_OF_PHRASE_MAX) return false;
  return parts.some((part) => !SMALL.test(part)) && parts.every(isKnownPart);
}

function isKnownPart(part: string): boolean {
  if (SMALL.test(part) || isKnownWord(part)) return true;
  const humps = wordsOf(part);
  // A long row of short words would be a text of its own.
  if (humps.length > 6) return false;
  return humps.every((hump) => isKnownWord(hump) || isKnownWord(hump.replace(/\d{1,2}$/, '')));
}

function isKnownWord(word: string): boolean {
  return HARMLESS_WORDS.has(word.toLowerCase());
}

function digitsIn(text: string): number {
  return text.replace(/\D/g, '').length;
}

const MODEL_FORM = /^[A-Za-z0-9@]+(?:[-_./:@]{1,2}[A-Za-z0-9]+){0,15}$/;
const DIGITS_OF_MODEL_MAX = 14;
const NUMBERED =
  /^(?:v?\d{1,4}|v?\d{1,3}[bkmo]|\d{1,2}x\d{1,3}b|e|[aekmor]\d{1,3}b?|20[12]\d[01]\d[0-3]\d)$/i;

/** True for names of models that are made of the words, sizes, versions and dates of such names. */
export function isKnownModel(text: string): boolean {
  if (text.length > PHRASE_LENGTH_MAX || !MODEL_FORM.test(text)) return false;
  if (digitsIn(text) > DIGITS_OF_MODEL_MAX) return false;
  const parts = text.split(/[^A-Za-z0-9]+/).filter(Boolean);
  return parts.some(isFamily) && parts.every(isModelPart);
}

function isFamily(part: string): boolean {
  const lower = part.toLowerCase();
  if (MODEL_FAMILIES.has(lower) || /^o[134]$/.test(part)) return true;
  return MODEL_FAMILIES.has(lower.replace(/\d{1,2}$/, ''));
}

function isModelPart(part: string): boolean {
  return NUMBERED.test(part) || isKnownPart(part) || isKnownWord(part.replace(/\d{1,2}$/, ''));
}

const VARIABLE = /^[A-Za-z][A-Za-z0-9]*(?:[_.-]{1,2}[A-Za-z0-9]+){0,15}_{0,2}$/;
/** An unknown word of a name may have so many letters: no part of a secret that is of use. */
const OWN_LETTERS_MAX = 5;
const OWN_WORDS_MAX = 2;

/**
 * True for names of variables and settings: words that everybody uses, and beside them at most two
 * short ones of the customer's own.
 */
export function isHarmlessName(name: string): boolean {
  if (name.length > PHRASE_LENGTH_MAX) return false;
  const bare = name.replace(/^_{1,2}/, '');
  if (!VARIABLE.test(bare)) return isKnownPhrase(name);
  const parts = bare.split(/[^A-Za-z0-9]+/).filter(Boolean);
  const own = parts.filter((part) => !isKnownPart(part));
  if (own.length === 0) return digitsIn(name) <= DIGITS_OF_PHRASE_MAX;
  const isShort = own.every((part) => /^[A-Za-z]+$/.test(part) && part.length <= OWN_LETTERS_MAX);
  return isShort && own.length <= OWN_WORDS_MAX && own.length < parts.length;
}

/** A name of a variable or a field as it may be shown. */
export function shownName(name: string): string {
  return isHarmlessName(name) ? name : REDACTED;
}

const NUMBER = /^-?\d{1,7}(?:\.\d{1,4})?$/;

/** True for numbers that stand under the name of a known parameter and within its bounds. */
export function isHarmlessNumber(text: string, name: string): boolean {
  if (text === '0' || text === '1') return true;
  const plain = text.replaceAll('_', '');
  if (!NUMBER.test(plain)) return false;
  const words = snakeOf(name).split('_');
  const number = Number(plain);
  return words.some((_word, at) => {
    const [min = 1, max = 0] = NUMBERS.get(words.slice(at).join('_')) ?? [];
    return number >= min && number <= max;
  });
}

const URL_FORM = /^([a-z][a-z0-9+]{1,12}):\/\/([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/is;
const SCHEMES = new Set([
  ...['http', 'https', 'ws', 'wss', 'gpt', 'emb', 'postgres', 'postgresql', 'mysql', 'redis'],
  ...['mongodb', 'amqp'],
]);
const URL_LENGTH_MAX = 2_000;

/** An address with only those parts that are known; undefined for what is no address. */
export function shownUrl(url: string): string | undefined {
  if (url.length > URL_LENGTH_MAX) return undefined;
  const [whole, scheme = '', authority = '', path = '', query, hash] = URL_FORM.exec(url) ?? [];
  if (whole === undefined || !SCHEMES.has(scheme.toLowerCase())) return undefined;
  const tail = (query === undefined ? '' : shownQuery(query)) + (hash ? `#${REDACTED}` : '');
  return `${scheme}://${shownAuthority(authority)}${shownPath(path)}${tail}`;
}

function shownAuthority(authority: string): string {
  const at = authority.lastIndexOf('@');
  const user = at < 0 ? '' : `${REDACTED}@`;
  const [, host = '', port = ''] = /^(.*?)(:\d{1,5})?$/s.exec(authority.slice(at + 1)) ?? [];
  return user + shownHost(host) + port;
}

const OWN_ADDRESSES = [
  /^(?:localhost|127\.0\.0\.1|0\.0\.0\.0)$/,
  /^10(?:\.\d{1,3}){3}$/,
  /^(?:192\.168|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d{1,3}){2}$/,
];

/** A host of a provider, the customer's own labels in it replaced, or one of a private network. */
function shownHost(host: string): string {
  if (host === '' || OWN_ADDRESSES.some((form) => form.test(host))) return host;
  const suffix = suffixOfHost(host);
  if (suffix === undefined) return REDACTED;
  const own = host.slice(0, host.length - suffix.length).replace(/\.$/, '');
  if (own === '') return host;
  const labels = own.split('.').map((label) => (HOST_LABELS.has(label) ? label : REDACTED));
  return `${labels.join('.')}.${suffix}`;
}

/** The known steps of a path. */
export function shownPath(path: string): string {
  return path
    .split('/')
    .map((step) => (step === '' || isKnownPhrase(step) || isKnownModel(step) ? step : REDACTED))
    .join('/');
}

function shownQuery(query: string): string {
  return `?${query.slice(1).split('&').map(shownPair).join('&')}`;
}

function shownPair(pair: string): string {
  const at = pair.indexOf('=');
  if (at < 0) return REDACTED;
  const name = pair.slice(0, at);
  const value = pair.slice(at + 1);
  if (!isKnownPhrase(name)) return `${REDACTED}=${REDACTED}`;
  return `${name}=${DATED.test(value) ? value : REDACTED}`;
}

/** Versions of interfaces are dates. */
export const DATED = /^20[12]\d-[01]\d-[0-3]\d(?:-preview)?$/;
