import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { BASIC, charge, decided, PREMIUM } from './fleet.js';

let app: TestApp;
let customer: Customer;
let other: Customer;
beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app, 1_000);
  other = await newCustomer(app, 1_000);
});
afterAll(() => app?.stop());

type Body = Record<string, unknown>;

async function portfolio(query = '', who = customer) {
  const path = `/v1/gw/routing/portfolio${query}`;
  return (await rest<Body & { error: Body }>(app, 'GET', path, { credential: who.key })).body;
}

/** What the ledger has charged for requests that a router has decided. */
async function chargedMicro({ tenantId }: Customer): Promise<bigint> {
  const { rows } = await app.owner.pool.query<{ micro: bigint }>(
    `SELECT sum(e.amount_micro)::bigint AS micro
     FROM ledger_entry e JOIN usage_event u ON u.tenant_id = e.tenant_id AND u.id = e.request_id
     WHERE e.tenant_id = $1 AND u.metadata ? 'gw_routing' AND e.type = 'finalize'`,
    [tenantId],
  );
  return rows[0]?.micro ?? 0n;
}

const EMPTY = { requests: 0, spent_rub: 0 };
const NOTHING = {
  verdict: 'cannot_certify',
  reason: 'No real model has answered a decided request in this window.',
  needed: ['requests to gw:auto or to a route policy that a real model answers'],
  from: expect.any(String),
  to: expect.any(String),
  requests: 0,
  spent_rub: null,
  baseline_rub: null,
  cost_saved_rub: null,
  premium_avoided_percent: null,
  use_cases: [],
  simulated: EMPTY,
  others: EMPTY,
  provenance: 'live_measured',
};

describe('a portfolio', () => {
  it('too_few_answers_refuse: of an empty window nothing is certified', async () => {
    expect(await portfolio()).toEqual(NOTHING);
  });

  it('simulated_is_no_evidence: made-up answers stand apart and save nothing', async () => {
    const metadata = decided({ baseline_cost_rub: '900.00' });
    await charge(app, customer, 7_000n, { simulated: true, model: 'sandbox/gw-mini', metadata });
    expect(await portfolio()).toEqual({ ...NOTHING, simulated: { requests: 1, spent_rub: 0.007 } });
  });

  it('portfolio_is_what_was_used: its spend is the ledger’s, to the last ruble', async () => {
    const letters = (more: object = {}) => decided({ use_case: 'letters', ...more });
    await charge(app, customer, 500_000n, { metadata: decided() });
    await charge(app, customer, 250_000n, { metadata: decided({ baseline_cost_rub: '1.25' }) });
    await charge(app, customer, 3_000_000n, {
      model: PREMIUM,
      metadata: letters({ model: PREMIUM, baseline_cost_rub: '3.00' }),
    });
    // What was not answered in full is charged, and is no evidence.
    await charge(app, customer, 40_000n, { status: 'partial', metadata: decided() });
    await charge(app, customer, 60_000n, { metadata: { ...decided(), gw_origin: 'blueprint' } });
    // Neither decided here nor for this organization.
    await charge(app, customer, 9_000_000n, { metadata: {} });
    await charge(app, other, 5_000_000n, { metadata: decided({ baseline_cost_rub: '5.50' }) });

    const answer = await portfolio();
    expect(answer).toEqual({
      verdict: 'measured',
      reason: null,
      needed: [],
      from: expect.any(String),
      to: expect.any(String),
      requests: 3,
      spent_rub: 3.75,
      baseline_rub: 6.75,
      cost_saved_rub: 3,
      premium_avoided_percent: 66.67,
      use_cases: [
        {
          use_case: 'letters',
          requests: 1,
          spent_rub: 3,
          baseline_rub: 3,
          cost_saved_rub: 0,
          premium_avoided_percent: 0,
        },
        {
          use_case: 'support',
          requests: 2,
          spent_rub: 0.75,
          baseline_rub: 3.75,
          cost_saved_rub: 3,
          premium_avoided_percent: 100,
        },
      ],
      simulated: { requests: 1, spent_rub: 0.007 },
      others: { requests: 2, spent_rub: 0.1 },
      provenance: 'live_measured',
    });
    expect(await chargedMicro(customer)).toBe(3_857_000n);
    expect(await portfolio('', other)).toMatchObject({
      requests: 1,
      spent_rub: 5,
      cost_saved_rub: 0.5,
    });
    const { data } = await graphql(
      app,
      '{ routingPortfolio(useCase: "support") { requests costSavedRub useCases { useCase } } }',
      {},
      customer.token,
    );
    expect(data).toEqual({
      routingPortfolio: { requests: 2, costSavedRub: '3.00', useCases: [{ useCase: 'support' }] },
    });
  });

  it('is of the window and the use case that are asked for', async () => {
    expect(await portfolio('?use_case=letters')).toMatchObject({ requests: 1, spent_rub: 3 });
    const past = '?from=2026-01-01T00:00:00Z&to=2026-01-31T00:00:00Z';
    expect(await portfolio(past)).toEqual({
      ...NOTHING,
      from: '2026-01-01T00:00:00.000Z',
      to: '2026-01-31T00:00:00.000Z',
    });
    const backwards = '?from=2026-02-01T00:00:00Z&to=2026-01-31T00:00:00Z';
    expect((await portfolio(backwards)).error).toMatchObject({
      code: 'invalid_request',
      param: 'from',
    });
  });

  it('counts no saving where a decision names no baseline', async () => {
    const third = await newCustomer(app, 100);
    const metadata = decided({ baseline_model: null, baseline_cost_rub: null });
    await charge(app, third, 1_000_000n, { model: BASIC, metadata });
    expect(await portfolio('', third)).toMatchObject({
      requests: 1,
      baseline_rub: 1,
      cost_saved_rub: 0,
      premium_avoided_percent: 0,
    });
  });
});
