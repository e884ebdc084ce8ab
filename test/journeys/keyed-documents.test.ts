import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatewayError } from '../../src/kernel/errors/fail.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  type ShownError,
  startApp,
  type TestApp,
} from '../support/app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

interface Said {
  readonly data: Record<string, { requestId: string; id: string } | null> | null;
  readonly errors?: readonly ShownError[];
}

function ask(customer: Customer, query: string, key: string, variables: object = {}) {
  return rest<Said>(app, 'POST', '/graphql', {
    credential: customer.token,
    headers: { 'idempotency-key': key },
    body: { query, variables },
  });
}

async function balance({ token }: Customer): Promise<unknown> {
  const { body } = await rest(app, 'GET', '/billing/balance', { credential: token });
  return body.balance_rub;
}

const CHAT = { model: 'gw:auto', messages: [{ role: 'user', content: 'Здравствуйте' }] };

describe('a document with several mutations', () => {
  it('makes each as a request of its own: two chats are answered and billed', async () => {
    const customer = await newCustomer(app, 500);
    const { data, errors } = await graphql(
      app,
      `mutation($chat: ChatCompletionRequest!) {
        one: chatCompletionCreate(input: $chat) two: chatCompletionCreate(input: $chat) }`,
      { chat: CHAT },
      customer.token,
    );
    expect(errors).toBeUndefined();
    expect(Object.keys(data)).toEqual(['one', 'two']);
    const usage = await rest<{ data: { request_id: string }[] }>(app, 'GET', '/usage', {
      credential: customer.token,
    });
    expect(new Set(usage.body.data.map(({ request_id }) => request_id)).size).toBe(2);
  });

  it('under a key makes each once, under whatever names', async () => {
    const customer = await newCustomer(app);
    const key = randomUUID();
    const text =
      'mutation { a: billingTopUp(amount: "1") { requestId } ...More } ' +
      'fragment More on Mutation { b: billingTopUp(amount: "2") { requestId } }';
    const first = await ask(customer, text, key);
    expect(first.body.errors).toBeUndefined();
    expect(first.body.data?.a?.requestId).not.toBe(first.body.data?.b?.requestId);
    expect((await ask(customer, text, key)).body).toEqual(first.body);
    expect(await balance(customer)).toBe(3);
  });

  it('of which one is refused keeps what stands: a repetition makes only the rest', async () => {
    const customer = await newCustomer(app);
    const key = randomUUID();
    const text = `mutation { billingTopUp(amount: "1") { requestId }
      policyCreate(input: { name: "late", projectId: "${customer.tenantId}" }) { id } }`;
    for (let turn = 0; turn < 3; turn += 1) {
      const { body } = await ask(customer, text, key);
      expect(body.errors?.map(({ extensions }) => extensions.code)).toEqual(['not_found']);
      expect(await balance(customer)).toBe(1);
    }
    const other = await ask(customer, 'mutation { billingTopUp(amount: "2") { requestId } }', key);
    expect(other.body.errors?.[0]?.extensions.code).toBe('idempotency_key_reused');
    // Whoever else has the same key has nothing of it.
    const stranger = await newCustomer(app);
    await ask(stranger, text, key);
    expect([await balance(stranger), await balance(customer)]).toEqual([1, 1]);
  });

  it('that only asks, or asks wrongly, leaves its key free', async () => {
    const customer = await newCustomer(app);
    const key = randomUUID();
    for (const text of [
      'mutation { nothing }',
      'mutation { billingTopUp(amount: "-1") { requestId } }',
      'mutation($a: Rub!) { billingTopUp(amount: $a) { requestId } }',
    ]) {
      expect((await ask(customer, text, key)).body.errors).toHaveLength(1);
    }
    const text = 'mutation { billingTopUp(amount: "2") { requestId } }';
    expect((await ask(customer, text, key)).body.errors).toBeUndefined();
    expect(await balance(customer)).toBe(2);
  });
});

describe('a chat as a subscription under a key', () => {
  it('is in progress until its last event, and open afterwards', async () => {
    const customer = await newCustomer(app, 500);
    const key = randomUUID();
    const query =
      'subscription($input: ChatCompletionRequest!) { chatCompletionStream(input: $input) }';
    const input = { ...CHAT, metadata: { sandbox_delay_ms: '300' } };
    const send = () =>
      fetch(`${app.url}/graphql`, {
        method: 'POST',
        headers: {
          accept: 'text/event-stream',
          'content-type': 'application/json',
          authorization: `Bearer ${customer.token}`,
          'idempotency-key': key,
        },
        body: JSON.stringify({ query, variables: { input } }),
      });
    const first = await send();
    const meanwhile = await send();
    expect([meanwhile.status, meanwhile.headers.get('retry-after')]).toEqual([409, '1']);
    expect(await first.text()).toContain('event: complete');
    const stateOf = async () => {
      const { rows } = await app.owner.pool.query<{ status: string }>(
        'SELECT status FROM idempotency_record WHERE key = $1',
        [key],
      );
      return rows[0]?.status;
    };
    await expect.poll(stateOf).toBe('open');
  });
});

describe('a change by PATCH or DELETE under a key', () => {
  it('is made once and answered again', async () => {
    const { token: credential } = await newCustomer(app);
    const made = await rest(app, 'POST', '/v1/gw/policies', { credential, body: {} });
    const change = () =>
      rest(app, 'PATCH', `/v1/gw/policies/${made.body.id}`, {
        credential,
        headers: { 'idempotency-key': 'the-change' },
        body: { name: 'changed' },
      });
    const [first, again] = [await change(), await change()];
    expect(again.body).toEqual(first.body);
    expect(first.body.version).toBe(2);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });
});

describe('a request whose key is in progress', () => {
  it('is told when to come again, over both APIs', async () => {
    const customer = await newCustomer(app, 500);
    const slow = { ...CHAT, metadata: { sandbox_delay_ms: '500' } };
    const query = 'mutation($c: ChatCompletionRequest!) { chatCompletionCreate(input: $c) }';
    const sends: (() => Promise<{ status: number; headers: Headers }>)[] = [
      () =>
        rest(app, 'POST', '/v1/chat/completions', {
          credential: customer.key,
          headers: { 'idempotency-key': 'slow' },
          body: slow,
        }),
      () => ask(customer, query, 'slow', { c: slow }),
    ];
    for (const send of sends) {
      const both = await Promise.all([send(), send()]);
      const told = both.find(({ status }) => status === 409);
      expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
      expect([told?.headers.get('retry-after'), told?.headers.get('retry-after-ms')]).toEqual([
        '1',
        '1000',
      ]);
    }
  });
});

describe('an answer under a key that cannot be kept, since the database has just gone', () => {
  it.each<[string, (customer: Customer, key: string) => Promise<{ body: unknown }>]>([
    [
      'REST',
      (customer, key) =>
        rest(app, 'POST', '/v1/chat/completions', {
          credential: customer.key,
          headers: { 'idempotency-key': key },
          body: CHAT,
        }),
    ],
    [
      'GraphQL',
      (customer, key) =>
        ask(
          customer,
          'mutation($c: ChatCompletionRequest!) { chatCompletionCreate(input: $c) }',
          key,
          { c: CHAT },
        ),
    ],
  ])('goes to its client all the same, and is kept later: %s', async (_api, send) => {
    const customer = await newCustomer(app, 500);
    const key = randomUUID();
    const { platformPool: pool } = app.server.services;
    const { query } = pool;
    let lost = 0;
    pool.query = ((...words: [{ name?: string }]) => {
      if (words[0].name !== 'idempotency_finish') return Reflect.apply(query, pool, words);
      lost += 1;
      return Promise.reject(new GatewayError('ledger_unavailable'));
    }) as never;
    const first = await send(customer, key);
    expect(first).toMatchObject({ status: 200 });
    expect(first.body).not.toHaveProperty('errors');
    expect(lost).toBeGreaterThan(0);
    pool.query = query;
    await expect.poll(async () => (await send(customer, key)).body).toEqual(first.body);
    const { body } = await rest<{ data: unknown[] }>(app, 'GET', '/usage', {
      credential: customer.token,
    });
    expect(body.data).toHaveLength(1);
  });
});
