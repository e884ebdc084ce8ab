import type { IncomingHttpHeaders } from 'node:http';
import { KEY_PREFIX } from '../keys/format.js';

const BASIC = /^Basic +([A-Za-z0-9+/=_-]+) *$/i;

const OF_PAGES = ['origin', 'sec-fetch-site', 'referer'] as const;

/**
 * The Authorization header as it is judged. Programs that know nothing but HTTP Basic, such as
 * spreadsheets and dashboards, send an API key as its password, with any user name; it counts as a
 * bearer then. Only keys do, and never from a page: a browser sends a remembered Basic credential
 * with requests that another site has made, and says so by Origin, Sec-Fetch-Site or Referer. No
 * answer asks for Basic, so that no browser learns one here.
 */
export function shownCredential(headers: IncomingHttpHeaders): string | undefined {
  const { authorization } = headers;
  // Asked of every request: most of them are over after one letter.
  if (authorization === undefined || !/^b(?=asic)/i.test(authorization)) return authorization;
  const encoded = BASIC.exec(authorization)?.[1];
  const isOfPage = OF_PAGES.some((name) => headers[name] !== undefined);
  if (encoded === undefined || isOfPage) return authorization;
  const [, key] = /^[^:]*:(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  return key?.startsWith(KEY_PREFIX) ? `Bearer ${key}` : authorization;
}
