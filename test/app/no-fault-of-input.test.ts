import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { addressOf, type ServiceProxy, startProxy } from '../faults/proxy.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../support/app.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';

let database: TestDatabase;
let proxy: ServiceProxy;
let app: TestApp;
let own: Customer;
beforeAll(async () => {
  database = await freshDatabase();
  proxy = await startProxy(addressOf(database.connection));
  const { user, database: name } = database.connection;
  app = await startApp({
    DATABASE_URL: `postgresql://${user}@127.0.0.1:${proxy.port}/${name}`,
  });
  own = await newCustomer(app);
});
afterAll(async () => {
  proxy?.pass();
  await app?.stop();
  await proxy?.close();
  await database?.drop();
});

const HALF = '\ud800';
const POLICY = { name: 'support', allow_sources: ['wiki/*'], block_sources: [] };
const CALL = { tool_key: 'helpdesk.tickets', verb: 'refund', arguments: {}, reason: 'because' };

interface Failure {
  readonly error?: { readonly code: string };
}

describe('half a surrogate pair', () => {
  it.each([
    ['/v1/gw/context-policies', { ...POLICY, name: `a${HALF}` }],
    ['/v1/gw/context-policies', { ...POLICY, allow_sources: [`${HALF}*`] }],
    ['/v1/gw/context-policies', { ...POLICY, block_sources: [HALF] }],
    ['/v1/gw/tools/preview', { ...CALL, verb: HALF }],
    ['/v1/gw/tools/preview', { ...CALL, reason: HALF }],
    ['/v1/gw/tools/preview', { ...CALL, arguments: { text: HALF } }],
    ['/v1/gw/tools/execute', { ...CALL, verb: HALF }],
    ['/v1/gw/tools/execute', { ...CALL, reason: HALF }],
    ['/v1/gw/price-book/receipts', { quote_ref: HALF, plan: 'team', monthly_requests: 1 }],
    ['/auth/login', { email: `${HALF}@example.com`, password: HALF }],
  ])('in a body of %s %o is no fault of the gateway', async (path, body) => {
    const answer = await rest<Failure>(app, 'POST', path, { credential: own.key, body });
    expect([answer.status < 500, answer.body.error?.code]).not.toContain('internal_error');
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
  });

  it('in an argument of GraphQL is named', async () => {
    const { errors } = await graphql(
      app,
      `mutation ($input: ContextPolicyCreateInput!) { contextPolicyCreate(input: $input) { id } }`,
      { input: { name: HALF, allowSources: [HALF] } },
      own.key,
    );
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'invalid_request' });
  });
});

describe('half a surrogate pair in what goes to a provider', () => {
  const said = (content: unknown) => ({ model: 'echo', messages: [{ role: 'user', content }] });

  it.each([
    ['/v1/chat/completions', said(`a${HALF}`), 'messages.0.content'],
    ['/v1/chat/completions', { ...said(`a${HALF}`), stream: true }, 'messages.0.content'],
    [
      '/v1/chat/completions',
      said([{ type: 'text', text: `${HALF}b` }]),
      'messages.0.content.0.text',
    ],
    ['/v1/chat/completions', { ...said('a'), metadata: { note: HALF } }, 'metadata.note'],
    ['/v1/chat/completions', { ...said('a'), other: [1, { [HALF]: 1 }] }, 'other.1'],
    ['/v1/embeddings', { model: 'lab/embedder', input: ['a', HALF] }, 'input.1'],
  ])('%s with %o is refused with its place, and nothing is held', async (path, body, place) => {
    const refused = await rest<{ error: object }>(app, 'POST', path, {
      credential: own.key,
      body,
    });
    expect([refused.status, refused.body.error]).toEqual([
      400,
      expect.objectContaining({
        code: 'invalid_request',
        param: place,
        faults: [{ path: place, code: 'invalid', message: expect.stringContaining(place) }],
      }),
    ]);
    const held = 'SELECT 1 FROM hold WHERE account_id = $1';
    const { rows } = await app.owner.pool.query(held, [own.accountId]);
    expect(rows).toEqual([]);
  });
});

describe('variables nested 5,000 deep', () => {
  const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;

  it('are refused over REST', async () => {
    const response = await fetch(`${app.url}/v1/gw/tools/preview`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${own.key}` },
      body: `{"verb":"crm.read","arguments":${deep}}`,
    });
    expect([response.status, ((await response.json()) as Failure).error?.code]).toEqual([
      400,
      'invalid_json',
    ]);
  });

  it('are refused over a socket, which goes on', async () => {
    const socket = new WebSocket(
      `${app.url.replace('http', 'ws')}/graphql`,
      'graphql-transport-ws',
    );
    const waiting = new Map<string, (message: object) => void>();
    const answerTo = (id: string) =>
      new Promise<object>((resolve) => {
        waiting.set(id, resolve);
      });
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as { id?: string };
      waiting.get(message.id ?? 'ack')?.(message);
    });
    const acknowledged = answerTo('ack');
    socket.on('open', () => {
      const payload = { 'x-api-key': own.key };
      socket.send(JSON.stringify({ type: 'connection_init', payload }));
    });
    await acknowledged;
    const query = JSON.stringify('query ($input: ToolActionInput) { __typename }');
    const refused = answerTo('deep');
    socket.send(
      `{"id":"deep","type":"subscribe","payload":{"query":${query},"variables":{"input":${deep}}}}`,
    );
    expect(await refused).toMatchObject({
      type: 'error',
      payload: [
        { extensions: { code: 'invalid_json', docUrl: `${app.url}/docs/errors/invalid_json` } },
      ],
    });
    const next = answerTo('next');
    const payload = { query: '{ balance { accountId } }' };
    socket.send(JSON.stringify({ id: 'next', type: 'subscribe', payload }));
    expect(await next).toMatchObject({
      payload: { data: { balance: { accountId: own.accountId } } },
    });
    socket.terminate();
  });
});

describe('a login while the database is frozen', () => {
  it('is told to come back, in both voices', async () => {
    const given = { email: own.email, password: 'correct horse battery staple' };
    for (const pool of [app.server.services.pool, app.server.services.platformPool]) {
      Object.assign(pool.options, { connectionTimeoutMillis: 400, query_timeout: 400 });
    }
    proxy.freeze();
    try {
      const answers = await Promise.all(
        [1, 2, 3].map(() => rest<Failure>(app, 'POST', '/auth/login', { body: given })),
      );
      for (const { status, headers, body } of answers) {
        expect([status, body.error?.code]).toEqual([503, 'ledger_unavailable']);
        expect(headers.get('retry-after')).toBe('1');
      }
      const { headers, body } = await rest<{ errors: { extensions: object }[] }>(
        app,
        'POST',
        '/graphql',
        {
          body: {
            query: `mutation ($email: String!, $password: String!) {
              authLogin(email: $email, password: $password) { accessToken } }`,
            variables: given,
          },
        },
      );
      expect(body.errors[0]?.extensions).toMatchObject({ code: 'ledger_unavailable' });
      expect(headers.get('retry-after')).toBe('1');
    } finally {
      proxy.pass();
    }
  });
});
