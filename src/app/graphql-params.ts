import type { IncomingMessage } from 'node:http';
import { parseBody, textOf } from '../../rest-compat/body.js';
import { GatewayError } from '../kernel/errors/fail.js';
import { asObject } from '../kernel/json.js';

/** What a client asks for, as GraphQL over HTTP names it. */
export interface GraphqlParams {
  readonly query?: string;
  readonly operationName?: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/**
 * Headers that no page can send to another site without a preflight. A form is read only with one
 * of them: it is what a page could send by itself, with what a browser or a network lends to it.
 */
const PREFLIGHT_HEADERS = [
  'apollo-require-preflight',
  'graphql-require-preflight',
  'x-apollo-operation-name',
  'x-graphql-yoga-csrf',
] as const;

type Read = (body: Buffer, headers: IncomingMessage['headers']) => GraphqlParams;

const READERS: readonly (readonly [RegExp, Read])[] = [
  [/^application\/([\w.-]+\+)?json$/, ofJson],
  [/^application\/graphql$/, (body) => ({ query: textOf(body) })],
  [/^application\/x-www-form-urlencoded$/, ofForm],
];

/**
 * What a request asks for. The texts of its failures quote nothing of it.
 * @throws invalid_json, graphql_invalid, unsupported_media_type, preflight_needed
 */
export function paramsOf({ method, url = '', headers }: IncomingMessage, body: Buffer) {
  if (method === 'GET') return ofSearch(new URLSearchParams(url.split('?')[1] ?? ''));
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const read = READERS.find(([pattern]) => pattern.test(type))?.[1];
  if (read) return read(body, headers);
  const shown = /^[\w.+/-]{1,100}$/.test(type) ? type : 'of this request';
  throw new GatewayError('unsupported_media_type', { values: { type: shown } });
}

function ofJson(body: Buffer): GraphqlParams {
  const value = asObject(parseBody(body));
  if (value) return value as GraphqlParams;
  throw new GatewayError('graphql_invalid', {
    values: { reason: 'The body must be one JSON object with the member "query".' },
  });
}

function ofForm(body: Buffer, headers: IncomingMessage['headers']): GraphqlParams {
  if (!PREFLIGHT_HEADERS.some((name) => headers[name] !== undefined)) {
    throw new GatewayError('preflight_needed');
  }
  return ofSearch(new URLSearchParams(textOf(body)));
}

function ofSearch(given: URLSearchParams): GraphqlParams {
  const texts = ['query', 'operationName'].filter((name) => given.get(name) !== null);
  const objects = ['variables', 'extensions'].filter((name) => (given.get(name) ?? '') !== '');
  return Object.fromEntries([
    ...texts.map((name) => [name, given.get(name)]),
    ...objects.map((name) => [name, objectOf(name, given.get(name) ?? '')]),
  ]);
}

function objectOf(name: string, text: string): unknown {
  try {
    return parseBody(Buffer.from(text));
  } catch {
    const reason = `The parameter "${name}" must be a JSON object of at most 64 levels.`;
    throw new GatewayError('graphql_invalid', { values: { reason } });
  }
}
