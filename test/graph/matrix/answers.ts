import { kindOfId } from '../../../src/kernel/ids.js';
import type { TestApp } from '../../support/app.js';
import type { Shown } from './credentials.js';

/** A request of the matrix. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Headers that say when an answer was made and how much the caller may still ask. */
const OF_THE_MOMENT =
  /^(date|x-request-id|etag|content-length|retry-after|openai-processing-ms|.*ratelimit.*)$/;

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;
const HASH = /\b[0-9a-f]{64}\b/g;
/** Where a record stands among its like, which both requests make one of. */
const POSITION = /("position":"?)\d+/g;

/** The whole answer in one text: status, headers and body. */
export async function answerOf(
  app: TestApp,
  { headers }: Shown,
  { method, path, body, headers: more }: Asked,
): Promise<string> {
  const response = await fetch(app.url + path, {
    method,
    headers: {
      ...headers,
      ...more,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
    redirect: 'manual',
  });
  const head = [...response.headers].filter(([name]) => !OF_THE_MOMENT.test(name));
  return `${response.status} ${JSON.stringify(head)} ${ordered(await response.text())}`;
}

/** Fields that run side by side fail in the order in which they end, which says nothing. */
function ordered(text: string): string {
  if (!text.startsWith('{"errors":[')) return text;
  const { errors, ...rest } = JSON.parse(text) as { errors: unknown[] };
  const pathOf = (error: unknown) => JSON.stringify((error as { path?: unknown }).path ?? '');
  const sorted = [...errors].sort((a, b) => pathOf(a).localeCompare(pathOf(b)));
  return JSON.stringify({ errors: sorted, ...rest });
}

/**
 * An answer without what differs between any two requests. An id that was asked for is `<asked>`,
 * one that was just made is `<new>`; one of the other organization stays as it is and so is seen.
 */
export function comparable(
  answer: string,
  asked: readonly string[],
  known: ReadonlySet<string>,
): string {
  const shown = (id: string) => (known.has(id) || kindOfId(id) === undefined ? id : '<new>');
  return answer
    .replace(UUID, (id) => (asked.includes(id) ? `<asked ${asked.indexOf(id)}>` : shown(id)))
    .replace(TIME, '<time>')
    .replace(HASH, '<hash>')
    .replace(POSITION, '$1<n>')
    .replace(/\bkey-\d+/g, '<key>');
}

const AROUND = 160;

/** The place where two answers part. */
export function parting(one: string, other: string): string {
  const at = [...one].findIndex((letter, place) => letter !== other[place]);
  const from = Math.max(0, (at < 0 ? one.length : at) - AROUND);
  return [one, other].map((text) => `\n  …${text.slice(from, from + 2 * AROUND)}`).join('');
}
