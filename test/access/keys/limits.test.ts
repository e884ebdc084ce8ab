import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkInvariants } from '../../../src/money/ledger/invariants.js';
import { inParallel, chat as rawChat } from '../../faults/client.js';
import { ONE_RUBLE } from '../../faults/two-nodes.js';
import { type BudgetApp, CHEAP, DEAR, startBudgetApp } from '../../finops/budgets/budget-app.js';
import { type ErrorBody, outcome } from '../../journeys/people.js';
import {
  type Answer,
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { issue, report } from '../abuse/samples.js';
import { type Body, limited as limitedKey, update as updateKey } from './limited.js';

let app: BudgetApp;
let other: TestApp;
let customer: Customer;
beforeAll(async () => {
  app = await startBudgetApp({ GW_TRUSTED_PROXIES: '127.0.0.1' });
  other = await startApp({ ...app.environment, GW_NODE_ID: 'other' });
  customer = await newCustomer(app, 10_000);
});
afterAll(async () => {
  expect(await checkInvariants(app.owner.pool)).toEqual([]);
  await other?.stop();
  await app?.stop();
});

const limited = (limits: Body = {}, keyType = 'service', by = customer.token) =>
  limitedKey(app, by, limits, keyType);
const update = (id: string, body: Body, credential = customer.token) =>
  updateKey(app, credential, id, body);

interface Asking {
  readonly at?: Pick<TestApp, 'url'>;
  readonly headers?: Record<string, string>;
}

function ask(credential: string, more: Body = {}, { at = app, headers = {} }: Asking = {}) {
  const body = { ...ONE_RUBLE, ...more };
  return rest<ErrorBody>(at, 'POST', '/v1/chat/completions', { credential, body, headers });
}

const CHAT = 'mutation($input: ChatCompletionRequest!) { chatCompletionCreate(input: $input) }';

async function askGraphql(credential: string, model: string): Promise<string | undefined> {
  const { errors } = await graphql(app, CHAT, { input: { ...ONE_RUBLE, model } }, credential);
  return errors?.[0]?.extensions.code;
}

/** Changes rows and tells no node; what nodes remember is then out of date. */
async function changeUnseen(sql: string, values: readonly unknown[]): Promise<void> {
  const client = await app.owner.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query("SET LOCAL session_replication_role = 'replica'");
    await client.query(sql, [...values]);
    await client.query('UPDATE tenant SET control_version = control_version + 1 WHERE id = $1', [
      customer.tenantId,
    ]);
    await client.query('COMMIT');
  } finally {
    client.release();
  }
}

describe('the models of a key', () => {
  it('hold for what a name stands for, on both wires, whole and streamed', async () => {
    const name = 'cheap-one';
    const alias = (to: string) => ({
      credential: customer.token,
      body: { alias: name, target: to },
    });
    expect((await rest(app, 'POST', '/v1/gw/model-aliases', alias(CHEAP))).status).toBe(200);
    const { id, key } = await limited({ allowed_models: ['gw:auto', name] });
    const seen = async (model: string) => [
      outcome(await ask(key, { model })),
      (await rawChat(app.url, { credential: key, body: { ...ONE_RUBLE, model, stream: true } }))
        .status,
      await askGraphql(key, model),
    ];
    expect(await seen(name)).toEqual(['200', 200, undefined]);
    expect(await seen(CHEAP)).toEqual(['200', 200, undefined]);
    expect(await seen(DEAR)).toEqual(['403 model_not_allowed', 403, 'model_not_allowed']);
    const chosen = await ask(key, { model: 'gw:auto' });
    expect(chosen.body).toMatchObject({ gw_routing: { model: CHEAP } });
    const input = { credential: key, body: { model: DEAR, input: 'да' } };
    expect(outcome(await rest(app, 'POST', '/v1/embeddings', input))).toBe('403 model_not_allowed');
    expect((await ask(key, { model: DEAR })).body.error.message).toContain('key limited');
    const models = await rest<{ data: { id: string }[] }>(app, 'GET', '/v1/models', {
      credential: key,
    });
    expect(models.body.data.map((each) => each.id).sort()).toEqual([CHEAP, name, 'gw:auto'].sort());
    // The alias moves away: the key follows it, and the model behind it before is closed.
    await rest(app, 'POST', '/v1/gw/model-aliases', alias(DEAR));
    expect(await seen(CHEAP)).toEqual(['403 model_not_allowed', 403, 'model_not_allowed']);
    expect(outcome(await ask(key, { model: name }, { at: other }))).toBe('200');
    await update(id, { allowed_models: null });
    expect(outcome(await ask(key, { model: CHEAP }, { at: other }))).toBe('200');
  });

  it('hold for all that the key has made: a key, and a token', async () => {
    const { key } = await limited({ allowed_models: [CHEAP] });
    const child = await limited({ allowed_models: [CHEAP, DEAR] }, 'standard', key);
    const { token } = (await issue(app, child.key)).body;
    for (const credential of [child.key, token]) {
      expect(outcome(await ask(credential, { model: CHEAP }))).toBe('200');
      expect(outcome(await ask(credential, { model: DEAR }))).toBe('403 model_not_allowed');
    }
  });
});

describe('the budget of a key', () => {
  it('is never overspent: of fifty requests at once over two nodes ten pass', async () => {
    const { id, key } = await limited({ budgets: { daily_rub: 10 } });
    const child = await limited({}, 'standard', key);
    const seen = await inParallel(50, 50, async (index) => {
      const credential = index % 3 === 0 ? child.key : key;
      const at = index % 2 === 0 ? app : other;
      if (index % 5 > 0) return (await ask(credential, {}, { at })).status;
      const body = { ...ONE_RUBLE, stream: true };
      return (await rawChat(at.url, { credential, body })).status;
    });
    expect(seen.filter((status) => status === 200)).toHaveLength(10);
    expect(new Set(seen)).toEqual(new Set([200, 402]));
    const { rows } = await app.owner.pool.query(
      `SELECT c.spent_micro::text AS spent, c.held_micro::text AS held FROM budget_counter c
       JOIN budget b ON b.id = c.budget_id WHERE b.scope_kind = 'key' AND b.scope_ref = $1`,
      [id],
    );
    expect(rows).toEqual([{ spent: '10000000', held: '0' }]);
    const refused = await ask(key);
    expect(refused.body.error.message).toContain('key limited (day)');
    await update(id, { budgets: { daily_rub: 11, total_rub: 1 } });
    expect([outcome(await ask(child.key)), outcome(await ask(key, {}, { at: other }))]).toEqual([
      '200',
      '402 budget_exhausted',
    ]);
  });

  it('goes on with the key that a rotation has made', async () => {
    const { id, key } = await limited({ budgets: { total_rub: 2 } });
    expect(outcome(await ask(key))).toBe('200');
    const rotate = { type: 'key_leak', key_ref: id, actions_taken: ['rotate'] };
    const { new_key: fresh } = (await report(app, customer.token, rotate)).body;
    expect(outcome(await ask(fresh ?? ''))).toBe('200');
    for (const credential of [key, fresh ?? '']) {
      expect(outcome(await ask(credential))).toBe('402 budget_exhausted');
    }
    expect(outcome(await update(id, { expires_at: null }))).toBe('409 key_ended');
  });
});

describe('the rates of a key', () => {
  it('are told with each answer and refuse with the time to wait', async () => {
    const { key } = await limited({ limits: { rpm: 2, tpm: 100_000 } });
    const told = ({ headers }: Answer, of: string) => [
      headers.get(`x-ratelimit-limit-${of}`),
      headers.get(`x-ratelimit-remaining-${of}`),
    ];
    const first = await ask(key);
    expect([told(first, 'requests'), told(first, 'tokens')[0]]).toEqual([['2', '1'], '100000']);
    await ask(key);
    const refused = await ask(key, {}, { headers: { 'accept-language': 'ru' } });
    expect(outcome(refused)).toBe('429 key_rate_limit_requests');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(told(refused, 'requests')).toEqual(['2', '0']);
    expect(refused.body.error.message).toBe('Больше 2 запросов в минуту с этим ключом.');
    expect(await askGraphql(key, CHEAP)).toBe('key_rate_limit_requests');
  });

  it('count tokens, and those that a request did not use are given back', async () => {
    const { key } = await limited({ limits: { tpm: 1_000 } });
    const tokens = async () => {
      const answer = await ask(key, { max_tokens: 800, model: CHEAP });
      return outcome(answer);
    };
    expect([await tokens(), await tokens()]).toEqual(['200', '200']);
    const refused = await ask(key, { max_tokens: 2_000, model: CHEAP });
    expect(outcome(refused)).toBe('429 key_rate_limit_tokens');
  });
});

describe('the addresses of a key', () => {
  const from = (address: string) => ({ 'x-forwarded-for': address });

  it('are those of the client as trusted proxies tell them, for every operation', async () => {
    const ranges = ['203.0.113.0/24', '2001:db8::/32'];
    const { key } = await limited({ allowed_addresses: ranges });
    const child = await limited({}, 'standard', (await limited({})).key);
    expect(outcome(await ask(child.key, {}, { headers: from('198.51.100.1') }))).toBe('200');
    for (const address of ['203.0.113.9', '2001:db8:1::5', '::ffff:203.0.113.9']) {
      expect(outcome(await ask(key, {}, { headers: from(address) }))).toBe('200');
    }
    for (const address of ['198.51.100.1', '2001:db9::1', '', 'unknown']) {
      const refused = await ask(key, {}, { headers: from(address) });
      expect([address, outcome(refused)]).toEqual([address, '403 key_address_not_allowed']);
    }
    const keyed = { ...from('203.0.113.9'), 'idempotency-key': 'once' };
    expect(outcome(await ask(key, {}, { headers: keyed }))).toBe('200');
    const elsewhere = { ...keyed, ...from('198.51.100.1') };
    expect(outcome(await ask(key, {}, { headers: elsewhere }))).toBe('403 key_address_not_allowed');
    const options = { credential: key, headers: { ...elsewhere, 'accept-language': 'ru' } };
    const listed = await rest<ErrorBody>(app, 'GET', '/usage', options);
    expect([listed.status, listed.body.error.message]).toEqual([
      403,
      'Ключ «limited» нельзя использовать с адреса 198.51.100.1.',
    ]);
    const query = { query: '{ balance { availableRub } }' };
    const answered = await rest<{ errors?: { extensions: { code: string } }[] }>(
      app,
      'POST',
      '/graphql',
      { ...options, body: query },
    );
    expect(answered.body.errors?.[0]?.extensions.code).toBe('key_address_not_allowed');
  });

  it('hold for what the key has made', async () => {
    const { id, key } = await limited();
    const child = await limited({}, 'standard', key);
    const { token } = (await issue(app, key)).body;
    await update(id, { allowed_addresses: ['203.0.113.9'] });
    for (const credential of [key, child.key, token]) {
      expect(outcome(await ask(credential))).toBe('403 key_address_not_allowed');
      expect(outcome(await ask(credential, {}, { headers: from('203.0.113.9') }))).toBe('200');
    }
  });
});

describe('a change of a key', () => {
  it('holds for the next request on a node that was not told of it', async () => {
    const { id, key } = await limited({ limits: { rpm: 1_000 } });
    const both = async () => [
      outcome(await ask(key)),
      outcome(await ask(key, {}, { at: other })),
      (await rawChat(other.url, { credential: key, body: { ...ONE_RUBLE, stream: true } })).status,
    ];
    expect(await both()).toEqual(['200', '200', 200]);
    await changeUnseen('UPDATE key_limits SET allowed_models = $2 WHERE id = $1', [id, [CHEAP]]);
    expect(await both()).toEqual(['403 model_not_allowed', '403 model_not_allowed', 403]);
    await changeUnseen(
      "UPDATE key_limits SET allowed_models = '{}', allowed_addresses = $2 WHERE id = $1",
      [id, ['203.0.113.9']],
    );
    const refused = '403 key_address_not_allowed';
    expect(await both()).toEqual([refused, refused, 403]);
  });

  it('moves it into another project, whose policies bind it from then on', async () => {
    const { data } = await graphql<{ projectCreate: { id: string } }>(
      app,
      'mutation { projectCreate(name: "strict") { id } }',
      {},
      customer.token,
    );
    const projectId = data.projectCreate.id;
    const policy = { project_id: projectId, allowed_models: [CHEAP] };
    await rest(app, 'POST', '/v1/gw/policies', { credential: customer.token, body: policy });
    const { id, key } = await limited();
    const { token } = (await issue(app, key)).body;
    expect(outcome(await ask(key, {}, { at: other }))).toBe('200');
    const { body } = await update(id, { project_id: projectId });
    expect(body).toMatchObject({ project_id: projectId });
    for (const credential of [key, token]) {
      expect(outcome(await ask(credential, {}, { at: other }))).toBe('403 model_not_allowed');
    }
  });

  it('gives it no end behind that of its maker, and none to what has ended', async () => {
    const end = new Date(Date.now() + 600_000).toISOString();
    const { key, id } = await limited({ expires_at: end });
    const child = await limited({}, 'standard', key);
    const later = new Date(Date.now() + 700_000).toISOString();
    for (const expires_at of [later, null]) {
      expect((await update(child.id, { expires_at })).body.error.faults).toMatchObject([
        { message: `expires_at must be ${end} or earlier, when its maker ends.` },
      ]);
    }
    await app.owner.pool.query('UPDATE api_key SET expires_at = now() WHERE id = $1', [id]);
    expect(outcome(await update(id, { expires_at: later }))).toBe('409 key_ended');
    expect(outcome(await ask(key))).toBe('401 api_key_revoked');
  });
});
