import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Customer, newCustomer, rest, type TestApp } from '../support/app.js';
import { BASIC, PREMIUM, startFleet } from './economics/fleet.js';

// The words of the specification's rows of routing and workloads have the effect that they name.

let app: TestApp;
let customer: Customer;
beforeAll(async () => {
  app = await startFleet();
  customer = await newCustomer(app);
});
afterAll(() => app?.stop());

type Body = Record<string, unknown>;
type Answer = Body & { readonly error: { readonly faults: readonly { readonly path: string }[] } };

const post = (path: string, body: Body, who = customer) =>
  rest<Answer>(app, 'POST', `/v1/gw/${path}`, { body, credential: who.token });

describe('a route policy of nothing but the words of its row', () => {
  const words = {
    objective: 'cost',
    min_quality: 0.555,
    max_cost: 900,
    max_latency: 30_000,
    fallback: PREMIUM,
  };

  it('holds for every use case without a policy, by the limits that they name', async () => {
    const { status, body } = await post('routing/policies', words);
    expect([status, body]).toMatchObject([
      200,
      {
        policy_key: 'default',
        objective: 'LOWEST_COST',
        quality_floor_basis_points: 5_550,
        cost_rub_max: 900,
        latency_ms_max: 30_000,
        fallback_model: PREMIUM,
      },
    ]);
    const simulated = await post('routing/simulate', { input_tokens: 1_000, use_case: 'any' });
    expect(simulated.body).toMatchObject({
      quality_floor_basis_points: 5_550,
      terms: { contract_key: 'default', latency_ms_max: 30_000 },
    });
  });

  it.each([
    ['80 is no share', { min_quality: 80 }, ['min_quality']],
    ['a fifth decimal is not rounded', { min_quality: 0.55555 }, ['min_quality']],
    ['a text is no share', { min_quality: '0.5' }, ['min_quality']],
    [
      'a quality is stated once',
      { min_quality: 0.5, quality_floor_basis_points: 5_000 },
      ['quality_floor_basis_points'],
    ],
    ['an unknown limit is named', { max_tokens: 5 }, ['max_tokens']],
  ])('refuses by its name what it cannot read: %s', async (_, more, paths) => {
    const { status, body } = await post('routing/policies', { objective: 'cost', ...more });
    expect([status, body.error.faults.map(({ path }) => path)]).toEqual([400, paths]);
  });
});

describe('a scorecard', () => {
  const stated = { use_case: 'words', model: BASIC, quality: 0.91, cost: 0.04, latency: 900 };

  it('is declared by the words of its row, and decides by them', async () => {
    const { status, body } = await post('routing/model-scorecards', {
      ...stated,
      source: 'declared',
    });
    expect([status, body]).toMatchObject([
      200,
      { source: 'DECLARED', quality_basis_points: 9_100, cost_rub: 0.04, latency_ms: 900 },
    ]);
    const simulated = await post('routing/simulate', { input_tokens: 10, use_case: 'words' });
    const candidates = simulated.body.candidates as Body[];
    expect(candidates.find(({ model }) => model === BASIC)).toMatchObject({
      quality_basis_points: 9_100,
      latency_ms: 900,
    });
  });

  it('of an evaluation refuses stated figures by their names', async () => {
    const { status, body } = await post('routing/model-scorecards', {
      ...stated,
      source: 'evaluation',
    });
    expect([status, body.error.faults.map(({ path }) => path)]).toEqual([
      400,
      ['quality', 'latency', 'cost', 'evaluation_receipt_id'],
    ]);
  });
});

describe('a routing contract of nothing but the words of its row', () => {
  it('holds for the next decision, its margin where a revenue is stated', async () => {
    const who = await newCustomer(app);
    const made = await post(
      'adaptive-routing/contracts',
      {
        quality_floor: 0.1,
        allow_list: [PREMIUM, BASIC],
        margin: 0.5,
        exploration: 0,
        mode: 'quality_first',
      },
      who,
    );
    expect([made.status, made.body]).toMatchObject([
      200,
      {
        contract_key: 'default',
        mode: 'QUALITY_FIRST',
        quality_floor_basis_points: 1_000,
        models_allowed: [PREMIUM, BASIC],
        margin_basis_points_min: 5_000,
        exploration_basis_points: 0,
        revenue_rub: null,
      },
    ]);
    const decide = async (request_id: string, more: Body = {}) => {
      const asked = { request_id, input_tokens: 1_000, output_tokens_max: 500, ...more };
      return (await post('adaptive-routing/decide', asked, who)).body;
    };
    const noteOf = ({ stages }: Body) =>
      (stages as Body[]).find(({ stage }) => stage === 'MARGIN_FIREWALL')?.note;
    const unknown = await decide('margin-1');
    expect(unknown).toMatchObject({ model: PREMIUM, verdict: 'ROUTED' });
    expect(noteOf(unknown)).toBe(
      'A margin of 50 % is demanded; what the request earns is not stated.',
    );
    const cost = Number(unknown.expected_cost_rub);
    const poor = await decide('margin-2', { revenue_rub: cost });
    expect(poor).toMatchObject({ model: BASIC, commercial_influence: 'none' });
    expect(noteOf(poor)).toBe('A margin of 50 % is demanded; nothing was reordered.');
    expect(await decide('margin-3', { revenue_rub: 10 * cost })).toMatchObject({ model: PREMIUM });
    const verified = await rest<Body>(
      app,
      'GET',
      `/v1/gw/adaptive-routing/receipts/${poor.id}/verify`,
      { credential: who.token },
    );
    expect(verified.body).toMatchObject({ valid: true, decision_identical: true });
    const idle = await post('adaptive-routing/decide', { request_id: 'idle', revenue: 1 });
    expect([idle.status, idle.body.error.faults.map(({ path }) => path)]).toEqual([
      400,
      ['revenue'],
    ]);
  });
});

describe('plans of workloads', () => {
  it('compile items whose component nobody has named, within budgets by component', async () => {
    const { body } = await post('workloads/compile', {
      token_budget: 1_000,
      budgets: { retrieval: 300, OTHER: 100 },
      items: [
        { id: 'rule', tokens: 90, priority: 'must' },
        { id: 'note', tokens: 90, priority: 'should' },
        { id: 'passage', component: 'retrieval', tokens: 300, priority: 'could' },
      ],
    });
    expect(body).toMatchObject({
      verdict: 'COMPILED',
      kept: ['rule', 'passage'],
      cut: [{ item_id: 'note', component: 'OTHER', reason: 'COMPONENT_BUDGET' }],
    });
  });

  it('bound an answer by its schema alone, and say what leaves one open', async () => {
    const closed = await post('workloads/output-plan', { schema: { enum: ['yes', 'no'] } });
    expect(closed.body).toEqual({
      verdict: 'PLANNED',
      basis: 'SCHEMA',
      max_tokens: 5,
      spared_tokens: null,
      reason: null,
      needed: [],
      authoritative: false,
      provenance: 'declared',
    });
    const schema = {
      type: 'object',
      properties: { name: { type: 'string' }, tags: { type: 'array', items: {} } },
    };
    const open = await post('workloads/output-plan', { schema });
    expect(open.body).toMatchObject({
      verdict: 'CANNOT_PLAN',
      max_tokens: null,
      needed: [
        'json_schema.additionalProperties: false',
        'json_schema.properties.name.maxLength',
        'json_schema.properties.tags.maxItems',
        'json_schema.properties.tags.items.type',
        'or model_tokens_max',
      ],
    });
    const nothing = await post('workloads/output-plan', {});
    expect(nothing.body).toMatchObject({ verdict: 'CANNOT_PLAN', basis: null });
    const wrong = await post('workloads/output-plan', { schema: 'string' });
    expect([wrong.status, wrong.body.error.faults[0]?.path]).toEqual([400, 'schema']);
  });
});
