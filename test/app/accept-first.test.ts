import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../support/app.js';

let app: TestApp;
let customer: Customer;
beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app, 100);
});
afterAll(() => app?.stop());

const CHAT = { model: 'sandbox/gw-mini', messages: [{ role: 'user', content: 'Hello' }] };
const STREAM =
  'subscription($input: ChatCompletionRequest!) { chatCompletionStream(input: $input) }';
const WHOLE = 'mutation($input: ChatCompletionRequest!) { chatCompletionCreate(input: $input) }';

function asked(query: string, accept: string, headers: Record<string, string> = {}) {
  return fetch(`${app.url}/graphql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${customer.key}`,
      'content-type': 'application/json',
      accept,
      ...headers,
    },
    body: JSON.stringify({ query, variables: { input: CHAT } }),
  });
}

/** All rows of ledger and usage of the customer. */
async function books() {
  const { rows } = await app.owner.pool.query<{ lines: string; usage: string }>(
    `SELECT (SELECT count(*) FROM ledger_entry WHERE tenant_id = $1)::text AS lines,
            (SELECT count(*) FROM usage_event WHERE tenant_id = $1)::text AS usage`,
    [customer.tenantId],
  );
  return rows[0];
}

describe('the types that a client accepts', () => {
  it.each([
    ['a subscription that takes no events', STREAM, 'application/json'],
    ['one that takes parts only', STREAM, 'multipart/mixed'],
    ['one that takes events of another charset', STREAM, 'text/event-stream;charset=latin1'],
    ['one that excludes events', STREAM, 'text/event-stream;q=0'],
    ['a mutation that takes pages only', WHOLE, 'text/html'],
  ])('are judged before anything runs: %s', async (_, query, accept) => {
    const before = await books();
    const plain = await asked(query, accept);
    const keyed = await asked(query, accept, { 'idempotency-key': `refused-${accept.length}` });
    for (const answer of [plain, keyed]) {
      expect(answer.status).toBe(406);
      expect(await answer.text()).toContain('not_acceptable');
    }
    expect(await books()).toEqual(before);
  });

  it('leave a key of idempotency free for the same request with another type', async () => {
    const key = { 'idempotency-key': 'first-refused-then-taken' };
    expect((await asked(STREAM, 'application/json', key)).status).toBe(406);
    const taken = await asked(STREAM, 'text/event-stream', key);
    expect(taken.status).toBe(200);
    expect(await taken.text()).toContain('event: complete');
  });

  it.each(['text/event-stream', '*/*', 'text/*', 'application/json, text/event-stream'])(
    'that include events begin a subscription: %s',
    async (accept) => {
      const answer = await asked(STREAM, accept);
      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain('gw_routing');
    },
  );

  it('decide nothing over REST, where a stream is asked for in the body', async () => {
    const body = { ...CHAT, stream: true };
    const headers = { accept: 'application/json' };
    const credential = customer.key;
    const answer = await rest<string>(app, 'POST', '/v1/chat/completions', {
      credential,
      body,
      headers,
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toContain('data: [DONE]');
  });
});
