import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import WebSocket from 'ws';
import { startApp, type TestApp } from '../support/app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app?.stop());

interface Shown {
  readonly message: string;
  readonly extensions: Record<string, unknown>;
}

async function send(init: RequestInit, search = '') {
  const response = await fetch(`${app.url}/graphql${search}`, init);
  const text = await response.text();
  const json = text.includes('"errors"') ? /\{.*\}/s.exec(text)?.[0] : undefined;
  const errors = json ? (JSON.parse(json) as { errors: Shown[] }).errors : [];
  return { status: response.status, headers: response.headers, text, errors };
}

const JSON_TYPE = { 'content-type': 'application/json' };
const post = (body: string, headers: Record<string, string> = JSON_TYPE) =>
  send({ method: 'POST', headers, body });
const asked = (query: string, headers = {}) =>
  post(JSON.stringify({ query }), { ...JSON_TYPE, ...headers });
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

const deep = '{ organization '.repeat(20) + '}'.repeat(20);
const MUTATION = 'mutation { inviteAccept }';

describe('what GraphQL refuses by itself', () => {
  const REFUSALS: readonly (readonly [string, string, number[], () => ReturnType<typeof send>])[] =
    [
      ['a document that does not parse', 'graphql_invalid', [200, 400], () => asked('{ МАРКЕР ')],
      ['a field that there is not', 'graphql_invalid', [200, 400], () => asked('{ nothing }')],
      [
        'an operation that there is not',
        'graphql_invalid',
        [200, 400],
        () => post(JSON.stringify({ query: 'query A { __typename }', operationName: 'B' })),
      ],
      ['no document', 'graphql_invalid', [200, 400], () => post('{}')],
      ['a batch', 'graphql_invalid', [400], () => post('[{"query":"{ __typename }"}]')],
      ['no JSON', 'invalid_json', [400], () => post('{"query": МАРКЕР')],
      [
        'a bare document as form',
        'preflight_needed',
        [403],
        () =>
          post('query=%7B__typename%7D', { 'content-type': 'application/x-www-form-urlencoded' }),
      ],
      [
        'text',
        'unsupported_media_type',
        [415],
        () => post('{"query":"{ __typename }"}', { 'content-type': 'text/plain' }),
      ],
      [
        'parts',
        'unsupported_media_type',
        [415],
        () => post('--x', { 'content-type': 'multipart/form-data; boundary=x' }),
      ],
      ['another method', 'method_not_allowed', [405], () => send({ method: 'PUT', body: 'x' })],
      [
        'a mutation by GET',
        'method_not_allowed',
        [405],
        () => send({}, `?query=${encodeURIComponent(MUTATION)}`),
      ],
      [
        'variables in the address that are no JSON',
        'graphql_invalid',
        [400],
        () => send({}, '?query=%7B__typename%7D&variables=МАРКЕР'),
      ],
      [
        'a body that is too large',
        'body_too_large',
        [413],
        () => asked(`{ __typename } #${'x'.repeat(11 * 1_048_576)}`),
      ],
      [
        'variables nested 5,000 deep',
        'invalid_json',
        [400],
        () => post(`{"query":"query($a: JSON) { __typename }","variables":{"a":${nested(5_000)}}}`),
      ],
      ['too many tokens', 'query_too_complex', [200, 400], () => asked(`{${' a'.repeat(3_000)} }`)],
      ['selections that are too deep', 'graphql_invalid', [200, 400], () => asked(deep)],
      [
        'a type that nobody has',
        'not_acceptable',
        [406],
        () => asked('{ __typename }', { accept: 'image/png' }),
      ],
    ];

  it.each(REFUSALS)('%s: comes from the catalogue, %s', async (_name, code, statuses, ask) => {
    const { status, headers, errors } = await ask();
    expect(statuses).toContain(status);
    const [error] = errors;
    expect(error?.extensions).toMatchObject({ code, docUrl: `${app.url}/docs/errors/${code}` });
    expect(headers.get('x-request-id')).toBe(error?.extensions.requestId);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(error?.message).not.toMatch(/internal|Unexpected token/);
    const again = await ask();
    const id = again.errors[0]?.extensions.requestId;
    expect(again.headers.get('x-request-id')).toBe(id);
    expect(id).not.toBe(error?.extensions.requestId);
  });

  it('is told in the language of the client', async () => {
    const { errors } = await asked('{', { 'content-type': 'text/plain', 'accept-language': 'ru' });
    expect(errors[0]?.message).toMatch(/здесь не принимается/);
  });
});

describe('what passes', () => {
  it('a form with a header that no page can send unasked', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const { text } = await post('query=%7B__typename%7D', {
      ...form,
      'apollo-require-preflight': 'true',
    });
    expect(JSON.parse(text)).toMatchObject({ data: { __typename: 'Query' } });
  });

  it('a query by GET, a bare document, and every answer has an id of its own', async () => {
    const answers = [
      await send({}, '?query=%7B__typename%7D'),
      await post('{ __typename }', { 'content-type': 'application/graphql' }),
      await asked('{ __typename }'),
      await asked('subscription { nothing }', { accept: 'text/event-stream' }),
    ];
    const ids = answers.map(({ headers }) => headers.get('x-request-id'));
    expect(new Set(ids).size).toBe(4);
    for (const { text } of answers.slice(0, 3)) {
      expect(JSON.parse(text)).toMatchObject({ data: { __typename: 'Query' } });
    }
    expect(answers[3]?.errors[0]?.extensions.docUrl).toBe(`${app.url}/docs/errors/graphql_invalid`);
  });
});

describe('a credential that cannot be looked up', () => {
  const away = () => {
    const error = Object.assign(new Error('МАРКЕР'), { code: 'ledger_unavailable' });
    const { authenticator } = app.server.services;
    vi.spyOn(authenticator, 'identify').mockRejectedValueOnce(error);
  };
  const unavailable = {
    code: 'ledger_unavailable',
    requestId: expect.any(String),
    docUrl: expect.stringContaining('ledger_unavailable'),
    retryAfterMs: expect.any(Number),
    http: { status: 503 },
  };

  it('is a failure of ours with its status and its code, and no text of the cause', async () => {
    away();
    const { status, errors, text } = await asked('{ __typename }');
    expect([status, text.includes('МАРКЕР')]).toEqual([503, false]);
    const { http: _, ...shown } = unavailable;
    expect(errors.map(({ extensions }) => extensions)).toEqual([shown]);
    expect((await asked('{ __typename }')).status).toBe(200);
  });

  it('ends its operation alone on a socket: others go on', async () => {
    const client = createClient({
      url: `${app.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      retryAttempts: 0,
      lazy: false,
    });
    const once = async () => {
      const results = client.iterate({ query: '{ __typename }' });
      return (await results.next()).value?.data;
    };
    try {
      expect(await once()).toEqual({ __typename: 'Query' });
      away();
      const thrown = await once().catch((errors: unknown) => errors);
      expect(thrown).toMatchObject([{ extensions: { code: 'ledger_unavailable' } }]);
      expect(await once()).toEqual({ __typename: 'Query' });
      // Both voices count it: over HTTP above, and here.
      const counted = 'gw_http_requests_total{operation="graphql none",status="503"} 2';
      await expect.poll(async () => (await fetch(`${app.url}/metrics`)).text()).toContain(counted);
    } finally {
      await client.dispose();
    }
  });
});
