import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkInvariants } from '../../../src/money/ledger/invariants.js';
import { inParallel, chat as rawChat } from '../../faults/client.js';
import { ONE_RUBLE } from '../../faults/two-nodes.js';
import { type BudgetApp, CHEAP, startBudgetApp } from '../../finops/budgets/budget-app.js';
import { outcome } from '../../journeys/people.js';
import {
  type Answer,
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { type Issued, issue, newKey } from './samples.js';

let app: BudgetApp;
let other: TestApp;
let customer: Customer;
beforeAll(async () => {
  app = await startBudgetApp();
  other = await startApp({ ...app.environment, GW_NODE_ID: 'other' });
  customer = await newCustomer(app, 10_000);
});
afterAll(async () => {
  expect(await checkInvariants(app.owner.pool)).toEqual([]);
  await other?.stop();
  await app?.stop();
});

const CHAT = 'mutation($input: ChatCompletionRequest!) { chatCompletionCreate(input: $input) }';
const LIST = '/v1/gw/abuse/ephemeral-tokens';
const TEST_MS_MAX = 120_000;
const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

const ask = (
  credential: string,
  more: Readonly<Record<string, unknown>> = {},
  at: Pick<TestApp, 'url'> = app,
): Promise<Answer> =>
  rest(at, 'POST', '/v1/chat/completions', { credential, body: { ...ONE_RUBLE, ...more } });

async function issued(body: Readonly<Record<string, unknown>> = {}): Promise<Issued> {
  const answer = await issue(app, customer.token, body);
  expect(answer.status).toBe(200);
  return answer.body;
}

function validate(token: string, credential = customer.token): Promise<Answer> {
  return rest(app, 'POST', `${LIST}/validate`, { credential, body: { token } });
}

async function listed(id: string): Promise<Record<string, unknown> | undefined> {
  const { body } = await rest<{ data: Record<string, unknown>[] }>(app, 'GET', LIST, {
    credential: customer.token,
  });
  return body.data.find((each) => each.id === id);
}

describe('a token', () => {
  it('is shown once, and stored as a keyed hash alone', async () => {
    const { id, token, details } = await issued({ name: 'page', max_requests: 7, max_cost: 9 });
    expect(token).toMatch(/^gw_et_[0-9A-Za-z]{49}$/);
    const shown = {
      id,
      name: 'page',
      scope: 'frontend',
      state: 'active',
      allowed_models: null,
      max_requests: 7,
      requests_used: 0,
      max_cost_rub: 9,
      spent_rub: 0,
      held_rub: 0,
      prefix: token.slice(0, 10),
      last_four: token.slice(-4),
      project_id: customer.projectId,
      issued_by: customer.userId,
      expires_at: expect.any(String),
      revoked_at: null,
      created_at: expect.any(String),
    };
    expect(details).toEqual(shown);
    expect(await listed(id)).toEqual(shown);
    const { rows } = await app.owner.pool.query(
      `SELECT to_jsonb(k)::text || to_jsonb(e)::text AS stored FROM api_key k
       JOIN ephemeral_token e USING (id) WHERE id = $1`,
      [id],
    );
    expect(rows[0].stored).not.toContain(token.slice(10, -4));
  });

  it('is bounded by its scope, and every fault is named at once', async () => {
    const body = {
      scope: 'frontend',
      ttl_seconds: 3_601,
      max_requests: 0,
      max_cost: 5_001,
      allowed_models: ['own/model', 'nobody/model'],
    };
    const { status, body: answer } = await rest<{ error: { faults: { path: string }[] } }>(
      app,
      'POST',
      LIST,
      { credential: customer.token, body },
    );
    expect([status, answer.error.faults.map(({ path }) => path)]).toEqual([
      400,
      ['ttl_seconds', 'max_requests', 'max_cost', 'allowed_models.1'],
    ]);
    for (const wrong of [
      { ttl: '15m' },
      { max_requests: 1.5 },
      { max_cots: 5 },
      { scope: 'all' },
    ]) {
      expect((await issue(app, customer.token, wrong)).status).toBe(400);
    }
  });

  it('works for chat, streams and GraphQL, and its usage and cost are its own', async () => {
    const { id, token } = await issued({ max_requests: 3, max_cost: 100 });
    expect(outcome(await ask(token))).toBe('200');
    const streamed = await rawChat(app.url, {
      credential: token,
      body: { ...ONE_RUBLE, stream: true },
    });
    expect([streamed.status, streamed.complete]).toEqual([200, true]);
    const { errors } = await graphql(app, CHAT, { input: ONE_RUBLE }, token);
    expect(errors).toBeUndefined();
    expect(outcome(await ask(token))).toBe('403 ephemeral_token_spent');
    expect(await listed(id)).toMatchObject({
      state: 'requests_exhausted',
      requests_used: 3,
      spent_rub: 3,
      held_rub: 0,
    });
    const usage = await rest<{ data: unknown[] }>(app, 'GET', `/usage?key_id=${id}`, {
      credential: customer.token,
    });
    expect(usage.body.data).toHaveLength(3);
  });

  it('may do nothing but what its scope says', async () => {
    const { token } = await issued({ allowed_models: [CHEAP] });
    expect(outcome(await ask(token))).toBe('403 model_not_allowed');
    expect(outcome(await ask(token, { model: CHEAP }))).toBe('200');
    const models = await rest<{ data: { id: string }[] }>(app, 'GET', '/v1/models', {
      credential: token,
    });
    const names = models.body.data.map(({ id }) => id).filter((id) => !id.startsWith('gw:'));
    expect(names).toEqual([CHEAP]);
    const embedding = await rest(app, 'POST', '/v1/embeddings', {
      credential: token,
      body: { model: 'own/model', input: 'x' },
    });
    expect(outcome(embedding)).toBe('403 ephemeral_scope_exceeded');
    for (const [method, path, body] of [
      ['GET', '/usage', undefined],
      ['GET', LIST, undefined],
      ['POST', LIST, {}],
      ['POST', '/api-keys', { keyType: 'service' }],
      ['GET', '/v1/gw/policies', undefined],
      ['POST', '/v1/gw/abuse/incidents', { type: 'other' }],
    ] as const) {
      const answer = await rest(app, method, path, { credential: token, body });
      expect([path, outcome(answer)]).toEqual([path, '403 permission_denied']);
    }
  });

  it('of a key dies with the key, on every node', async () => {
    const key = await newKey(app, customer, 'service');
    const { body } = await issue(app, key.key);
    for (const at of [app, other]) expect(outcome(await ask(body.token, {}, at))).toBe('200');
    await rest(app, 'DELETE', `/api-keys/${key.id}`, { credential: customer.token });
    for (const at of [other, app]) {
      expect(outcome(await ask(body.token, {}, at))).toBe('401 api_key_revoked');
    }
  });

  it('that is revoked is refused by a node that knows it by heart', async () => {
    const { id, token } = await issued({ max_requests: 50 });
    expect(outcome(await ask(token, {}, other))).toBe('200');
    const gone = await rest(app, 'DELETE', `${LIST}/${id}`, { credential: customer.token });
    expect([gone.status, gone.body]).toEqual([
      200,
      expect.objectContaining({ id, state: 'revoked', requests_used: 1 }),
    ]);
    expect(outcome(await ask(token, {}, other))).toBe('401 api_key_revoked');
    expect((await listed(id))?.requests_used).toBe(1);
    expect(
      outcome(await rest(app, 'DELETE', `/api-keys/${id}`, { credential: customer.token })),
    ).toBe('404 not_found');
  });

  it('that ends in the middle of a stream lets the stream end, and nothing after it', async () => {
    const { token } = await issued({ ttl_seconds: 3 });
    await app.double.script('own', { text: 'Да, да, да, да, да', usage: USAGE, gapMs: 2_000 });
    const seen = await rawChat(app.url, {
      credential: token,
      body: { ...ONE_RUBLE, stream: true },
    });
    await app.double.script('own', { text: 'Да', usage: USAGE });
    expect([seen.status, seen.complete]).toEqual([200, true]);
    for (const at of [app, other]) {
      expect(outcome(await ask(token, {}, at))).toBe('401 ephemeral_token_expired');
    }
    expect((await validate(token)).body).toMatchObject({ valid: false, refusal: 'expired' });
  });
});

describe('the requests of a token', () => {
  it(
    'are exactly 100 of 500 at once over two nodes, whole and streamed',
    async () => {
      const { id, token } = await issued({ max_requests: 100, max_cost: 1_000 });
      const answers = await inParallel(500, 100, async (index) => {
        const { url } = index % 2 === 0 ? app : other;
        const body = { ...ONE_RUBLE, stream: index % 4 === 0 };
        const seen = await rawChat(url, { credential: token, body });
        return seen.status;
      });
      expect(answers.filter((each) => each === 200)).toHaveLength(100);
      expect(answers.filter((each) => each === 403)).toHaveLength(400);
      expect(await listed(id)).toMatchObject({ requests_used: 100, spent_rub: 100, held_rub: 0 });
    },
    TEST_MS_MAX,
  );

  it('never cost beyond the cap, also where the upstream reports more than it may', async () => {
    const { id, token } = await issued({ max_requests: 500, max_cost: 5 });
    const answers = await inParallel(60, 30, async (index) => {
      const at = index % 2 === 0 ? app : other;
      return outcome(await ask(token, { model: index % 3 === 0 ? 'lie/model' : 'own/model' }, at));
    });
    expect(answers.filter((each) => each === '200').length).toBeLessThanOrEqual(5);
    while (outcome(await ask(token)) === '200');
    expect(await listed(id)).toMatchObject({
      state: 'cost_exhausted',
      spent_rub: 5,
      held_rub: 0,
      requests_used: 5,
    });
    expect(outcome(await ask(token))).toMatch(/^402 budget_/);
  });

  it('are given back where the gateway refuses, and not where the upstream fails', async () => {
    const { id, token } = await issued({ max_requests: 2, max_cost: 100 });
    const poor = await newCustomer(app, 0);
    const empty = (await issue(app, poor.token, { max_requests: 2 })).body;
    expect(outcome(await ask(empty.token))).toBe('402 insufficient_balance');
    expect(outcome(await ask(empty.token))).toBe('402 insufficient_balance');
    expect(outcome(await ask(empty.token))).toBe('402 insufficient_balance');
    expect(outcome(await ask(token, { model: 'nobody/model' }))).toBe('404 model_not_found');
    expect((await listed(id))?.requests_used).toBe(0);
    expect((await ask(token, { model: 'bad/model' })).status).toBeGreaterThanOrEqual(500);
    expect(await listed(id)).toMatchObject({ requests_used: 1, spent_rub: 0, held_rub: 0 });
  });

  it('that are cut by the client stay counted, and what was made is charged once', async () => {
    const { id, token } = await issued({ max_requests: 2, max_cost: 100 });
    const cut = await rawChat(app.url, {
      credential: token,
      body: { ...ONE_RUBLE, stream: true },
      cutWhen: (text) => text.includes('data:'),
    });
    expect(cut.status).toBe(200);
    await expect.poll(async () => (await listed(id))?.held_rub).toBe(0);
    expect((await listed(id))?.requests_used).toBe(1);
  });

  it('under one key of idempotency are one', async () => {
    const { id, token } = await issued({ max_requests: 5 });
    const headers = { 'idempotency-key': 'a-token-once' };
    const twice = [1, 2].map(() =>
      rest(app, 'POST', '/v1/chat/completions', { credential: token, body: ONE_RUBLE, headers }),
    );
    await Promise.all(twice);
    const again = await rest(app, 'POST', '/v1/chat/completions', {
      credential: token,
      body: ONE_RUBLE,
      headers,
    });
    expect(again.status).toBe(200);
    expect(await listed(id)).toMatchObject({ requests_used: 1, spent_rub: 1 });
  });
});
