import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Customer, newCustomer, rest } from '../../support/app.js';
import {
  ABROAD,
  BASIC,
  GOOD,
  HIGH,
  type ManyModelsApp,
  startManyModels,
} from '../../support/many-models.js';

let app: ManyModelsApp;
let customer: Customer;
let other: Customer;
beforeAll(async () => {
  app = await startManyModels();
  customer = await newCustomer(app, 1_000);
  other = await newCustomer(app, 1_000);
});
afterAll(() => app.stop());
beforeEach(() => {
  for (const lane of ['basic', 'good', 'high', 'abroad']) app.double.script(lane, {});
});

type Body = Record<string, unknown>;

const SIMPLE = { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 50 };
/** Of class C3: it may only use routes inside Russia. */
const PERSONAL = {
  messages: [{ role: 'user', content: 'Позвоните Ивану Петрову: +7 916 123-45-67' }],
  max_tokens: 50,
};
const TOOLS = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];
const HARD = {
  ...SIMPLE,
  tools: TOOLS,
  max_tokens: 4_000,
  response_format: { type: 'json_object' },
};

interface Routing {
  readonly model: string;
  readonly strategy: string;
  readonly cost_rub: number;
  readonly candidates: readonly Body[];
  readonly decision: Body;
}

async function routed(body: Body, who = customer, model = 'gw:auto'): Promise<Routing> {
  const answer = await rest<{ gw_routing: Routing }>(app, 'POST', '/v1/chat/completions', {
    credential: who.key,
    body: { model, ...body },
  });
  expect(answer.body).toMatchObject({ object: 'chat.completion' });
  return answer.body.gw_routing;
}

/** Publishes a version past the API, so that only the chat path is under test. */
async function publish(who: Customer, kind: string, key: string, body: Body): Promise<void> {
  await app.owner.pool.query(`SELECT append_contract_version($1, $2, $3, $4, $5, $6)`, [
    randomUUID(),
    who.tenantId,
    kind,
    key,
    body,
    randomUUID(),
  ]);
  app.server.services.routing.forget(who.tenantId);
}

const TERMS = {
  mode: 'BALANCED',
  quality_floor_basis_points: null,
  cost_rub_max: null,
  latency_ms_max: null,
  models_allowed: [],
  providers_allowed: [],
  pinned_model: null,
  fallback_model: null,
  when_none_passes: 'NEXT_BEST',
  revenue_rub: null,
  margin_basis_points_min: null,
  exploration_basis_points: 0,
  exploration_loss_basis_points_max: 0,
  hysteresis_basis_points: 0,
};
const contract = (who: Customer, key: string, more: Body) =>
  publish(who, 'routing_contract', key, { contract_key: key, ...TERMS, ...more });

describe('gw:auto without a contract', () => {
  it('takes the cheapest that passes the quality floor, and says of each why', async () => {
    const { model, strategy, candidates, decision } = await routed(SIMPLE);
    expect({ model, strategy }).toEqual({ model: ABROAD, strategy: 'automatic' });
    expect(decision).toMatchObject({
      origin: 'DEFAULT',
      contract: 'default',
      contract_version: 0,
      mode: 'COST_CONTROLLED',
      use_case: 'default',
      kill_switch: 'ACTIVE',
      verdict: 'ROUTED',
      complexity: 'SIMPLE',
      quality_floor_basis_points: 5_500,
      explored: false,
      kept_incumbent: false,
      baseline_model: HIGH,
      candidates_total: 4,
    });
    expect(decision.stages).toEqual([
      { stage: 'HARD_GATES', candidates_left: 4, leader: BASIC },
      { stage: 'UTILITY', candidates_left: 4, leader: ABROAD },
      { stage: 'MARGIN_FIREWALL', candidates_left: 4, leader: ABROAD },
      { stage: 'EXPLORATION', candidates_left: 4, leader: ABROAD },
      { stage: 'HYSTERESIS', candidates_left: 4, leader: ABROAD },
    ]);
    const told = candidates.map(({ model: id, chosen, rejected }) => [id, chosen, rejected]);
    expect(told).toEqual([
      [BASIC, false, 'lower_utility'],
      [GOOD, false, 'lower_utility'],
      [HIGH, false, 'lower_utility'],
      [ABROAD, true, undefined],
    ]);
  });

  it('keeps personal data inside Russia, at the price of a dearer model', async () => {
    const { model, candidates } = await routed(PERSONAL);
    expect(model).toBe(BASIC);
    expect(candidates.find((each) => each.model === ABROAD)).toMatchObject({
      rejected: 'data_route_forbidden',
      reason: 'its route is outside',
    });
  });

  it('asks more of the model where the request is harder', async () => {
    const { decision, candidates } = await routed({ ...HARD, ...personal(HARD) });
    expect(decision).toMatchObject({ complexity: 'STANDARD', quality_floor_basis_points: 6_500 });
    expect(candidates.find((each) => each.model === BASIC)).toMatchObject({
      rejected: 'quality_below_floor',
      reason: 'its quality is 60 %, the floor is 65 %',
    });
  });

  it('is answered by the next best where the chosen one fails', async () => {
    app.double.script('abroad', { status: 500 });
    const { model, decision } = await routed(SIMPLE);
    expect(model).toBe(BASIC);
    expect(decision.verdict).toBe('ROUTED');
  });
});

function personal(body: Body): Body {
  return { ...body, messages: PERSONAL.messages };
}

describe('a use case', () => {
  it('of which nothing is laid down is told as it is named, and stores no situation', async () => {
    const count = async () => {
      const { rows } = await app.owner.pool.query<{ stored: number }>(
        'SELECT count(*)::int AS stored FROM routing_situation WHERE tenant_id = $1',
        [customer.tenantId],
      );
      return rows[0]?.stored;
    };
    await routed(SIMPLE);
    const before = await count();
    const names = ['letters', '__proto__', 'constructor', 'a\nb', '"', 'я'.repeat(500)];
    for (const feature of names) {
      const { decision } = await routed({ ...SIMPLE, metadata: { feature } });
      expect(decision.contract).toBe('default');
    }
    expect(await count()).toBe(before);
  });
});

describe('a contract of the use case', () => {
  it('decides from the next request on, for its own organization alone', async () => {
    await contract(customer, 'support', { mode: 'QUALITY_FIRST' });
    const body = { ...SIMPLE, metadata: { feature: 'support' } };
    const { candidates, ...first } = await routed(body);
    expect(first).toMatchObject({
      model: HIGH,
      jurisdiction: 'rf',
      decision: {
        origin: 'CONTRACT',
        contract: 'support',
        contract_version: 1,
        ties: 'RUSSIA_FIRST',
      },
    });
    expect(candidates.find(({ model }) => model === ABROAD)).toMatchObject({
      rejected: 'lower_utility',
      reason: `its utility is 90 % as well, yet ${HIGH} is in Russia`,
    });
    await contract(customer, 'support', { mode: 'QUALITY_FIRST', models_allowed: [GOOD] });
    expect(await routed(body)).toMatchObject({ model: GOOD, decision: { contract_version: 2 } });
    expect(await routed(body, other)).toMatchObject({
      model: ABROAD,
      decision: { origin: 'DEFAULT', contract_version: 0 },
    });
  });

  it('refuses where nothing passes and the terms say so, and holds nothing then', async () => {
    await contract(customer, 'strict', {
      quality_floor_basis_points: 9_900,
      when_none_passes: 'REFUSE',
    });
    const answer = await rest<{ error: Body }>(app, 'POST', '/v1/chat/completions', {
      credential: customer.key,
      body: { model: 'gw:auto', ...SIMPLE, metadata: { feature: 'strict' } },
    });
    expect(answer.status).toBe(422);
    expect(answer.body.error).toMatchObject({ code: 'cannot_route', param: 'model' });
    expect(answer.body.error.message).toContain('its quality is 90 %, the floor is 99 %');
  });

  it('answers by the fallback model where nothing passes', async () => {
    await contract(customer, 'lenient', {
      quality_floor_basis_points: 9_900,
      fallback_model: GOOD,
    });
    expect(await routed({ ...SIMPLE, metadata: { feature: 'lenient' } })).toMatchObject({
      model: GOOD,
      decision: { verdict: 'FALLBACK' },
    });
  });

  it('lets the fallback model stand in where the only one that passes fails', async () => {
    await contract(customer, 'standing', {
      mode: 'QUALITY_FIRST',
      quality_floor_basis_points: 8_000,
      models_allowed: [BASIC, GOOD, HIGH],
      fallback_model: BASIC,
    });
    app.double.script('high', { status: 500 });
    const body = { ...SIMPLE, metadata: { feature: 'standing' } };
    expect(await routed(body)).toMatchObject({ model: BASIC, decision: { verdict: 'ROUTED' } });
    await contract(customer, 'standing', {
      quality_floor_basis_points: 8_000,
      models_allowed: [BASIC, GOOD, HIGH],
      when_none_passes: 'REFUSE',
    });
    const answer = await rest(app, 'POST', '/v1/chat/completions', {
      credential: customer.key,
      body: { model: 'gw:auto', ...body },
    });
    expect(answer.status).toBe(502);
  });

  it('lets nobody stand in for a pinned model', async () => {
    await contract(customer, 'pinned', { mode: 'FIXED', pinned_model: HIGH });
    const body = { ...SIMPLE, metadata: { feature: 'pinned' } };
    expect(await routed(body)).toMatchObject({ model: HIGH });
    app.double.script('high', { status: 500 });
    const before = app.double.received('good').length;
    const answer = await rest(app, 'POST', '/v1/chat/completions', {
      credential: customer.key,
      body: { model: 'gw:auto', ...body },
    });
    expect(answer.status).toBe(502);
    expect(app.double.received('good')).toHaveLength(before);
  });
});

describe('gw:route/<policy>', () => {
  const policy = (key: string, more: Body) =>
    publish(customer, 'route_policy', key, {
      policy_key: key,
      objective: 'LOWEST_COST',
      quality_floor_basis_points: null,
      cost_rub_max: null,
      latency_ms_max: null,
      models_allowed: [],
      fallback_model: null,
      ...more,
    });

  it('decides by that policy, and by no contract', async () => {
    await policy('best', { objective: 'HIGHEST_QUALITY', models_allowed: [BASIC, HIGH] });
    expect(await routed(SIMPLE, customer, 'gw:route/best')).toMatchObject({
      model: HIGH,
      strategy: 'route_policy',
      decision: { origin: 'ROUTE_POLICY', contract: 'best', contract_version: 1 },
    });
  });

  it('is unknown to everybody but its organization', async () => {
    for (const [who, name] of [
      [other, 'gw:route/best'],
      [customer, 'gw:route/none'],
    ] as const) {
      const answer = await rest<{ error: Body }>(app, 'POST', '/v1/chat/completions', {
        credential: who.key,
        body: { model: name, ...SIMPLE },
      });
      expect(answer.status).toBe(404);
      expect(answer.body.error).toMatchObject({ code: 'model_not_found', param: 'model' });
    }
  });
});

describe('a stream', () => {
  it('is decided likewise, and its last event says so', async () => {
    const response = await fetch(`${app.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${customer.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gw:auto', ...personal(SIMPLE), stream: true }),
    });
    const events = (await response.text()).split('\n\n').filter((one) => one.startsWith('data: {'));
    const last = JSON.parse(events.at(-1)?.slice('data: '.length) ?? '');
    expect(last.gw_routing).toMatchObject({ model: BASIC, decision: { verdict: 'ROUTED' } });
  });
});

describe('a model that fails', () => {
  it('is chosen again once its breaker lets a probe in, and not before', async () => {
    // Of its own, since its limits of a minute are counted by the clock that is moved.
    const who = await newCustomer(app, 1_000);
    await contract(who, 'recovering', { mode: 'QUALITY_FIRST', models_allowed: [GOOD, HIGH] });
    const body = { ...SIMPLE, metadata: { feature: 'recovering' } };
    app.double.script('high', { status: 500 });
    const rejection = async () => {
      const { candidates } = await routed(body, who);
      return candidates.find(({ model }) => model === HIGH)?.rejected;
    };
    await expect.poll(rejection, { timeout: 20_000 }).toBe('unhealthy');
    app.double.script('high', {});
    expect(await routed(body, who)).toMatchObject({ model: GOOD });
    const now = performance.now.bind(performance);
    const later = vi.spyOn(performance, 'now').mockImplementation(() => now() + 400_000);
    try {
      expect(await routed(body, who)).toMatchObject({ model: HIGH });
    } finally {
      later.mockRestore();
    }
  });
});
