import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../support/app.js';
import { chat, newKey, outcome } from './people.js';

let app: TestApp;
let owner: Customer;
beforeAll(async () => {
  app = await startApp();
  owner = await newCustomer(app, 500);
});
afterAll(() => app.stop());

let keys = 0;

function freshKey(): Record<string, string> {
  keys += 1;
  return { 'idempotency-key': `key-${keys}` };
}

/** Requests that were charged, and what was charged for them. */
async function charged(customer: Customer): Promise<{ count: number; balance: unknown }> {
  const credential = customer.token;
  const [usage, balance] = await Promise.all([
    rest<{ data: { status: string }[] }>(app, 'GET', '/usage?status=complete', { credential }),
    rest(app, 'GET', '/billing/balance', { credential }),
  ]);
  return { count: usage.body.data.length, balance: balance.body.balance_rub };
}

describe('a chat request under a key', () => {
  it('that is repeated gets the first answer byte for byte and is billed once', async () => {
    const customer = await newCustomer(app, 500);
    const headers = freshKey();
    const first = await chat(app, customer.key, 'Здравствуйте', {}, headers);
    const bill = await charged(customer);
    const again = await chat(app, customer.key, 'Здравствуйте', {}, headers);
    expect(again).toMatchObject({ status: 200, body: first.body });
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
    expect(await charged(customer)).toEqual(bill);
    expect(bill.count).toBe(1);
  });

  it('as a stream is replayed as the same stream and billed once', async () => {
    const customer = await newCustomer(app, 500);
    const headers = freshKey();
    const stream = { stream: true };
    const first = await chat(app, customer.key, 'Здравствуйте', stream, headers);
    const bill = await charged(customer);
    const again = await chat(app, customer.key, 'Здравствуйте', stream, headers);
    expect(String(first.body)).toMatch(/data: \[DONE\]\n\n$/);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'));
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await charged(customer)).toEqual(bill);
    expect(bill.count).toBe(1);
  });

  it('with another body is refused', async () => {
    const headers = freshKey();
    await chat(app, owner.key, 'Здравствуйте', {}, headers);
    const other = await chat(app, owner.key, 'До свидания', {}, headers);
    expect(outcome(other)).toBe('422 idempotency_key_reused');
  });

  it('that still runs is refused to whoever repeats it, and answered later', async () => {
    const customer = await newCustomer(app, 500);
    const headers = freshKey();
    const slow = { metadata: { sandbox_delay_ms: '400' } };
    const answers = await Promise.all(
      [1, 2, 3].map(() => chat(app, customer.key, 'Здравствуйте', slow, headers)),
    );
    expect(answers.map(outcome).sort()).toEqual([
      '200',
      '409 idempotency_in_progress',
      '409 idempotency_in_progress',
    ]);
    const later = await chat(app, customer.key, 'Здравствуйте', slow, headers);
    expect(later.headers.get('idempotent-replayed')).toBe('true');
    expect((await charged(customer)).count).toBe(1);
  });

  it('that failed runs again', async () => {
    const customer = await newCustomer(app);
    const headers = freshKey();
    const poor = await chat(app, customer.key, 'Здравствуйте', {}, headers);
    expect(outcome(poor)).toBe('402 insufficient_balance');
    await rest(app, 'POST', '/billing/top-up/manual', {
      credential: customer.token,
      body: { amount_rub: 500 },
    });
    const rich = await chat(app, customer.key, 'Здравствуйте', {}, headers);
    expect([outcome(rich), rich.headers.get('idempotent-replayed')]).toEqual(['200', null]);
  });

  it('is answered and billed also when its client leaves, for whoever comes back', async () => {
    const customer = await newCustomer(app, 500);
    const headers = freshKey();
    const slow = { metadata: { sandbox_delay_ms: '300' } };
    const leaving = new AbortController();
    const body = {
      model: 'gw:auto',
      messages: [{ role: 'user', content: 'Здравствуйте' }],
      ...slow,
    };
    const left = fetch(`${app.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${customer.key}`,
        ...headers,
      },
      body: JSON.stringify(body),
      signal: leaving.signal,
    });
    const held = async () => {
      const { body: now } = await rest(app, 'GET', '/billing/balance', {
        credential: customer.token,
      });
      return Number(now.held_rub);
    };
    await expect.poll(held).toBeGreaterThan(0);
    leaving.abort();
    await expect(left).rejects.toThrow();
    await expect
      .poll(async () => outcome(await chat(app, customer.key, 'Здравствуйте', slow, headers)))
      .toBe('200');
    expect((await charged(customer)).count).toBe(1);
  });
});

describe('a management request under a key', () => {
  it('that is repeated does nothing twice and answers as before, secrets included', async () => {
    const headers = freshKey();
    const create = () =>
      rest(app, 'POST', '/api-keys', {
        credential: owner.token,
        headers,
        body: { keyType: 'agent', name: 'once' },
      });
    const first = await create();
    const again = await create();
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const { body } = await rest<{ data: { name: string }[] }>(app, 'GET', '/api-keys', {
      credential: owner.token,
    });
    expect(body.data.filter(({ name }) => name === 'once')).toHaveLength(1);
  });

  it('tops up once, also when requests race', async () => {
    const customer = await newCustomer(app);
    const headers = freshKey();
    const answers = await Promise.all(
      Array.from({ length: 5 }, () =>
        rest(app, 'POST', '/billing/top-up/manual', {
          credential: customer.token,
          headers,
          body: { amount_rub: 100 },
        }),
      ),
    );
    for (const answer of answers) {
      expect(['200', '409 idempotency_in_progress']).toContain(outcome(answer));
    }
    const { body } = await rest(app, 'GET', '/billing/balance', { credential: customer.token });
    expect(body.balance_rub).toBe(100);
  });

  it('belongs to its caller and its path, whoever else uses the same key', async () => {
    const headers = freshKey();
    const other = await newKey(app, owner.token, 'service');
    const topUp = (credential: string) =>
      rest(app, 'POST', '/billing/top-up/manual', { credential, headers, body: { amount_rub: 1 } });
    const answers = [await topUp(owner.token), await topUp(other.key)];
    expect(answers.map(outcome)).toEqual(['200', '200']);
    const policy = await rest(app, 'POST', '/v1/gw/policies', {
      credential: owner.token,
      headers,
      body: {},
    });
    expect(outcome(policy)).toBe('422 idempotency_key_reused');
  });

  it('whose key is no key is refused', async () => {
    for (const key of ['with space', 'x'.repeat(256)]) {
      const answer = await rest(app, 'POST', '/v1/gw/policies', {
        credential: owner.token,
        headers: { 'idempotency-key': key },
        body: {},
      });
      expect(outcome(answer)).toBe('400 invalid_request');
    }
  });
});

describe('a GraphQL mutation under a key', () => {
  const topUp = (credential: string, amount: string, headers: Record<string, string>) =>
    rest<{ data?: unknown; errors?: { extensions: { code: string } }[] }>(app, 'POST', '/graphql', {
      credential,
      headers,
      body: {
        query: 'mutation($amount: Rub!) { billingTopUp(amount: $amount) { requestId } }',
        variables: { amount },
      },
    });

  it('that is repeated gets the first answer and acts once', async () => {
    const customer = await newCustomer(app);
    const headers = freshKey();
    const first = await topUp(customer.token, '100', headers);
    const again = await topUp(customer.token, '100', headers);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const { body } = await rest(app, 'GET', '/billing/balance', { credential: customer.token });
    expect(body.balance_rub).toBe(100);
  });

  it('refuses the key for another body, and keeps no answer with errors', async () => {
    const customer = await newCustomer(app);
    const other = await newCustomer(app);
    const headers = freshKey();
    const faulty = await topUp(customer.token, '-1', headers);
    expect(faulty.body.errors?.[0]?.extensions.code).toBe('invalid_request');
    expect((await topUp(customer.token, '5', headers)).body.errors).toBeUndefined();
    const reused = await topUp(customer.token, '6', headers);
    expect(reused.status).toBe(422);
    expect(reused.body.errors?.[0]?.extensions.code).toBe('idempotency_key_reused');
    const foreign = await topUp(other.token, '7', headers);
    expect(foreign.body.errors).toBeUndefined();
    expect(foreign.headers.get('idempotent-replayed')).toBeNull();
  });
});
