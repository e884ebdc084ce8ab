import { isIP } from 'node:net';
import { BEACON_BOUNDS, HIDDEN_PART } from './vocabulary.js';

/** An e-mail, a number of five digits or more, a uuid, or a long random word. */
const MAY_NAME_SOMEBODY = /@|%40|\d{5,}|^[0-9a-f-]{16,}$|^[\w~-]{32,}$/i;

/**
 * What is kept of a path: no query, no fragment, no host, and nothing in the place of a part that
 * may name somebody.
 */
export function keptPath(given: string): string {
  const path = given.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '');
  const parts = path.split('/').filter(Boolean);
  const kept = parts
    .slice(0, BEACON_BOUNDS.pathPartsMax)
    .map((part) => (MAY_NAME_SOMEBODY.test(decoded(part)) ? HIDDEN_PART : part));
  return `/${kept.join('/')}`.slice(0, BEACON_BOUNDS.pathCharactersMax);
}

/** A part that cannot be decoded is judged as it is. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** What is kept of a referrer: the name of its host; null for none, and for an address. */
export function keptReferrer(given: string | null): string | null {
  if (given === null || given.trim() === '') return null;
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(given) ? given : `https://${given}`;
  if (!URL.canParse(text)) return null;
  const host = new URL(text).hostname.replace(/^www\./, '');
  const isName = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(host) && isIP(host) === 0;
  return isName ? host : null;
}

/**
 * What beacons are limited by: an address of IPv4, or the network of 64 bits of one of IPv6, since
 * whoever has one of its addresses has all of them.
 */
export function limitedAddress(address: string): string {
  const [plain = ''] = address.split('%', 1);
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1];
  if (mapped) return mapped;
  if (isIP(plain) !== 6) return plain;
  const [head = '', tail] = plain.split('::', 2);
  const start = head === '' ? [] : head.split(':');
  const end = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - start.length - end.length) }, () => '0');
  const groups = tail === undefined ? start : [...start, ...zeros, ...end];
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}
