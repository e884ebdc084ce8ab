import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { charge, startFleet } from '../../routing/economics/fleet.js';
import { type Customer, newCustomer, rest, type TestApp } from '../../support/app.js';
import { ask, type Body, GROSS, type Usage } from './planted-costs.js';

let app: TestApp;
let customer: Customer;
let other: Customer;
beforeAll(async () => {
  app = await startFleet();
  customer = await newCustomer(app, 10_000);
  other = await newCustomer(app, 10_000);
});
afterAll(() => app?.stop());

const post = (path: string, body: object, who = customer) => ask(app, 'POST', path, body, who);
const record = async (body: object, who = customer) => (await post('/cost-events', body, who)).body;
const read = async (path: string, who = customer) =>
  (await ask(app, 'GET', path, undefined, who)).body;
const spent = (usage: Usage = {}, who = customer) => charge(app, who, GROSS, usage);

describe('coverage', () => {
  it('empty_is_not_certified: nothing recorded certifies nothing', async () => {
    const who = await newCustomer(app);
    const body = await read('/coverage', who);
    expect(body).toMatchObject({
      verdict: 'cannot_certify',
      reason: 'The window has no recorded cost.',
      needed: ['requests that a real model answers, or cost events'],
      coverage_basis_points: null,
      total_rub: 0,
      provenance: 'live_measured',
    });
  });

  it('counted_once: DIRECT of the total, ledger and events together', async () => {
    const who = await newCustomer(app, 10_000);
    const request_id = await spent({}, who);
    await spent({ simulated: true }, who);
    await record({ kind: 'model', net_rub: 100, request_id }, who);
    await record({ kind: 'tool', net_rub: 50, request_id }, who);
    await record({ kind: 'human', net_rub: 30, client_tag: 'romashka' }, who);
    await record({ kind: 'infrastructure', net_rub: 20 }, who);
    await record({ kind: 'invoice', net_rub: 9_000, billed_month: '2026-01' }, who);
    const body = await read('/coverage', who);
    expect(body).toEqual({
      verdict: 'certified',
      reason: null,
      needed: [],
      coverage_basis_points: 7_500,
      total_rub: 200,
      direct_rub: 150,
      allocated_rub: 0,
      estimated_rub: 30,
      unallocated_rub: 20,
      sources: [
        { source: 'ledger', is_counted: true, events: 1, net_rub: 100 },
        { source: 'event', is_counted: true, events: 3, net_rub: 100 },
        { source: 'repeated', is_counted: false, events: 1, net_rub: 100 },
        { source: 'simulated', is_counted: false, events: 1, net_rub: 100 },
      ],
      from: expect.any(String),
      to: expect.any(String),
      provenance: 'live_measured',
    });
    const refund = { accountId: who.accountId, tenantId: who.tenantId, amountMicro: GROSS / 2n };
    await app.server.services.ledger.refund({
      ...refund,
      requestId: newId('Request'),
      chargedRequestId: request_id,
      description: 'half of it',
    });
    expect(await read('/coverage', who)).toMatchObject({ total_rub: 150, direct_rub: 100 });
    const before = await read('/coverage?from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z', who);
    expect(before.verdict).toBe('cannot_certify');
    const [since, until] = [Date.now(), Date.now() + 3_600_000].map((ms) => new Date(ms).toJSON());
    const after = await read(`/coverage?from=${since}&to=${until}`, who);
    expect([after.verdict, after.from, after.total_rub]).toEqual(['cannot_certify', since, 0]);
  });
});

describe('a refund', () => {
  it('has the category of its request, also when both are older than the window', async () => {
    const who = await newCustomer(app, 10_000);
    const [bad = '', silent = ''] = [await spent({}, who), await spent({}, who)];
    await rest(app, 'POST', '/v1/gw/adaptive-routing/outcomes', {
      credential: who.key,
      body: { request_id: bad, outcome: 'rejected' },
    });
    // The window begins when all of that is over.
    const { rows } = await app.owner.pool.query<{ at: Date }>(
      `SELECT clock_timestamp() + interval '2 ms' AS at, pg_sleep(0.02)`,
    );
    const from = rows[0]?.at ?? new Date();
    const giveBack = (chargedRequestId: string, amountMicro: bigint) =>
      app.server.services.ledger.refund({
        accountId: who.accountId,
        requestId: newId('Request'),
        chargedRequestId,
        amountMicro,
        description: 'given back',
      });
    await giveBack(bad, GROSS / 2n);
    await giveBack(silent, GROSS / 4n);
    const kept = { net_rub: 400, category: 'accepted', occurred_at: new Date().toJSON() };
    await record({ kind: 'human', ...kept, category: 'wasted' }, who);
    await record({ kind: 'human', ...kept }, who);
    const until = new Date(Date.now() + 3_600_000);
    const window = `from=${from.toJSON()}&to=${until.toJSON()}`;
    const body = await read(`/margin-leakage?${window}`, who);
    expect(body).toMatchObject({ known_rub: 750, unknown_rub: -25, leakage_rub: 350 });
    const sources = body.sources as { category: string; cost_rub: number }[];
    expect(sources.map(({ category, cost_rub }) => [category, cost_rub])).toEqual([
      ['accepted', 400],
      ['failed_delivery', 0],
      ['retry', 0],
      ['wasted', 350],
    ]);
  });
});

describe('measured figures', () => {
  it('share the rule of stated ones: leakage of recorded cost', async () => {
    const who = await newCustomer(app, 10_000);
    const [good = '', bad = ''] = [await spent({}, who), await spent({}, who)];
    await spent({}, who);
    await spent({ status: 'partial' }, who);
    const report = (request_id: string, outcome: string) =>
      rest(app, 'POST', '/v1/gw/adaptive-routing/outcomes', {
        credential: who.key,
        body: { request_id, outcome },
      });
    await report(good, 'accepted');
    await report(bad, 'rejected');
    await record({ kind: 'human', net_rub: 100, category: 'retry' }, who);
    const { from: _, to: __, provenance, ...measured } = await read('/margin-leakage', who);
    expect(provenance).toBe('live_measured');
    const stated = {
      accepted_cost_rub: 100,
      wasted_cost_rub: 100,
      failed_delivery_cost_rub: 100,
      retry_cost_rub: 100,
      unknown_cost_rub: 100,
    };
    const {
      authoritative,
      provenance: declared,
      ...same
    } = (await ask(app, 'POST', '/margin-leakage', stated)).body;
    expect([authoritative, declared]).toEqual([false, 'declared']);
    expect(measured).toEqual(same);
    expect(measured).toMatchObject({ verdict: 'leaking', leakage_basis_points: 7_500 });
  });

  it('tell how fast the funds go, from the ledger alone', async () => {
    const who = await newCustomer(app, 1_222);
    expect(await read('/velocity', who)).toMatchObject({
      verdict: 'cannot_certify',
      hours: 24,
      burn_per_hour_rub: null,
      hours_to_exhaustion: null,
      remaining_rub: 1_222,
    });
    await spent({}, who);
    expect(await read('/velocity?hours=10', who)).toMatchObject({
      verdict: 'certified',
      hours: 10,
      burn_per_hour_rub: 12.2,
      remaining_rub: 1_100,
      hours_to_exhaustion: 90.16,
      provenance: 'live_measured',
    });
    const odd = await ask(app, 'GET', '/velocity?hours=0', undefined, who);
    expect([odd.status, odd.body.error.param]).toEqual([400, 'hours']);
  });

  it('no_ledger_no_class: a customer that the ledger does not know has no class', async () => {
    const who = await newCustomer(app, 10_000);
    await spent({ clientId: 'romashka' }, who);
    await record({ net_rub: 50, client_tag: 'romashka' }, who);
    await spent({ clientId: 'vasilek' }, other);
    const { body } = await rest<{ data: { customerProfitability: Body } }>(
      app,
      'POST',
      '/graphql',
      {
        credential: who.key,
        body: {
          query: `{ customerProfitability(input: { customers: [
          { customer: "romashka", revenueRub: "300" }, { customer: "vasilek", revenueRub: "300" }
        ] }) { verdict revenueProvenance costProvenance
          customers { customer profitability costRub marginBasisPoints } } }`,
        },
      },
    );
    expect(body.data.customerProfitability).toEqual({
      verdict: 'classified',
      revenueProvenance: 'declared',
      costProvenance: 'live_measured',
      customers: [
        {
          customer: 'romashka',
          profitability: 'HEALTHY',
          costRub: '150.00',
          marginBasisPoints: 5_000,
        },
        {
          customer: 'vasilek',
          profitability: 'CANNOT_CLASSIFY',
          costRub: null,
          marginBasisPoints: null,
        },
      ],
    });
  });
});

describe('an event of a request whose month was dropped', () => {
  it('is still the charge of the ledger told again, and counts no cost', async () => {
    const who = await newCustomer(app, 10_000);
    const request_id = await spent({}, who);
    await record({ kind: 'model', net_rub: 100, request_id }, who);
    await record({ kind: 'tool', net_rub: 50, request_id }, who);
    await app.owner.pool.query(
      'ALTER TABLE usage_event DETACH PARTITION gw_months.usage_event_first',
    );
    const body = await read('/coverage', who);
    expect([body.total_rub, body.sources]).toEqual([
      50,
      [
        { source: 'ledger', is_counted: true, events: 0, net_rub: 0 },
        { source: 'event', is_counted: true, events: 1, net_rub: 50 },
        { source: 'repeated', is_counted: false, events: 1, net_rub: 100 },
        { source: 'simulated', is_counted: false, events: 0, net_rub: 0 },
      ],
    ]);
  });
});
