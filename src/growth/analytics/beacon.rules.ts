import { isIP } from 'node:net';
import { BEACON_BOUNDS, HIDDEN_PART } from './vocabulary.js';

/** Labels of hosts that may be a visitor's: a long number, a uuid or a long random word. */
const MAY_NAME_SOMEBODY = [/\d{5,}/, /^[0-9a-f-]{16,}$/i, /^[\w-]{32,}$/] as const;
/** The longest name of a host that there can be. */
const HOST_LENGTH_MAX = 253;

function mayNameSomebody(label: string): boolean {
  return MAY_NAME_SOMEBODY.some((form) => form.test(label));
}

/**
 * What is kept of a path: the words of the route that it follows longest, and a place-holder for
 * every other part. A path may hold a name or a number in any spelling, so only words that the
 * operator has listed are kept; query, fragment and host never are.
 * @param routes parts of each listed route; a part that begins with `:` stands for any
 */
export function keptPath(given: string, routes: readonly (readonly string[])[]): string {
  const parts = partsOf(given).slice(0, BEACON_BOUNDS.pathPartsMax);
  let best: readonly string[] = [];
  for (const route of routes) {
    const followed = followedParts(route, parts);
    if (followed.length > best.length) best = followed;
  }
  const kept = parts.map((_, index) => best[index] ?? HIDDEN_PART);
  return `/${kept.join('/')}`;
}

/** The first parts of a route that a path follows. */
function followedParts(route: readonly string[], parts: readonly string[]): readonly string[] {
  const end = route.findIndex((part, index) => !part.startsWith(':') && part !== parts[index]);
  return route.slice(0, end === -1 ? undefined : end).slice(0, parts.length);
}

/** The parts of each route of a list that is separated by commas. */
export function routesOf(list: string): readonly (readonly string[])[] {
  return list.split(',').map((route) => partsOf(route.trim()));
}

/** The parts of a path, decoded as a reader sees them. */
function partsOf(path: string): string[] {
  return path
    .replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
    .replace(/[?#].*$/s, '')
    .split(/[\\/]/)
    .map((part) => decoded(part.replace(/;.*$/s, '')).normalize('NFC'))
    .filter(Boolean);
}

/** A part without its escapes, or as it is where they are broken. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
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
