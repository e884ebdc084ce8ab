import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startUpstreamDouble, type UpstreamDouble } from '../../support/upstream-double.mjs';
import { type Connected, connected } from './connected.js';

/** What the login of a provider was asked. */
interface AskedLogin {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly requestId: string | undefined;
  readonly form: string;
}

/** How it answers, one a request; the last one stays. */
type Answer = readonly [status: number, body: unknown, delayMs?: number];

let double: UpstreamDouble;
let server: Server;
let tokenUrl: string;
let asked: AskedLogin[] = [];
let answers: Answer[] = [];
let way: Connected | undefined;

beforeAll(async () => {
  double = await startUpstreamDouble();
  server = createServer(async (request, response) => {
    let form = '';
    for await (const piece of request) form += String(piece);
    const { authorization, rquid } = request.headers;
    asked.push({
      path: request.url ?? '',
      authorization,
      requestId: rquid === undefined ? undefined : String(rquid),
      form,
    });
    const [status, body, delayMs = 0] = (answers.length > 1 ? answers.shift() : answers[0]) ?? [
      500,
    ];
    await sleep(delayMs);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  tokenUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v2/oauth`;
});
beforeEach(() => {
  asked = [];
  double.script('in', {});
});
afterEach(async () => {
  await way?.close();
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await double.close();
});

const PAIR = { ID: 'gateway', PASS: 'canary-client-password' };
const BASIC = Buffer.from('gateway:canary-client-password').toString('base64');

function loggingIn(login: Readonly<Record<string, unknown>> = {}): Connected {
  const stated = { token_url: tokenUrl, client_id_env: 'ID', client_secret_env: 'PASS', ...login };
  way = connected(double.origin, { login: stated }, {}, PAIR);
  return way;
}

function bearers(): (string | string[] | undefined)[] {
  return double.received('in').map(({ headers }) => headers.authorization);
}

describe('a login by OAuth client credentials', () => {
  it('asks for one token for all requests, plain and streamed', async () => {
    answers = [[200, { access_token: 'token-one', token_type: 'Bearer', expires_in: 1_800 }, 50]];
    const before = double.received('in').length;
    const { ask } = loggingIn({ scope: 'chat.read chat.write' });
    const all = [ask(), ask(true), ask(), ask(true), ask()];
    expect(await Promise.all(all)).toEqual(all.map(() => ({ error: null, message: '' })));
    await ask();
    expect(bearers().slice(before)).toEqual(Array(6).fill('Bearer token-one'));
    expect(asked).toEqual([
      {
        path: '/api/v2/oauth',
        authorization: `Basic ${BASIC}`,
        requestId: undefined,
        form: 'grant_type=client_credentials&scope=chat.read+chat.write',
      },
    ]);
  });

  it('is spoken as Sber has it: a request id, no grant type, an end as a time', async () => {
    answers = [[200, { access_token: 'sber-token', expires_at: Date.now() + 1_800_000 }]];
    const stated = {
      scope: 'GIGACHAT_API_PERS',
      request_id_header: 'RqUID',
      grant_type: 'omitted',
    };
    const login = { token_url: tokenUrl, credentials_env: 'KEY', ...stated };
    way = connected(double.origin, { login }, {}, { KEY: BASIC });
    expect(await way.ask()).toEqual({ error: null, message: '' });
    expect(bearers().at(-1)).toBe('Bearer sber-token');
    expect(asked).toEqual([
      {
        path: '/api/v2/oauth',
        authorization: `Basic ${BASIC}`,
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        form: 'scope=GIGACHAT_API_PERS',
      },
    ]);
  });

  it('renews a token before its end, while requests go on with it', async () => {
    answers = [
      [200, { access_token: 'short', expires_in: 3 }],
      [200, { access_token: 'next', expires_in: 1_800 }, 50],
    ];
    const { ask } = loggingIn();
    await ask();
    // In the last fifth of its life it is good still, and the renewal is under way.
    await sleep(2_450);
    const during = await ask();
    expect([during.error, bearers().at(-1)]).toEqual([null, 'Bearer short']);
    await expect.poll(() => asked.length).toBe(2);
    await expect
      .poll(async () => {
        await ask();
        return bearers().at(-1);
      })
      .toBe('Bearer next');
    expect(asked).toHaveLength(2);
  });

  it('replaces a token that the provider has ended, once a request', async () => {
    answers = [
      [200, { access_token: 'ended', expires_in: 1_800 }],
      [200, { access_token: 'fresh', expires_in: 1_800 }],
    ];
    const { ask } = loggingIn();
    await ask();
    await sleep(1_050);
    double.script('in', { status: 401, message: 'the token has ended' }, {});
    expect(await ask(true)).toEqual({ error: null, message: '' });
    expect(bearers().slice(-2)).toEqual(['Bearer ended', 'Bearer fresh']);
    double.script('in', { status: 401, message: 'never: fresh of canary-client-password' });
    const refused = await ask();
    expect(refused.error).toBe('credentials_refused');
    expect(refused.message).not.toMatch(/fresh|canary/);
    expect(asked).toHaveLength(2);
  });

  it.each([
    [
      'refuses the credentials',
      [401, { error: 'invalid_client' }],
      'credentials_refused',
      'LOGIN_401',
    ],
    ['refuses the scope', [400, { error: 'invalid_scope' }], 'credentials_refused', 'LOGIN_400'],
    ['fails', [503, 'down'], 'server_error', 'LOGIN_503'],
    ['answers no JSON', [200, '<html>'], 'invalid_answer', 'LOGIN_UNUSABLE'],
    ['has no token', [200, { token: 'x' }], 'invalid_answer', 'LOGIN_UNUSABLE'],
    [
      'would split a header',
      [200, { access_token: 'a\r\nx-injected: 1' }],
      'invalid_answer',
      'LOGIN_UNUSABLE',
    ],
    [
      'gives a token that has expired',
      [200, { access_token: 'old', expires_in: -5 }],
      'invalid_answer',
      'LOGIN_UNUSABLE',
    ],
    ['never ends', [200, 'x'.repeat(200_000)], 'invalid_answer', 'LOGIN_UNUSABLE'],
  ] as const)(
    'that %s fails the request, names the cause in the log, and is not hammered',
    async (_, answer, error, cause) => {
      answers = [answer];
      const before = double.received('in').length;
      const { ask, lines } = loggingIn();
      const ends = await Promise.all(Array.from({ length: 20 }, () => ask()));
      expect(new Set(ends.map((end) => end.error))).toEqual(new Set([error]));
      expect(double.received('in')).toHaveLength(before);
      expect(asked.length).toBeLessThanOrEqual(3);
      expect(lines.map(([facts]) => facts.cause)).toEqual([cause]);
      expect(JSON.stringify([ends, lines])).not.toMatch(/canary|Z2F0ZXdheT/);
    },
  );

  it('is counted among the hosts that data leaves to', async () => {
    answers = [[200, { access_token: 'token', expires_in: 1_800 }]];
    const { ask, upstream } = loggingIn();
    await ask();
    const contacted = upstream.egress().map(({ host, requests }) => [host, requests]);
    expect(contacted).toContainEqual([new URL(tokenUrl).host, 1]);
  });

  it('that nobody answers fails as unreached', async () => {
    const { ask, lines } = loggingIn({ token_url: 'http://127.0.0.1:1/token' });
    expect((await ask()).error).toBe('connect_failed');
    expect(lines[0]?.[0]).toMatchObject({ cause: 'ECONNREFUSED' });
  });
});
