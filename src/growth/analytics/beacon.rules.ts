import { isIP } from 'node:net';
import { BEACON_BOUNDS, HIDDEN_PART } from './vocabulary.js';

/**
 * An e-mail, a number of five digits or more in any script, one of seven or more whose digits are
 * set apart as in a telephone number, a uuid, a long random word or a token, and what hides a query
 * or cannot be seen.
 */
const MAY_NAME_SOMEBODY = [
  /[@?#=&]|%40/,
  /\p{Nd}{5,}/u,
  /\p{Nd}(?:[\s().+_~\p{Pd}]{0,3}\p{Nd}){6,}/u,
  /^[0-9a-f-]{16,}$/i,
  /^[\w.~-]{32,}$/,
  /\p{C}/u,
] as const;
/** A day is written with as many digits as a telephone number, and names nobody. */
const DAY = /(?:19|20)\d\d-\d\d-\d\d/g;
/** What is encoded more often than this is hidden: nobody's path needs it. */
const DECODINGS_MAX = 3;
/** The longest name of a host that there can be. */
const HOST_LENGTH_MAX = 253;

function mayNameSomebody(text: string): boolean {
  const plain = text.normalize('NFKC').replace(DAY, '');
  return MAY_NAME_SOMEBODY.some((form) => form.test(plain));
}

/**
 * What is kept of a path: no query, no fragment, no host, no parameters of a part, and nothing in
 * the place of a part that may name somebody.
 */
export function keptPath(given: string): string {
  const path = given.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '');
  const parts = path
    .split(/[\\/]/)
    .map((part) => part.replace(/;.*$/s, ''))
    .filter(Boolean);
  const kept = parts
    .slice(0, BEACON_BOUNDS.pathPartsMax)
    .map((part) => (mayNameSomebody(decoded(part)) ? HIDDEN_PART : part));
  const short = `/${kept.join('/')}`.slice(0, BEACON_BOUNDS.pathCharactersMax);
  return short.replace(/\p{Surrogate}$/u, '');
}

/** A part as who reads it sees it; one that cannot be decoded is judged as it is. */
function decoded(part: string): string {
  let text = part;
  for (let times = 0; times < DECODINGS_MAX; times += 1) {
    try {
      text = decodeURIComponent(text);
    } catch {
      return text;
    }
  }
  return text;
}

/**
 * What is kept of a referrer: the name of its host, from behind what may name somebody; null for
 * none, and for an address.
 */
export function keptReferrer(given: string | null): string | null {
  if (given === null || given.trim() === '') return null;
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(given) ? given : `https://${given}`;
  if (!URL.canParse(text)) return null;
  const host = new URL(text).hostname.replace(/^www\./, '');
  const isName = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(host) && isIP(host) === 0;
  return isName && host.length <= HOST_LENGTH_MAX ? publicPart(host) : null;
}

/** The last two labels are registered, for everybody to see; those before may be a visitor's. */
function publicPart(host: string): string {
  const labels = host.split('.');
  const own = labels.slice(0, -2);
  return labels.slice(own.findLastIndex(mayNameSomebody) + 1).join('.');
}
