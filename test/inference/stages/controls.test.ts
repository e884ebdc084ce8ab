import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { LIVE, type LiveApp, startLiveApp } from '../../support/live-app.js';

const MINI = 'sandbox/gw-mini';

let app: LiveApp;
/** A node that hears of no change: as if every notification were still under way. */
let deaf: TestApp;

/** The triggers that notify nodes. */
const VOICES = `
  SELECT format('ALTER TABLE %s DISABLE TRIGGER %I', t.tgrelid::regclass, t.tgname) AS sql
  FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
  WHERE p.proname = 'notify_access_change' AND t.tgparentid = 0`;

beforeAll(async () => {
  app = await startLiveApp();
  const { rows } = await app.owner.pool.query<{ sql: string }>(VOICES);
  expect(rows.length).toBeGreaterThan(5);
  for (const { sql } of rows) await app.owner.pool.query(sql);
  deaf = await startApp({ ...app.environment, GW_NODE_ID: 'deaf' });
});
afterAll(async () => {
  await deaf.stop();
  await app.stop();
});

interface ChatBody {
  readonly model: string;
  readonly gw_routing: { readonly model: string; readonly policies: readonly unknown[] };
  readonly error: { readonly code: string };
}

/** A chat on the node that hears nothing. */
function ask({ key }: Customer, model: string, more: Record<string, unknown> = {}) {
  const messages = [{ role: 'user', content: 'Привет' }];
  const body = { model, messages, max_tokens: 16, ...more };
  return rest<ChatBody>(deaf, 'POST', '/v1/chat/completions', { credential: key, body });
}

/** The same as a typed field of the graph: the model that answers, or the code of its error. */
async function askTyped({ key }: Customer, model: string): Promise<string | undefined> {
  const { data, errors } = await graphql<{ chatComplete: { gwRouting: { model: string } } }>(
    deaf,
    'mutation($input: ChatInput!) { chatComplete(input: $input) { gwRouting { model } } }',
    { input: { model, maxTokens: 16, messages: [{ role: 'user', parts: [{ text: 'Hello' }] }] } },
    key,
  );
  return errors?.[0]?.extensions.code ?? data.chatComplete.gwRouting.model;
}

const post = (who: Customer, path: string, body: Record<string, unknown>) =>
  rest<{ id: string }>(app, 'POST', path, { credential: who.token, body });

const outcome = ({ status, body }: Awaited<ReturnType<typeof ask>>) =>
  status === 200 ? body.model : `${status} ${body.error.code}`;

describe('on a node that has not heard of a change yet, the next request is decided by', () => {
  it('a kill switch, set and taken back, for its own organization alone', async () => {
    const [customer, other] = [await newCustomer(app, 100), await newCustomer(app, 100)];
    for (const who of [customer, other]) expect(outcome(await ask(who, 'gw:auto'))).toBe(LIVE);
    for (let times = 0; times < 5; times += 1) {
      const path = '/v1/gw/adaptive-routing/kill-switch';
      await post(customer, path, { state: 'PINNED', pinned_model: MINI });
      expect(outcome(await ask(customer, 'gw:auto'))).toBe(MINI);
      expect(outcome(await ask(other, 'gw:auto'))).toBe(LIVE);
      await post(customer, path, { state: 'ACTIVE' });
      expect(await askTyped(customer, 'gw:auto')).toBe(LIVE);
    }
  });

  it('a policy, one that is new, one that is changed and one that is switched off', async () => {
    const customer = await newCustomer(app, 100);
    expect(outcome(await ask(customer, LIVE))).toBe(LIVE);
    const { body } = await post(customer, '/v1/gw/policies', { allowed_models: [MINI] });
    expect(outcome(await ask(customer, LIVE))).toBe('403 model_not_allowed');
    const patch = (change: Record<string, unknown>) =>
      rest(app, 'PATCH', `/v1/gw/policies/${body.id}`, {
        credential: customer.token,
        body: change,
      });
    await patch({ allowed_models: [LIVE] });
    expect(outcome(await ask(customer, LIVE))).toBe(LIVE);
    await patch({ allowed_models: [MINI] });
    expect((await ask(customer, LIVE, { stream: true })).status).toBe(403);
    await patch({ budgets: { daily: 0.000001 }, allowed_models: [LIVE] });
    expect(outcome(await ask(customer, LIVE))).toBe('402 budget_too_small');
    await patch({ enabled: false });
    expect(outcome(await ask(customer, LIVE))).toBe(LIVE);
  });

  it('an alias, new and pointed elsewhere', async () => {
    const customer = await newCustomer(app, 100);
    expect(outcome(await ask(customer, 'gpt-4o'))).toBe('404 model_not_found');
    const publish = (target: string) =>
      post(customer, '/v1/gw/model-aliases', { alias: 'gpt-4o', target });
    await publish(LIVE);
    expect((await ask(customer, 'gpt-4o')).body.gw_routing.model).toBe(LIVE);
    await publish(MINI);
    expect((await ask(customer, 'gpt-4o')).body.gw_routing.model).toBe(MINI);
  });
});

describe('a request that is decided again', () => {
  it('counts once against the limits of its project', async () => {
    const customer = await newCustomer(app, 100);
    const { body } = await post(customer, '/v1/gw/policies', { limits: { rpm: 6 } });
    const left = async () => {
      const { headers } = await ask(customer, LIVE);
      return Number(headers.get('x-ratelimit-remaining-requests'));
    };
    const before = await left();
    // So few that nothing flows back while the test runs.
    for (const rpm of [6, 6, 6]) {
      const change = { name: `limits ${rpm}`, limits: { rpm } };
      const path = `/v1/gw/policies/${body.id}`;
      await rest(app, 'PATCH', path, { credential: customer.token, body: change });
      await ask(customer, LIVE);
    }
    expect(before - (await left())).toBe(4);
  });

  it('counts once too where a stage refused it by what is not in force any more', async () => {
    const customer = await newCustomer(app, 100);
    const secret = { messages: [{ role: 'user', content: 'Паспорт 4509 123456, выдан ОВД' }] };
    const limits = { rpm: 6 };
    const policy = (passport: string) => ({ name: passport, limits, firewall: { passport } });
    const { body } = await post(customer, '/v1/gw/policies', policy('block'));
    const left = async (more = {}) => {
      const { status, headers } = await ask(customer, LIVE, more);
      return [status, Number(headers.get('x-ratelimit-remaining-requests'))];
    };
    expect(await left()).toEqual([200, 5]);
    const change = { credential: customer.token, body: policy('mask') };
    await rest(app, 'PATCH', `/v1/gw/policies/${body.id}`, change);
    expect(await left(secret)).toEqual([200, 4]);
    expect(await left(secret)).toEqual([200, 3]);
  });

  it('is refused after eight changes in a row, and holds nothing', async () => {
    const customer = await newCustomer(app, 100);
    const { controls } = deaf.server.services;
    const spy = vi.spyOn(controls, 'of').mockReturnValue('999');
    const refused = await ask(customer, LIVE);
    const typed = await askTyped(customer, LIVE);
    const calls = spy.mock.calls.length;
    spy.mockRestore();
    expect([outcome(refused), refused.headers.get('retry-after')]).toEqual([
      '503 controls_changing',
      '1',
    ]);
    expect([typed, calls]).toEqual(['controls_changing', 16]);
    const { rows } = await app.owner.pool.query(
      'SELECT held_micro::int AS held FROM account WHERE tenant_id = $1',
      [customer.tenantId],
    );
    expect(rows).toEqual([{ held: 0 }]);
    expect(outcome(await ask(customer, LIVE))).toBe(LIVE);
  });
});
