import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LADDER, type LadderStep } from '../../../src/finops/unit-economics/vocabulary.js';
import { newFolder, writeProviders } from '../../faults/providers.js';
import { ONE_RUBLE } from '../../faults/two-nodes.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { type SpawnedDouble, spawnUpstreamDouble } from '../../support/upstream-double.js';
import { setBudget } from './budget-app.js';

const PLAIN = 'own/model';
const PREMIUM = 'top/model';
const FALLING = 'bad/model';
const SECOND = 'two/model';
const SUPPORT = { feature: 'support' };
const PATIENT = { ...SUPPORT, interaction_class: 'BATCH' };
const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

const folder = newFolder();
let double: SpawnedDouble;
let app: TestApp;
let other: TestApp;
beforeAll(async () => {
  double = await spawnUpstreamDouble();
  await double.script('own', { text: 'Да', usage: USAGE });
  await double.script('top', { text: 'Да', usage: USAGE });
  await double.script('two', { text: 'Да', usage: USAGE });
  await double.script('bad', { status: 500 });
  const price = { inputRub: 0, outputRub: 1_000_000 };
  const lanes = [
    { lane: 'own', model: PLAIN, ...price },
    { lane: 'two', model: SECOND, ...price },
    { lane: 'top', model: PREMIUM, quality: 'high' as const, ...price },
    { lane: 'bad', model: FALLING, fallbacks: [PREMIUM], ...price },
  ];
  app = await startApp({
    GW_PROVIDERS_FILE: writeProviders(folder, double.origin, lanes),
    GW_SANDBOX: 'off',
  });
  other = await startApp({ ...app.environment, GW_NODE_ID: 'other' });
});
afterAll(async () => {
  await other.stop();
  await app.stop();
  await double.close();
  folder.remove();
});

interface Said {
  readonly code: string;
  readonly routing?: {
    readonly request_id: string;
    readonly model: string;
    readonly budget_ladder?: readonly object[];
    readonly decision?: { readonly explored: boolean };
    readonly candidates: readonly { readonly model: string; readonly rejected?: string }[];
  };
}

type Asked = Readonly<Record<string, unknown>>;

/** A request over REST, on a node: the code of its refusal, or 200 and its receipt. */
async function ask(who: Customer, asked: Asked = {}, node: TestApp = app): Promise<Said> {
  const body = { ...ONE_RUBLE, metadata: SUPPORT, ...asked };
  const answer = await rest<{ error?: { code: string }; gw_routing?: Said['routing'] }>(
    node,
    'POST',
    '/v1/chat/completions',
    { credential: who.key, body },
  );
  const code = answer.status === 200 ? '200' : (answer.body.error?.code ?? '');
  return { code, ...(answer.body.gw_routing && { routing: answer.body.gw_routing }) };
}

const CHAT = 'mutation($input: ChatCompletionRequest!) { chatCompletionCreate(input: $input) }';

/** The outcome of a request over REST and over GraphQL, each on a node of its own. */
async function inBothVoices(who: Customer, asked: Asked = {}): Promise<string[]> {
  const input = { ...ONE_RUBLE, metadata: SUPPORT, ...asked };
  const { errors } = await graphql(other, CHAT, { input }, who.key);
  const spoken = errors ? String(errors[0]?.extensions.code) : '200';
  return [(await ask(who, asked)).code, spoken];
}

const TERMS = { ladder: true, on_cap_reached: 'allow', name: 'B' };
/** Caps under which a ruble that is spent reaches a step and not the next one. */
const CAPS: Readonly<Record<LadderStep, number>> = {
  alert: 1.4,
  restrict_premium: 1.25,
  disable_exploration: 1.17,
  force_batch: 1.1,
  read_only: 1.05,
  hard_stop: 1,
};

/** A customer whose budget stands on a step, with one ruble spent; and its budget. */
async function standing(step: LadderStep, scope: Asked = {}, metadata: Asked = SUPPORT) {
  const customer = await newCustomer(app, 1_000);
  const terms = { ...TERMS, ...scope };
  await setBudget(app, customer.token, { ...terms, hard_cap: 100 });
  expect((await ask(customer, { metadata })).code).toBe('200');
  const { body } = await setBudget(app, customer.token, { ...terms, hard_cap: CAPS[step] });
  expect(body).toMatchObject({ ladder: true, ladder_step: step });
  return { customer, id: body.id, terms };
}

async function stepsTold(tenantId: string) {
  const { rows } = await app.owner.pool.query<{ step: string }>(
    `SELECT payload->>'step' AS step FROM feed_event
     WHERE tenant_id = $1 AND feed = 'anomalies' AND type = 'budget_step' ORDER BY txid, seq`,
    [tenantId],
  );
  return rows.map(({ step }) => step);
}

describe('each step on the chat path, in REST and GraphQL, on two nodes', () => {
  it('alert tells the feed once, and refuses nothing', async () => {
    const { customer, terms } = await standing('alert');
    expect(await inBothVoices(customer, { model: PREMIUM, metadata: { feature: 'x' } })).toEqual([
      '200',
      '200',
    ]);
    await setBudget(app, customer.token, { ...terms, hard_cap: CAPS.alert });
    expect(await stepsTold(customer.tenantId)).toEqual(['alert']);
    const { routing } = await ask(customer, { model: PREMIUM });
    expect(routing?.budget_ladder).toMatchObject([{ budget: 'B', step: 'alert' }]);
  });

  it('restrict_premium refuses premium models and keeps them out of gw:auto', async () => {
    const { customer, id } = await standing('restrict_premium');
    const body = { contract_key: 'support', mode: 'QUALITY_FIRST' };
    const path = '/v1/gw/adaptive-routing/contracts';
    await rest(app, 'POST', path, { credential: customer.token, body });
    const refused = ['budget_premium_restricted', 'budget_premium_restricted'];
    expect(await inBothVoices(customer, { model: PREMIUM })).toEqual(refused);
    const { routing } = await ask(customer, { model: 'gw:auto' });
    expect([PLAIN, SECOND]).toContain(routing?.model);
    expect(routing).toMatchObject({
      budget_ladder: [{ budget: 'B', budget_id: id, step: 'restrict_premium' }],
    });
    expect(routing?.candidates.find(({ model }) => model === PREMIUM)?.rejected).toBe(
      'kept_out_by_budget',
    );
    expect(await inBothVoices(customer, { model: PLAIN })).toEqual(['200', '200']);
  });

  it('restrict_premium leaves premium fallbacks out', async () => {
    const { customer } = await standing('restrict_premium');
    const elsewhere = { model: FALLING, metadata: { feature: 'elsewhere' } };
    expect((await ask(customer, elsewhere)).routing?.model).toBe(PREMIUM);
    expect((await ask(customer, { model: FALLING })).code).toMatch(/^upstream_/);
  });

  it('restrict_premium refuses gw:auto where nothing but premium models may answer', async () => {
    const { customer } = await standing('restrict_premium');
    const body = { contract_key: 'support', mode: 'BALANCED', models_allowed: [PREMIUM] };
    const path = '/v1/gw/adaptive-routing/contracts';
    await rest(app, 'POST', path, { credential: customer.token, body });
    expect(await inBothVoices(customer, { model: 'gw:auto' })).toEqual([
      'budget_premium_restricted',
      'budget_premium_restricted',
    ]);
  });

  it('a budget of a premium model keeps that model out of gw:auto', async () => {
    const scope = { scope: 'route', scope_ref: PREMIUM };
    const customer = await newCustomer(app, 100);
    await setBudget(app, customer.token, { ...TERMS, ...scope, hard_cap: 10 });
    expect((await ask(customer, { model: PREMIUM })).code).toBe('200');
    await setBudget(app, customer.token, { ...TERMS, ...scope, hard_cap: 1.25 });
    expect((await ask(customer, { model: PREMIUM })).code).toBe('budget_premium_restricted');
    for (const node of [app, other]) {
      const auto = await ask(customer, { model: 'gw:auto' }, node);
      expect(auto.code).toBe('200');
      expect([PLAIN, SECOND]).toContain(auto.routing?.model);
    }
  });

  it('disable_exploration lets the router try nothing', async () => {
    const customer = await newCustomer(app, 10_000);
    const adaptive = (path: string, body: object) =>
      rest(app, 'POST', `/v1/gw/adaptive-routing${path}`, { credential: customer.token, body });
    await adaptive('/contracts', {
      contract_key: 'support',
      mode: 'BALANCED',
      models_allowed: [PLAIN, SECOND],
      exploration_basis_points: 1_000,
      exploration_loss_basis_points_max: 10_000,
    });
    const { body } = await setBudget(app, customer.token, { ...TERMS, hard_cap: 10_000 });
    const asked = { model: 'gw:auto' };
    // Before the router counts outcomes for the first time: it counts them for half a minute.
    const first = await ask(customer, { model: PLAIN });
    await adaptive('/outcomes', { request_id: first.routing?.request_id, outcome: 'accepted' });
    const explores = async () => (await ask(customer, asked)).routing?.decision?.explored;
    await expect.poll(explores, { timeout: 20_000, interval: 1 }).toBe(true);

    const path = `/v1/gw/finops/budgets/${body.id}/check`;
    const checked = await rest<{ spent_rub: number }>(app, 'POST', path, {
      credential: customer.token,
      body: {},
    });
    const hard_cap = Math.ceil((checked.body.spent_rub * 1_000_000) / 0.89) / 1_000_000;
    const stands = await setBudget(app, customer.token, { ...TERMS, hard_cap });
    expect(stands.body).toMatchObject({ ladder_step: 'disable_exploration' });
    const { code, routing } = await ask(customer, asked, other);
    expect([code, routing?.decision?.explored]).toEqual(['200', false]);
    const { rows } = await app.owner.pool.query(
      `SELECT metadata->'gw_routing'->'features'->'explores' AS explores FROM usage_event
       WHERE id = $1`,
      [routing?.request_id],
    );
    expect(rows).toEqual([{ explores: false }]);
  });

  it('force_batch refuses what is streamed or does not say that it can wait', async () => {
    const { customer } = await standing('force_batch');
    const refused = ['budget_batch_only', 'budget_batch_only'];
    expect(await inBothVoices(customer)).toEqual(refused);
    const soon = { metadata: { ...SUPPORT, interaction_class: 'NEAR_REALTIME' } };
    expect(await inBothVoices(customer, soon)).toEqual(refused);
    const streamed = { metadata: PATIENT, stream: true };
    expect((await ask(customer, streamed)).code).toBe('budget_batch_only');
    expect(await inBothVoices(customer, { metadata: PATIENT })).toEqual(['200', '200']);
  });

  it('read_only refuses requests with tools', async () => {
    const { customer } = await standing('read_only');
    const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }];
    const refused = ['budget_read_only', 'budget_read_only'];
    expect(await inBothVoices(customer, { metadata: PATIENT, tools })).toEqual(refused);
    expect((await ask(customer, { metadata: PATIENT })).code).toBe('200');
  });

  it('read_only blocks the actions of a session that change something', async () => {
    const scope = { scope: 'agent_session', scope_ref: 's1' };
    const { customer } = await standing('read_only', scope, { session_id: 's1' });
    const call = async (path: string, body: object, credential = customer.key) =>
      (await rest<Asked>(app, 'POST', `/v1/gw/tools${path}`, { credential, body })).body;
    await call('/register', { tool_key: 'desk', verbs: ['read', 'update'] }, customer.token);
    const act = (verb: string, session_id: string) =>
      call('/execute', { tool_key: 'desk', verb, arguments: {}, session_id });
    expect(await act('update', 's1')).toMatchObject({
      decision: 'block',
      guard: 'budget_read_only',
      status: 'blocked',
    });
    expect(await act('read', 's1')).toMatchObject({ decision: 'allow' });
    expect(await act('update', 's2')).toMatchObject({ decision: 'allow' });
  });

  it('hard_stop refuses every request that the budget concerns, and no other', async () => {
    const { customer } = await standing('hard_stop');
    const refused = ['budget_hard_stop', 'budget_hard_stop'];
    expect(await inBothVoices(customer, { metadata: PATIENT })).toEqual(refused);
    expect(await inBothVoices(customer, { model: 'gw:auto' })).toEqual(refused);
    const elsewhere = { metadata: { feature: 'elsewhere' } };
    expect(await inBothVoices(customer, elsewhere)).toEqual(['200', '200']);
    expect(await inBothVoices(await newCustomer(app, 10))).toEqual(['200', '200']);
  });
});

describe('a ladder', () => {
  it('is climbed by spending alone, on every node, each step told once', async () => {
    const customer = await newCustomer(app, 100);
    const { body } = await setBudget(app, customer.token, { ...TERMS, hard_cap: 10 });
    expect(body).toMatchObject({ ladder: true, ladder_step: null });
    const nodes = [app, other];
    for (let spent = 0; spent < 10; spent += 1) {
      const sent = { metadata: PATIENT };
      expect((await ask(customer, sent, nodes[spent % 2])).code).toBe('200');
    }
    await expect
      .poll(() => stepsTold(customer.tenantId), { timeout: 10_000 })
      .toEqual(LADDER.codes);
    for (const node of nodes) {
      expect((await ask(customer, { metadata: PATIENT }, node)).code).toBe('budget_hard_stop');
    }
    const query = '{ budgets { nodes { ladder ladderStep } } }';
    expect((await graphql(other, query, {}, customer.token)).data).toEqual({
      budgets: { nodes: [{ ladder: true, ladderStep: 'hard_stop' }] },
    });
  });

  it('keeps its step when less is counted, and gives it up when the cap is raised', async () => {
    const { customer, id, terms } = await standing('hard_stop');
    const lessen = 'UPDATE budget_counter SET spent_micro = 0 WHERE budget_id = $1';
    await app.owner.pool.query(lessen, [id]);
    await setBudget(app, customer.token, { ...terms, hard_cap: CAPS.hard_stop });
    expect(await inBothVoices(customer)).toEqual(['budget_hard_stop', 'budget_hard_stop']);
    const raised = await setBudget(app, customer.token, { ...terms, hard_cap: 5 });
    expect(raised.body).toMatchObject({ ladder_step: null });
    expect(await inBothVoices(customer)).toEqual(['200', '200']);
    expect(await stepsTold(customer.tenantId)).toEqual(LADDER.codes);
  });

  it('acts only where it is switched on', async () => {
    const { customer, terms } = await standing('hard_stop');
    const off = { ...terms, ladder: false, hard_cap: 1 };
    expect((await setBudget(app, customer.token, off)).body).toMatchObject({ ladder_step: null });
    expect(await inBothVoices(customer, { model: PREMIUM })).toEqual(['200', '200']);
  });
});
