import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '../../kernel/errors/fail.js';
import { KEY_PREFIX } from '../keys/format.js';

const BASIC = /^Basic +([A-Za-z0-9+/=_-]+) *$/i;

const OF_PAGES = ['origin', 'sec-fetch-site', 'referer'] as const;

/** The headers in which clients of other services send their key. */
const KEY_HEADERS = ['x-api-key', 'api-key'] as const;

/**
 * The credential of a request as it is judged, in the form of an Authorization header. A key in
 * `x-api-key` or `api-key` counts as the bearer that it would be there.
 * @throws conflicting_credentials for headers that name different ones
 */
export function shownCredential(headers: IncomingHttpHeaders): string | undefined {
  const authorization = authorizationOf(headers);
  // Asked of every request, of which few have another header than the usual one.
  if (headers['x-api-key'] === undefined && headers['api-key'] === undefined) return authorization;
  const keys = KEY_HEADERS.map((name) => String(headers[name] ?? '').trim()).filter(Boolean);
  const shown = [authorization ?? '', ...keys].map(withoutScheme).filter(Boolean);
  if (new Set(shown).size > 1) throw new GatewayError('conflicting_credentials');
  return shown[0] === undefined ? authorization : `Bearer ${shown[0]}`;
}

function withoutScheme(shown: string): string {
  return shown.replace(/^Bearer +/i, '').trim();
}

/**
 * The Authorization header as it is judged. Programs that know nothing but HTTP Basic, such as
 * spreadsheets and dashboards, send an API key as its password, with any user name; it counts as a
 * bearer then. Only keys do, and never from a page: a browser sends a remembered Basic credential
 * with requests that another site has made, and says so by Origin, Sec-Fetch-Site or Referer. No
 * answer asks for Basic, so that no browser learns one here.
 */
function authorizationOf(headers: IncomingHttpHeaders): string | undefined {
  const { authorization } = headers;
  // Asked of every request: most of them are over after one letter.
  if (authorization === undefined || !/^b(?=asic)/i.test(authorization)) return authorization;
  const encoded = BASIC.exec(authorization)?.[1];
  const isOfPage = OF_PAGES.some((name) => headers[name] !== undefined);
  if (encoded === undefined || isOfPage) return authorization;
  const [, key] = /^[^:]*:(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  return key?.startsWith(KEY_PREFIX) ? `Bearer ${key}` : authorization;
}
