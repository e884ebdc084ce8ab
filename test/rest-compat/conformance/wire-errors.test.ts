import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type Customer, newCustomer, rest } from '../../support/app.js';
import {
  booksOf,
  customerUnder,
  startWorld,
  USUAL_COST_RUB,
  type World,
} from '../clients/world.js';
import { readStreamed } from './streamed.js';

let world: World;
let customer: Customer;
beforeAll(async () => {
  world = await startWorld();
  customer = await newCustomer(world.app, 100);
});
afterAll(() => world?.stop());

interface ErrorAnswer {
  readonly error: { readonly code: string; readonly message: string; [key: string]: unknown };
}

const MESSAGES = [{ role: 'user', content: 'Здравствуйте' }];
const CHAT = '/v1/chat/completions';

function ask(
  credential: string | undefined,
  model: string,
  more: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Answer<ErrorAnswer>> {
  const body = { model, messages: MESSAGES, ...more };
  return rest<ErrorAnswer>(world.app, 'POST', CHAT, { credential, body, headers });
}

describe('the envelope', () => {
  it('is the same on the wire and on management paths', async () => {
    const answers = [
      await ask('nobody', 'main/chat'),
      await ask(customer.key, 'none'),
      await rest<ErrorAnswer>(world.app, 'GET', '/billing/balance'),
      await rest<ErrorAnswer>(world.app, 'POST', '/auth/login', { body: {} }),
      await rest<ErrorAnswer>(world.app, 'PUT', '/me', { credential: customer.key, body: {} }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 404, 401, 400, 405]);
    for (const { status, body, headers } of answers) {
      expect(body.error).toMatchObject({
        message: expect.any(String),
        type: expect.stringMatching(/_error$/),
        code: expect.stringMatching(/^[a-z_]+$/),
        request_id: headers.get('x-request-id'),
        doc_url: expect.stringContaining(body.error.code),
      });
      expect(body.error).toHaveProperty('param');
      expect(headers.get('content-type')).toContain('application/json');
      expect(headers.has('www-authenticate')).toBe(status === 401);
    }
  });

  it('names every fault of a bad request', async () => {
    const { body } = await ask(customer.key, '', { messages: [{ role: 'nobody' }], n: 0 });
    const faults = body.error.faults as { path: string }[];
    expect(faults.map(({ path }) => path)).toEqual([
      'model',
      'messages.0.role',
      'messages.0.content',
      'n',
    ]);
  });
});

describe('money that is not there is 402, told not to be retried', () => {
  it('an empty balance', async () => {
    const poor = await newCustomer(world.app);
    const { status, headers, body } = await ask(poor.key, 'main/chat');
    expect([status, headers.get('x-should-retry'), headers.get('retry-after')]).toEqual([
      402,
      'false',
      null,
    ]);
    expect(body.error).toMatchObject({ code: 'insufficient_balance', type: 'insufficient_quota' });
  });

  it('a budget of a day, of a month, and one that open requests hold', async () => {
    await world.script('slow', { delayMs: 1_000 });
    for (const name of ['daily_rub', 'monthly_rub']) {
      const spent = await customerUnder(world, { budgets: { [name]: 0.001 } });
      const refused = await ask(spent.key, 'main/chat');
      expect([refused.status, refused.body.error.code]).toEqual([402, 'budget_too_small']);
      expect(refused.headers.get('x-should-retry')).toBe('false');
    }
    const held = await customerUnder(world, { budgets: { daily_rub: 0.12 } });
    // A limit this low is not lowered any further.
    const short = { max_tokens: 256 };
    const running = ask(held.key, 'slow/chat', short);
    await expect.poll(() => world.received('slow')).toHaveLength(1);
    const refused = await ask(held.key, 'slow/chat', short);
    expect([refused.status, refused.body.error.code]).toEqual([402, 'budget_reserved']);
    expect(refused.headers.get('x-should-retry')).toBe('false');
    expect((await running).status).toBe(200);
  });
});

describe('what is forbidden is 403', () => {
  it('by policy, by firewall, by the route of the data and by the type of the key', async () => {
    const codes = new Map<string, number>();
    const note = ({ status, body }: Answer<ErrorAnswer>) => codes.set(body.error.code, status);
    const listed = await customerUnder(world, { allowed_models: ['spare/chat'] });
    note(await ask(listed.key, 'main/chat'));
    const guarded = await customerUnder(world, { firewall: { email: 'block' } });
    const messages = [{ role: 'user', content: 'Напишите на ivan@romashka.ru' }];
    note(await ask(guarded.key, 'main/chat', { messages }));
    const agent = await newCustomer(world.app, 10, 'agent');
    note(await rest<ErrorAnswer>(world.app, 'GET', '/api-keys', { credential: agent.key }));
    expect(Object.fromEntries(codes)).toEqual({
      model_not_allowed: 403,
      firewall_blocked: 403,
      permission_denied: 403,
    });
  });
});

describe('a limit is 429 with a short wait', () => {
  it.each([
    ['rpm', { rpm: 1 }, 'rate_limit_requests'],
    ['tpm', { tpm: 300 }, 'rate_limit_tokens'],
  ])('%s', async (_name, limits, code) => {
    await world.script('main', {});
    const limited = await customerUnder(world, { limits });
    const more = { max_tokens: 200 };
    expect((await ask(limited.key, 'main/chat', more)).status).toBe(200);
    let refused = await ask(limited.key, 'main/chat', more);
    // What the first request did not use of its tokens was given back, so a few may pass.
    for (let count = 0; count < 20 && refused.status === 200; count += 1) {
      refused = await ask(limited.key, 'main/chat', more);
    }
    expect([refused.status, refused.body.error.code]).toEqual([429, code]);
    const seconds = Number(refused.headers.get('retry-after'));
    const milliseconds = Number(refused.headers.get('retry-after-ms'));
    expect(seconds).toBe(Math.ceil(milliseconds / 1_000));
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(60);
    const kind = code.replace('rate_limit_', '');
    expect(Number(refused.headers.get(`x-ratelimit-limit-${kind}`))).toBe(Object.values(limits)[0]);
  });
});

describe('a provider that fails', () => {
  // Each has a lane of its own, as what one has failed opens its circuit breaker.
  it.each([
    ['500', 'down', { status: 500 }, 502, 'upstream_failed'],
    ['no HTTP answer', 'cutting', { reset: true }, 502, 'upstream_failed'],
    ['an answer that is none', 'odd', { raw: 'Welcome' }, 502, 'upstream_failed'],
    ['its own limit', 'busy', { status: 429 }, 429, 'upstream_rate_limited'],
  ] as const)('with %s is an answer that clients repeat, and costs nothing', async (...one) => {
    const [, lane, behaviour, status, code] = one;
    const asking = await newCustomer(world.app, 10);
    await world.script(lane, behaviour);
    const answer = await ask(asking.key, `${lane}/chat`);
    expect([answer.status, answer.body.error.code]).toEqual([status, code]);
    expect(answer.headers.get('x-should-retry')).toBe(null);
    expect(await booksOf(world, asking)).toEqual({ balance: 10, held: 0, charges: [] });
  });

  it('again and again is not asked any more: 503 with a time to wait', async () => {
    await world.script('down', { status: 500 });
    let answer = await ask(customer.key, 'down/chat');
    if (answer.status === 502) answer = await ask(customer.key, 'down/chat');
    expect([answer.status, answer.body.error.code]).toEqual([503, 'upstream_unavailable']);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    const before = await world.received('down');
    await ask(customer.key, 'down/chat');
    expect(await world.received('down')).toEqual(before);
  });

  it('with silence is 504, before the first byte of a stream too', async () => {
    const asking = await newCustomer(world.app, 10);
    await world.script('silent', { blackHole: true });
    for (const stream of [false, true]) {
      const answer = await ask(asking.key, 'silent/chat', { stream });
      expect([answer.status, answer.body.error.code]).toEqual([504, 'upstream_timeout']);
    }
    expect(await booksOf(world, asking)).toEqual({ balance: 10, held: 0, charges: [] });
  });

  it('and a repeat under one key is one charge and one answer', async () => {
    const asking = await newCustomer(world.app, 10);
    await world.script('main', { status: 500 }, { status: 500 }, { status: 500 }, {});
    const keyed = { 'idempotency-key': 'the-only-one' };
    expect((await ask(asking.key, 'main/chat', {}, keyed)).status).toBe(502);
    const answers = [
      await ask(asking.key, 'main/chat', {}, keyed),
      await ask(asking.key, 'main/chat', {}, keyed),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[1]?.body).toEqual(answers[0]?.body);
    expect(answers[1]?.headers.get('idempotent-replayed')).toBe('true');
    expect((await booksOf(world, asking)).charges).toEqual([USUAL_COST_RUB]);
  });
});

describe('an unknown path names the cure', () => {
  it.each([
    ['POST', '/v1/responses', ['provider.chat(id)', '"Use Responses API"']],
    ['GET', '/v1/responses/resp_1', ['provider.chat(id)']],
    ['POST', '/v1/completions', ['/v1/chat/completions']],
    ['POST', '/chat/completions', ['must end with /v1']],
    ['POST', '/embeddings', ['must end with /v1']],
    ['POST', '/v1/v1/chat/completions', ['/v1 twice']],
    ['POST', '/v1/chat/completion', ['Did you mean /v1/chat/completions?']],
    ['GET', '/v1/nothing/at/all', ['/openapi.json']],
  ])('%s %s', async (method, path, cures) => {
    const body = method === 'POST' ? {} : undefined;
    const answer = await rest<ErrorAnswer>(world.app, method, path, {
      credential: customer.key,
      body,
    });
    expect([answer.status, answer.body.error.code]).toEqual([404, 'unknown_url']);
    for (const cure of cures) expect(answer.body.error.message).toContain(cure);
  });
});

describe('headers', () => {
  const RESET = /^(\d+ms|\d+s|\d+m\d+s)$/;
  const LIMITS = ['requests', 'tokens'].flatMap((of) =>
    ['limit', 'remaining', 'reset'].map((what) => `x-ratelimit-${what}-${of}`),
  );

  it('every answer has an id and a time, and echoes the id of the client', async () => {
    await world.script('main', {});
    const headers = { 'x-client-request-id': 'mine-1' };
    const credential = customer.key;
    const answers = [
      await ask(credential, 'main/chat', {}, headers),
      await ask(credential, 'main/chat', { stream: true }, headers),
      await ask(credential, 'none', {}, headers),
      await ask(undefined, 'none', {}, headers),
      await rest(world.app, 'GET', '/v1/models', { credential, headers }),
      await rest(world.app, 'GET', '/v1/nothing', { credential, headers }),
      await rest(world.app, 'GET', '/openapi.json', { headers }),
    ];
    const ids = answers.map((answer) => answer.headers.get('x-request-id'));
    expect(new Set(ids).size).toBe(answers.length);
    for (const answer of answers) {
      expect(answer.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
      expect(answer.headers.get('openai-processing-ms')).toMatch(/^\d+$/);
      expect(answer.headers.get('x-client-request-id')).toBe('mine-1');
    }
    const silent = await ask(credential, 'none');
    expect(silent.headers.get('x-client-request-id')).toBe(null);
  });

  it('answers and refusals of admitted requests tell the limits', async () => {
    await world.script('main', {});
    const limited = await customerUnder(world, { limits: { rpm: 60, tpm: 100_000 } });
    const poor = await newCustomer(world.app);
    const stream = await ask(limited.key, 'main/chat', { stream: true });
    const embeddings = await rest(world.app, 'POST', '/v1/embeddings', {
      credential: limited.key,
      body: { model: 'main/embed', input: 'один' },
    });
    const answers = [
      await ask(limited.key, 'main/chat'),
      stream,
      embeddings,
      await ask(poor.key, 'main/chat'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 402]);
    for (const { headers } of answers) {
      for (const name of LIMITS) {
        const pattern = name.includes('reset') ? RESET : /^\d+$/;
        expect(headers.get(name), name).toMatch(pattern);
      }
    }
    expect(stream.headers.get('x-ratelimit-limit-requests')).toBe('60');
    expect(stream.headers.get('x-ratelimit-remaining-requests')).toBe('59');
    expect(stream.headers.get('x-ratelimit-limit-tokens')).toBe('100000');
  });

  it('a browser may send what clients send, and read what they read', async () => {
    const wanted = [
      'authorization',
      'content-type',
      'x-stainless-retry-count',
      'x-stainless-os',
      'idempotency-key',
      'openai-organization',
    ];
    const origin = 'https://app.example';
    const preflight = await fetch(world.app.url + CHAT, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': [...wanted, 'cookie'].join(', '),
      },
    });
    expect(preflight.status).toBe(204);
    const allowed = preflight.headers.get('access-control-allow-headers')?.split(', ');
    expect(allowed).toEqual(wanted);
    expect(preflight.headers.get('access-control-allow-methods')).toContain('POST');
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    for (const stream of [false, true]) {
      const answer = await ask(customer.key, 'main/chat', { stream }, { origin });
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      const exposed = answer.headers.get('access-control-expose-headers')?.split(', ');
      expect(exposed).toEqual(
        expect.arrayContaining([
          'x-request-id',
          'openai-processing-ms',
          'x-client-request-id',
          ...LIMITS,
        ]),
      );
    }
  });
});

it('a refusal before the first byte of a stream has its status and no stream', async () => {
  const poor = await newCustomer(world.app);
  const response = await fetch(world.app.url + CHAT, {
    method: 'POST',
    headers: { authorization: `Bearer ${poor.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'main/chat', messages: MESSAGES, stream: true }),
  });
  expect(response.headers.get('content-type')).toContain('application/json');
  const streamed = await readStreamed(response);
  expect(streamed.status).toBe(402);
});
