import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMPLEXITY_SIGNS } from '../../../src/routing/decision/complexity.rules.js';
import { COMPLEXITIES, ROUTE_REJECTIONS } from '../../../src/routing/decision/vocabulary.js';
import { ECONOMICS_RULES } from '../../../src/routing/economics/vocabulary.js';
import { newPolicy } from '../../journeys/people.js';
import { type Customer, graphql, newCustomer, rest, type TestApp } from '../../support/app.js';
import { ABROAD, BASIC, PREMIUM, startFleet } from './fleet.js';

let app: TestApp;
let customer: Customer;
let other: Customer;
beforeAll(async () => {
  app = await startFleet();
  customer = await newCustomer(app);
  other = await newCustomer(app);
});
afterAll(() => app?.stop());

const ROUTING = '/v1/gw/routing';
type Body = Record<string, unknown>;
interface Decision extends Body {
  readonly model: string | null;
  readonly candidates: readonly { model: string; rejection: string | null; reason: string }[];
  readonly error: { code: string; param: string; faults: { path: string; message: string }[] };
}

const post = (path: string, body: Body, credential?: string) =>
  rest<Decision>(app, 'POST', ROUTING + path, { body, credential });
const get = (path: string, credential?: string) =>
  rest<Body & { data: Body[] }>(app, 'GET', ROUTING + path, { credential });

/** A short request: the floor of its complexity is 55 %. */
const SHORT = { input_tokens: 1_000, output_tokens_max: 500 };
const simulate = async (body: Body = {}, who = customer) =>
  (await post('/simulate', { ...SHORT, ...body }, who.key)).body;

describe('the reference', () => {
  it('is public, and lists what the rules read, with every model of this server', async () => {
    const { status, body } = await get('/reference');
    expect(status).toBe(200);
    expect(body.complexities).toEqual(
      COMPLEXITIES.rows.map(({ qualityFloorBasisPoints, ...row }) => ({
        ...row,
        quality_floor_basis_points: qualityFloorBasisPoints,
      })),
    );
    expect(body.complexity_signs).toEqual(
      COMPLEXITY_SIGNS.map(({ code, description, points }) => ({ code, description, points })),
    );
    expect([body.rejections, body.hard_rules]).toEqual([
      ROUTE_REJECTIONS.rows,
      ECONOMICS_RULES.rows,
    ]);
    const nominal = body.nominal_scorecards as Body[];
    expect(nominal.find(({ model }) => model === PREMIUM)).toEqual({
      model: PREMIUM,
      operation: 'chat',
      is_simulated: false,
      source: 'NOMINAL',
      quality_basis_points: 9_000,
      latency_ms: 4_000,
    });
  });
});

describe('a simulated decision', () => {
  it('every_rejection_has_a_reason: the cheapest that passes, against the best', async () => {
    const answer = await simulate({ needs: ['text'] });
    expect(answer).toMatchObject({
      verdict: 'ROUTED',
      model: ABROAD,
      complexity: 'SIMPLE',
      quality_floor_basis_points: 5_500,
      baseline_model: PREMIUM,
      baseline_cost_rub: 0.5,
      expected_cost_rub: 0.0015,
      cost_saved_rub: 0.4985,
      use_case: 'default',
      terms: { origin: 'DEFAULT', mode: 'COST_CONTROLLED' },
      features: { text_tokens: 1_000, jurisdictions_allowed: ['rf', 'outside'] },
      authoritative: false,
      provenance: 'estimated',
    });
    expect(answer.candidates.map(({ model, rejection }) => [model, rejection])).toEqual([
      [ABROAD, null],
      [BASIC, 'lower_utility'],
      [PREMIUM, 'lower_utility'],
      ['sandbox/gw-mini', 'simulated'],
      ['sandbox/gw-pro', 'simulated'],
    ]);
    for (const { rejection, reason } of answer.candidates) {
      expect(reason === null).toBe(rejection === null);
    }
    const { data } = await graphql(
      app,
      `{ routeSimulate(input: { inputTokens: 1000, outputTokensMax: 500 })
        { model costSavedRub } }`,
      {},
      customer.token,
    );
    expect(data).toEqual({ routeSimulate: { model: ABROAD, costSavedRub: '0.4985' } });
  });

  it('gates_before_price: quality, cost, latency and needs come before what is cheap', async () => {
    const harder = await simulate({ needs: ['text', 'reasoning'] });
    expect([harder.complexity, harder.model]).toEqual(['COMPLEX', PREMIUM]);
    const capped = { policy_key: 'capped', objective: 'HIGHEST_QUALITY', cost_rub_max: 0.1 };
    expect((await post('/policies', capped, customer.key)).status).toBe(200);
    const dear = await simulate({ policy_key: 'capped' });
    expect([dear.model, rejectionOf(dear, PREMIUM)]).toEqual([ABROAD, 'cost_above_limit']);
    const quick = { policy_key: 'quick', objective: 'LOWEST_COST', latency_ms_max: 2_000 };
    await post('/policies', quick, customer.key);
    const soon = await simulate({ policy_key: 'quick' });
    expect([soon.model, rejectionOf(soon, ABROAD)]).toEqual([BASIC, 'latency_above_limit']);
    const none = {
      policy_key: 'none',
      objective: 'LOWEST_COST',
      quality_floor_basis_points: 9_900,
    };
    await post('/policies', { ...none, fallback_model: BASIC }, customer.key);
    const fallback = await simulate({ policy_key: 'none' });
    expect([fallback.verdict, fallback.model]).toEqual(['FALLBACK', BASIC]);
  });

  it('data_class_opens_routes: as the chat path, and a policy of the project counts', async () => {
    for (const data_class of ['C3', 'C4']) {
      const personal = await simulate({ data_class });
      expect([personal.model, rejectionOf(personal, ABROAD)]).toEqual([
        BASIC,
        'data_route_forbidden',
      ]);
    }
    const stated = { ...SHORT, jurisdictions_allowed: ['rf', 'outside'], data_class: 'C4' };
    expect((await post('/simulate', stated, customer.key)).body.model).toBe(BASIC);
    const inside = await newCustomer(app);
    await newPolicy(app, inside.token, {
      name: 'inside',
      hybrid: 'rf_only',
      allowed_models: [ABROAD, PREMIUM],
      limits: { max_output_tokens: 100 },
    });
    const answer = await simulate({}, inside);
    expect(answer).toMatchObject({
      model: PREMIUM,
      expected_cost_rub: 0.26,
      features: { output_tokens_max: 100, models_allowed: [ABROAD, PREMIUM] },
    });
    expect([rejectionOf(answer, ABROAD), rejectionOf(answer, BASIC)]).toEqual([
      'data_route_forbidden',
      'not_allowed',
    ]);
  });

  it('simulation_writes_nothing: no table has a row more or less', async () => {
    const before = await rowsOfTables();
    const fresh = { use_case: 'never-asked-before', data_class: 'C2', turns: 9 };
    expect((await simulate(fresh)).verdict).toBe('ROUTED');
    expect(await rowsOfTables()).toEqual(before);
    await post('/decide', { request_id: 'writes', ...SHORT, ...fresh }, customer.key);
    expect(await rowsOfTables()).not.toEqual(before);
  });

  it('names every fault of its input, and a policy that nobody has published', async () => {
    const wrong = { input_tokens: -1, turns: -1, needs: ['text'], data_class: 'C1' };
    const { status, body } = await post('/simulate', wrong, customer.key);
    expect([status, body.error.faults.map(({ path }) => path)]).toEqual([
      400,
      ['input_tokens', 'turns'],
    ]);
    await post('/policies', { policy_key: 'support', objective: 'BALANCED' }, customer.key);
    const unknown = await post('/simulate', { ...SHORT, policy_key: 'suport' }, customer.key);
    expect([unknown.status, unknown.body.error.param]).toEqual([400, 'policy_key']);
    expect(unknown.body.error.faults[0]?.message).toContain('did you mean support?');
    const foreign = await post('/simulate', { ...SHORT, policy_key: 'support' }, other.key);
    expect([foreign.status, foreign.body.error.param]).toEqual([400, 'policy_key']);
  });
});

describe('a decision', () => {
  const ASKED = { request_id: 'R-1', use_case: 'letters', ...SHORT };

  it('decided_once: the same request again gets the first receipt, whatever it says', async () => {
    const first = await post('/decide', ASKED, customer.key);
    expect([first.status, first.body]).toEqual([
      200,
      expect.objectContaining({ request_id: 'R-1', model: ABROAD, already_sealed: false }),
    ]);
    const again = { ...ASKED, data_class: 'C4', input_tokens: 500 };
    const second = await post('/decide', again, customer.token);
    expect(second.body).toEqual({ ...first.body, already_sealed: true });
    const own = await post('/decide', again, other.key);
    expect(own.body).toMatchObject({ already_sealed: false, model: BASIC });
  });

  it('receipt_decides_again: it holds all inputs, and is another tenant’s to nobody', async () => {
    const { body } = await post('/decide', { ...ASKED, request_id: 'R-2' }, customer.key);
    const read = await get(`/decisions/${body.id}/receipt`, customer.key);
    expect(read.body).toMatchObject({
      id: body.id,
      situation_sha256: body.situation_sha256,
      inputs: {
        seed: 'R-2',
        incumbent: null,
        features: { text_tokens: 1_000 },
        use_case: 'letters',
        // Nothing is laid down of it.
        situation: { use_case: 'default', terms: { origin: 'DEFAULT' } },
      },
    });
    const query = `query($id: String!) { routingReceiptVerification(id: $id) { valid }
      routingReceiptReexecution(id: $id) { identical differences { path } } }`;
    const { data } = await graphql(app, query, { id: body.id }, customer.token);
    expect(data).toEqual({
      routingReceiptVerification: { valid: true },
      routingReceiptReexecution: { identical: true, differences: [] },
    });
    expect((await get(`/decisions/${body.id}/receipt`, other.key)).status).toBe(404);
    expect((await get('/decisions/R-2/receipt', customer.key)).status).toBe(400);
    const foreign = await graphql(app, query, { id: body.id }, other.token);
    expect(foreign.errors?.map(({ extensions }) => extensions.code)).toContain('not_found');
  });

  it.each([
    ['default', 'default'],
    ['a use of which nothing is laid down', 'laid-down-nowhere'],
  ])('names the situation by the hash that the chat path names it by: %s', async (_, useCase) => {
    const asked = { ...ASKED, use_case: useCase, request_id: `R-3 ${useCase}` };
    const { body } = await post('/decide', asked, customer.key);
    const { situations } = app.server.services;
    const known = await situations.now({
      tenantId: customer.tenantId,
      operation: 'chat',
      useCase,
      policyKey: undefined,
      day: new Date(Date.now() + 3 * 3_600_000).toISOString().slice(0, 10),
    });
    expect(body.situation_sha256).toBe(known?.sha256);
    expect(await simulate({ use_case: useCase })).toMatchObject({ use_case: useCase });
  });

  it('of a request that no model may answer says so, and is sealed too', async () => {
    const many = { ...ASKED, request_id: 'R-4', input_tokens: 2_000_000_000 };
    const { body } = await post('/decide', many, customer.key);
    expect(body).toMatchObject({ verdict: 'CANNOT_ROUTE', model: null, cost_saved_rub: null });
    expect(rejectionOf(body, PREMIUM)).toBe('context_too_long');
  });
});

describe('route policies', () => {
  it('versions_only_grow: each holds from the next decision on, for its own tenant', async () => {
    const terms = { policy_key: 'growing', objective: 'LOWEST_COST' };
    const first = await post('/policies', terms, customer.key);
    expect(first.body).toMatchObject({ ...terms, version: 1, models_allowed: [] });
    expect((await simulate({ use_case: 'growing' })).model).toBe(ABROAD);
    await post('/policies', { ...terms, objective: 'HIGHEST_QUALITY' }, customer.key);
    const after = await simulate({ use_case: 'growing' });
    expect(after).toMatchObject({
      model: PREMIUM,
      terms: { origin: 'ROUTE_POLICY', contract_key: 'growing', contract_version: 2 },
    });
    expect((await simulate({ use_case: 'growing' }, other)).model).toBe(ABROAD);
    const listed = await get('/policies?policy_key=growing', customer.key);
    expect(listed.body.data.map(({ version, objective }) => [version, objective])).toEqual([
      [2, 'HIGHEST_QUALITY'],
      [1, 'LOWEST_COST'],
    ]);
    expect((await get('/policies?policy_key=growing', other.key)).body.data).toEqual([]);
  });

  it('refuse models that nobody knows, and a fallback that cannot answer', async () => {
    const wrong = {
      policy_key: 'a key',
      objective: 'LOWEST_COST',
      models_allowed: ['home/basik', BASIC, BASIC, 'gw:auto'],
      fallback_model: 'home/premum',
      latency_ms_max: 0,
    };
    const { status, body } = await post('/policies', wrong, customer.key);
    expect(status).toBe(400);
    expect(body.error.faults.map(({ path }) => path)).toEqual([
      'latency_ms_max',
      'policy_key',
      'models_allowed.0',
      'models_allowed.2',
      'models_allowed.3',
      'fallback_model',
      'fallback_model',
    ]);
    const messages = body.error.faults.map(({ message }) => message).join();
    expect(messages).toContain('did you mean home/basic');
    expect(messages).toContain('did you mean home/premium');
    const away = { policy_key: 'away', objective: 'LOWEST_COST', models_allowed: [UNCONFIGURED] };
    expect((await post('/policies', away, customer.key)).status).toBe(200);
    const fallback = await post(
      '/policies',
      { ...away, fallback_model: UNCONFIGURED },
      customer.key,
    );
    expect(fallback.body.error.faults.map(({ message }) => message)).toEqual([
      `fallback_model names ${UNCONFIGURED}, whose provider is not set up on this server.`,
    ]);
    expect((await get('/policies?policy_key=a%20key', customer.key)).body.data).toEqual([]);
  });
});

/** The catalogue lists it, and nobody has set its provider up. */
const UNCONFIGURED = 'yandex/yandexgpt-lite';

function rejectionOf({ candidates }: Decision, model: string) {
  return candidates.find((one) => one.model === model)?.rejection;
}

/** How many rows each table has, but for the marks of readers that run beside the requests. */
async function rowsOfTables(): Promise<Record<string, number>> {
  const { pool } = app.owner;
  const { rows } = await pool.query<{ name: string }>(
    `SELECT format('%I', tablename) AS name FROM pg_tables
     WHERE schemaname = 'public' AND tablename <> 'reader_mark' ORDER BY 1`,
  );
  const counts: Record<string, number> = {};
  for (const { name } of rows) {
    const counted = await pool.query<{ count: number }>(`SELECT count(*)::int FROM ${name}`);
    counts[name] = counted.rows[0]?.count ?? -1;
  }
  return counts;
}
