import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Customer, newCustomer, rest } from '../../support/app.js';
import { LIVE, type LiveApp, startLiveApp } from '../../support/live-app.js';
import { plantAnswers } from './planted-usage.js';
import { ADAPTIVE, freshRequest } from './samples.js';

const MINI = 'sandbox/gw-mini';

let app: LiveApp;
let customer: Customer;
let other: Customer;
beforeAll(async () => {
  app = await startLiveApp();
  customer = await newCustomer(app, 1_000);
  other = await newCustomer(app, 1_000);
});
afterAll(() => app.stop());

type Body = Record<string, unknown>;
type Answer = Body & {
  error: { code: string; param: string; faults?: readonly { path: string; message: string }[] };
};

const post = (path: string, body: Body, who = customer) =>
  rest<Answer>(app, 'POST', ADAPTIVE + path, { body, credential: who.key });
const report = (body: Body, who = customer) => post('/outcomes', body, who);
const portfolio = async (query = '', who = customer) =>
  (await rest<Body>(app, 'GET', `${ADAPTIVE}/portfolio${query}`, { credential: who.key })).body;

/** A real request; the id of its usage row. */
async function asked(model: string, feature?: string, who = customer): Promise<string> {
  const body = {
    model,
    messages: [{ role: 'user', content: 'hello' }],
    ...(feature && { metadata: { feature } }),
  };
  const answer = await rest<{ gw_routing: { request_id: string } }>(
    app,
    'POST',
    '/v1/chat/completions',
    { credential: who.key, body },
  );
  return answer.body.gw_routing.request_id;
}

async function usageRow(id: string) {
  const { rows } = await app.owner.pool.query<{ cost: string; latency: number }>(
    'SELECT amount_micro AS cost, latency_ms AS latency FROM usage_event WHERE id = $1',
    [id],
  );
  return { costRub: Number(rows[0]?.cost) / 1_000_000, latencyMs: rows[0]?.latency };
}

const NOTHING = {
  outcomes: 0,
  accepted: 0,
  corrected: 0,
  rejected: 0,
  acceptance_basis_points: null,
  acceptance_low_basis_points: null,
  acceptance_high_basis_points: null,
  mean_cost_rub: null,
  mean_latency_ms: null,
  declared_mean_cost_rub: null,
  declared_mean_latency_ms: null,
};

describe('the portfolio', () => {
  it('empty_window_refuses: without outcomes nothing is certified', async () => {
    const { from, to, ...body } = await portfolio();
    expect(body).toEqual({
      verdict: 'cannot_certify',
      reason: 'The window has no outcome that is evidence.',
      needed: ['an outcome of an answer that a real model has given'],
      ...NOTHING,
      explored: NOTHING,
      not_explored: NOTHING,
      use_cases: [],
      aside: NOTHING,
      provenance: 'live_measured',
    });
    expect(Date.parse(String(to)) - Date.parse(String(from))).toBe(30 * 86_400_000);
    const wrong = await portfolio('?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z');
    expect((wrong as Answer).error.code).toBe('invalid_request');
  });

  it('is measured from recorded requests: share, interval, cost and latency', async () => {
    const who = other;
    const id = await asked(LIVE, 'support', who);
    const { costRub, latencyMs } = await usageRow(id);
    const { tenantId } = who;
    const routed = { use_case: 'support', explored: true };
    const planted = await plantAnswers(app, {
      tenantId,
      model: LIVE,
      times: 3,
      hoursAgo: 0,
      routed,
    });
    const [first = '', second = '', third = ''] = planted;
    const simulated = await asked(MINI, 'support', who);
    for (const [request_id, outcome] of [
      [id, 'accepted'],
      [first, 'accepted'],
      [second, 'corrected'],
      [third, 'rejected'],
      [simulated, 'rejected'],
    ]) {
      expect((await report({ request_id, outcome }, who)).status).toBe(200);
    }
    const half = {
      acceptance_basis_points: 5_000,
      acceptance_low_basis_points: 1_500,
      acceptance_high_basis_points: 8_500,
    };
    const figures = {
      ...NOTHING,
      outcomes: 4,
      accepted: 2,
      corrected: 1,
      rejected: 1,
      ...half,
      mean_cost_rub: costRub,
      mean_latency_ms: latencyMs,
    };
    const body = await portfolio('', who);
    expect(body).toMatchObject({
      verdict: 'certified',
      reason: null,
      needed: [],
      ...figures,
      explored: { outcomes: 3, accepted: 1 },
      not_explored: { outcomes: 1, accepted: 1 },
      use_cases: [{ use_case: 'support', ...figures, models: [{ model: LIVE, ...figures }] }],
      aside: { outcomes: 1, rejected: 1 },
      provenance: 'live_measured',
    });
    expect(await portfolio('?use_case=support', who)).toMatchObject({ outcomes: 4 });
    expect(await portfolio('?use_case=letters', who)).toMatchObject({ verdict: 'cannot_certify' });
    expect(await portfolio()).toMatchObject({ outcomes: 0 });
  });
});

describe('an outcome', () => {
  it('takes its figures from the recorded request, and refuses others', async () => {
    const id = await asked(LIVE, 'letters');
    const { costRub, latencyMs } = await usageRow(id);
    const wrong = await report({
      request_id: id,
      outcome: 'accepted',
      use_case: 'support',
      model: MINI,
      cost_rub: 77,
      latency_ms: 86_399_999,
    });
    expect(wrong.body.error.faults?.map(({ message }) => message)).toEqual([
      'use_case must be letters, as recorded.',
      `model must be ${LIVE}, as recorded.`,
      `cost_rub must be ${costRub}, as recorded.`,
      `latency_ms must be ${latencyMs}, as recorded.`,
    ]);
    const stated = { use_case: 'letters', model: LIVE, cost_rub: costRub, latency_ms: latencyMs };
    const right = await report({ request_id: id, outcome: 'accepted', ...stated });
    expect([right.status, { ...right.body, recorded_at: '' }]).toEqual([
      200,
      {
        request_id: id,
        outcome: 'accepted',
        ...stated,
        source: 'usage',
        explored: false,
        simulated: false,
        is_evidence: true,
        duplicate: false,
        added: [],
        recorded_at: '',
      },
    ]);
  });

  it('is recorded once: the same again is a duplicate, another one is refused', async () => {
    const id = await asked(LIVE);
    const racers = Array.from({ length: 8 }, () => report({ request_id: id, outcome: 'rejected' }));
    const told = await Promise.all(racers);
    expect(told.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(told.filter(({ body }) => body.duplicate === false)).toHaveLength(1);
    const changed = await report({ request_id: id, outcome: 'accepted' });
    expect([changed.status, changed.body.error.code, changed.body.error.param]).toEqual([
      409,
      'routing_outcome_differs',
      'outcome',
    ]);
    const { rows } = await app.owner.pool.query<{ value: string }>(
      `SELECT value FROM journal_entry WHERE kind = 'routing_outcome' AND subject = $1`,
      [id],
    );
    expect(rows).toEqual([{ value: 'rejected' }]);
  });

  it('of a request that nobody made or decided, or of another, is not found', async () => {
    const own = await asked(LIVE);
    const decided = freshRequest();
    await post('/decide', { request_id: decided });
    for (const [id, who] of [
      [freshRequest(), customer],
      ['018f3b4c-7a10-7003-8000-000000000001', customer],
      [own, other],
      [decided, other],
    ] as const) {
      const { status, body } = await report({ request_id: id, outcome: 'accepted' }, who);
      expect([status, body.error.code]).toEqual([404, 'not_found']);
    }
  });

  it('of a sealed decision has its model; what it cost is stated, and stays apart', async () => {
    const id = freshRequest();
    await post('/decide', { request_id: id, use_case: 'elsewhere' });
    const wrong = await report({ request_id: id, outcome: 'accepted', model: MINI });
    expect(wrong.status).toBe(400);
    const { body } = await report({
      request_id: id,
      outcome: 'accepted',
      cost_rub: 2.5,
      latency_ms: 40,
    });
    expect(body).toMatchObject({ use_case: 'elsewhere', model: LIVE, source: 'receipt' });
    expect(await portfolio('?use_case=elsewhere')).toMatchObject({
      ...NOTHING,
      outcomes: 1,
      accepted: 1,
      acceptance_basis_points: 10_000,
      acceptance_low_basis_points: 2_065,
      acceptance_high_basis_points: 10_000,
      declared_mean_cost_rub: 2.5,
      declared_mean_latency_ms: 40,
    });
  });

  it('of a sealed decision is completed by later reports, and never changed by them', async () => {
    const id = freshRequest();
    await post('/decide', { request_id: id, use_case: 'completed' });
    const first = await report({ request_id: id, accepted: true });
    expect(first.body).toMatchObject({ cost_rub: null, latency_ms: null, duplicate: false });
    const priced = await report({ request_id: id, accepted: true, cost: 2.5 });
    expect([priced.status, priced.body]).toEqual([
      200,
      { ...first.body, cost_rub: 2.5, added: ['cost_rub'] },
    ]);
    const timed = await report({ request_id: id, accepted: true, cost: 2.5, latency: 40 });
    expect(timed.body).toMatchObject({ cost_rub: 2.5, latency_ms: 40, added: ['latency_ms'] });
    const known = { ...timed.body, duplicate: true, added: [] };
    for (const said of [{}, { cost: 2.5 }, { latency: 40, cost: 2.5 }]) {
      expect((await report({ request_id: id, accepted: true, ...said })).body).toEqual(known);
    }
    for (const [said, param] of [
      [{ accepted: true, cost: 2.6 }, 'cost'],
      [{ outcome: 'accepted', latency_ms: 41, cost: 2.5 }, 'latency_ms'],
      [{ accepted: false, cost: 2.5 }, 'accepted'],
    ] as const) {
      const { status, body } = await report({ request_id: id, ...said });
      expect([status, body.error.code, body.error.param]).toEqual([
        409,
        'routing_outcome_differs',
        param,
      ]);
    }
    expect(await portfolio('?use_case=completed')).toMatchObject({
      outcomes: 1,
      accepted: 1,
      declared_mean_cost_rub: 2.5,
      declared_mean_latency_ms: 40,
    });
    expect((await report({ request_id: id, accepted: true }, other)).status).toBe(404);
  });

  it('is completed once for each figure, also when reports with other figures race', async () => {
    const id = freshRequest();
    await post('/decide', { request_id: id, use_case: 'raced' });
    await report({ request_id: id, outcome: 'accepted' });
    const costs = [1, 2, 3, 4];
    const told = await Promise.all(
      costs.map((cost) => report({ request_id: id, outcome: 'accepted', cost, latency: 7 })),
    );
    const won = told.flatMap(({ status }, at) => (status === 200 ? [costs[at]] : []));
    expect(won).toHaveLength(1);
    expect(told.filter(({ status }) => status === 409)).toHaveLength(3);
    expect(await portfolio('?use_case=raced')).toMatchObject({
      outcomes: 1,
      declared_mean_cost_rub: won[0],
      declared_mean_latency_ms: 7,
    });
  });

  it('feeds the estimate once it is counted; that of a simulated model feeds none', async () => {
    const { tenantId } = customer;
    const routed = { use_case: 'feeding' };
    const counted = async (model: string, use_case = 'feeding') => {
      const { body } = await post('/decide', { request_id: freshRequest(), use_case });
      const { situation } = body.inputs as { situation: { models: Body[] } };
      const { accepted, rejected } = situation.models.find((one) => one.model === model) ?? {};
      return [accepted, rejected];
    };
    // As long as nothing is reported of a use case, it has what all others have.
    const others = await counted(LIVE, 'default');
    expect(await counted(LIVE)).toEqual(others);
    await asked(LIVE);
    for (const model of [LIVE, MINI]) {
      const times = 3;
      const ids = await plantAnswers(app, { tenantId, model, times, hoursAgo: 0, routed });
      const outcomes = ['accepted', 'corrected', 'accepted'];
      for (const [at, request_id] of ids.entries()) {
        expect((await report({ request_id, outcome: outcomes[at] })).status).toBe(200);
      }
    }
    expect(await counted(LIVE)).toEqual(others);
    // Half a minute passes.
    app.server.services.routingOutcomes.forget(tenantId);
    expect(await counted(LIVE)).toEqual([2, 1]);
    expect(await counted(MINI)).toEqual([0, 0]);
  });
});
