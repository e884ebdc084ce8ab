/** Pages that may read answers: of every origin, or of those named. */
type AllowedOrigins = '*' | ReadonlySet<string>;

/** What the operator has settled for everything that is answered. */
export interface Site {
  readonly origins: AllowedOrigins;
  /** Headers of every answer, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What holds where nothing is settled: every page may read, over http. */
export const OPEN_SITE: Site = { origins: '*', headers: { 'x-content-type-options': 'nosniff' } };

const YEAR_SECONDS = 31_536_000;

/** The site of an operator's settings; browsers are held to https where its address is one. */
export function siteOf(origins: AllowedOrigins, publicUrl: string | undefined): Site {
  const isSecure = publicUrl?.startsWith('https:') ?? false;
  const transport = { 'strict-transport-security': `max-age=${YEAR_SECONDS}` };
  return { origins, headers: { ...OPEN_SITE.headers, ...(isSecure ? transport : {}) } };
}

/**
 * The headers by which a page may read an answer; none for a request of no page, or of a page that
 * may not. Credentials of browsers are never allowed: callers put theirs on each request.
 */
export function crossOriginHeaders(
  { origins }: Site,
  origin: string | undefined,
): Record<string, string> {
  if (origins === '*') return origin === undefined ? {} : readableBy('*');
  const isAllowed = origin !== undefined && origins.has(origin);
  return isAllowed ? { ...readableBy(origin), vary: 'origin' } : { vary: 'origin' };
}

function readableBy(origin: string): Record<string, string> {
  return { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED };
}

/** The headers of the answer to a preflight that asks for methods and header names. */
export function preflightHeaders(
  site: Site,
  { origin, asked = '' }: { readonly origin: string | undefined; readonly asked?: string },
  allow: string,
): Record<string, string> {
  const headers = crossOriginHeaders(site, origin);
  if (headers['access-control-allow-origin'] === undefined) return headers;
  const wanted = asked.split(',').map((name) => name.trim().toLowerCase());
  return {
    ...headers,
    'access-control-allow-methods': allow,
    'access-control-allow-headers': wanted.filter(mayBeSent).join(', '),
    'access-control-max-age': '7200',
  };
}

/** Adds a name to what an answer varies by. */
export function varyingBy(one: string | undefined, other: string | undefined): string | undefined {
  return one && other ? `${one}, ${other}` : (one ?? other);
}

/** Headers that pages may send: the gateway's own, and those of usual clients. */
const ALLOWED = new Set([
  'authorization',
  'x-api-key',
  'api-key',
  'content-type',
  'accept',
  'accept-language',
  'cache-control',
  'last-event-id',
  'idempotency-key',
  'x-client-request-id',
  'x-request-id',
  'x-requested-with',
  'traceparent',
  'tracestate',
  'baggage',
  'apollo-require-preflight',
  'graphql-require-preflight',
  'http-referer',
  'x-title',
]);

/** The families that clients number. */
const ALLOWED_FAMILY = /^(x-stainless|openai|x-gw|x-apollo|apollographql-client)-[\w-]+$/;

function mayBeSent(name: string): boolean {
  return ALLOWED.has(name) || ALLOWED_FAMILY.test(name);
}

/** Headers of answers that pages may read. */
const EXPOSED = [
  'x-request-id',
  'x-client-request-id',
  'openai-processing-ms',
  'retry-after',
  'retry-after-ms',
  'x-should-retry',
  'idempotent-replayed',
  'content-language',
  'content-disposition',
  'www-authenticate',
  'x-gw-ignored-fields',
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
  'x-ratelimit-limit-tokens',
  'x-ratelimit-remaining-tokens',
  'x-ratelimit-reset-tokens',
  'x-gw-model',
  'x-gw-provider',
  'x-gw-cost-rub',
  'x-gw-firewall',
  'x-gw-approval-id',
].join(', ');
