import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plantUsage } from '../../finops/reports/usage-rows.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';

let app: TestApp;
let seller: Customer;
let other: Customer;

type Row = Readonly<Record<string, unknown>>;
interface Body extends Row {
  readonly id: string;
  readonly data: readonly Row[];
  readonly derived: readonly Body[];
  readonly open: readonly Body[];
  readonly error: {
    readonly code: string;
    readonly id?: string;
    readonly faults?: { path: string }[];
  };
}

const ask = (method: string, path: string, body?: object, who = seller.key) =>
  rest<Body>(app, method, `/v1/gw/revenue${path}`, { credential: who, body });
const tell = (event_type: string, account_ref: string, who = seller.key) =>
  ask('POST', '/events', { event_type, account_ref }, who);
const derive = (account: string, who = seller.key) =>
  ask('POST', `/signals/derive/${account}`, undefined, who);

beforeAll(async () => {
  app = await startApp();
  [seller, other] = [await newCustomer(app), await newCustomer(app)];
  const row = { tenantId: seller.tenantId, model: 'large', provider: 'p', clientId: 'measured' };
  await plantUsage(app.owner.pool, [
    ...Array.from({ length: 120 }, (_, index) => ({
      ...row,
      amountMicro: 500_000_000n,
      createdAt: new Date(Date.now() - (index % 15) * 86_400_000),
    })),
    { ...row, clientId: 'young', amountMicro: 1_200n },
    { ...row, amountMicro: 9_000_000n, simulated: true },
    { ...row, tenantId: other.tenantId, clientId: 'measured', amountMicro: 1_000_000_000n },
  ]);
});
afterAll(() => app.stop());

describe('a quote', () => {
  it('says price, cost with its source, and margin, and warns below 25 percent', async () => {
    const quote = (body: object) => ask('POST', '/quotes', { package: 'team', ...body });
    const list = await quote({ account_ref: 'quoted' });
    expect(list.body).toEqual({
      id: expect.any(String),
      version: 1,
      account_ref: 'quoted',
      package: 'team',
      price_rub: 180_000,
      list_price_rub: 180_000,
      cost_rub: 100_000,
      cost_provenance: 'estimated',
      price_rows: [],
      price_change_rub: 0,
      margin_rub: 80_000,
      margin_estimate: 44.44,
      guardrail: 'cannot_certify',
      minimum_price_rub: 133_333.333334,
      valid_until: expect.any(String),
      created_by: seller.keyId,
      created_at: expect.any(String),
    });
    const measured = await quote({ account_ref: 'measured' });
    expect(measured.body).toMatchObject({
      cost_rub: 120_000,
      cost_provenance: 'live_measured',
      guardrail: 'ok',
    });
    const young = await quote({ account_ref: 'young' });
    expect(young.body).toMatchObject({
      cost_rub: 100_000,
      cost_provenance: 'estimated',
      guardrail: 'cannot_certify',
    });
    const low = await quote({ account_ref: 'quoted', price: 120_000, cost: 95_000 });
    expect(low.body).toMatchObject({
      version: 2,
      cost_provenance: 'declared',
      margin_estimate: 20.83,
      guardrail: 'below_minimum',
    });
    const loss = await quote({ account_ref: 'quoted', price_rub: 1, cost_rub: 2 });
    expect(loss.body).toMatchObject({ margin_estimate: -100, guardrail: 'loss' });
    const found = await ask('GET', '/quotes?account_ref=quoted');
    expect(found.body.data.map(({ version }) => version)).toEqual([3, 2, 1]);
    expect((await ask('GET', '/quotes', undefined, other.key)).body.data).toEqual([]);
    const text = '{ revenueQuotes(accountRef: "quoted") { nodes { marginEstimatePercent } } }';
    const { data } = await graphql(app, text, {}, seller.token);
    expect(data).toEqual({
      revenueQuotes: {
        nodes: [-100, 20.83, 44.44].map((marginEstimatePercent) => ({ marginEstimatePercent })),
      },
    });
  });

  it('is refused with every fault', async () => {
    const { status, body } = await ask('POST', '/quotes', {
      package: 'team',
      price_rub: 0,
      cost_rub: -1,
      account_ref: ' ',
    });
    expect([status, body.error.faults?.map(({ path }) => path)]).toEqual([
      400,
      ['account_ref', 'price_rub', 'cost_rub'],
    ]);
  });
});

describe('partners', () => {
  const claim = (body: object, who = seller.key) =>
    ask('POST', '/partners/attributions', { partner_ref: 'p', client_ref: 'c', ...body }, who);
  const summary = (partner: string, who = seller.key) =>
    ask('GET', `/partners/${partner}/summary`, undefined, who);

  it('are due a commission once the client is activated and has paid', async () => {
    const paid = { source: 'resale', activated: true, paid: true, mrr: 100_000 };
    expect((await claim(paid)).body).toEqual({
      id: expect.any(String),
      partner_ref: 'p',
      client_ref: 'c',
      source: 'resale',
      activated: true,
      paid: true,
      mrr_rub: 100_000,
      commission_percent: 20,
      commission_due: 20_000,
      provenance: 'declared',
      recorded_at: expect.any(String),
    });
    const unpaid = { source: 'referral', client_ref: 'd', activated: true, mrr_rub: 50_000 };
    expect((await claim(unpaid)).body).toMatchObject({ commission_due: 0, paid: false });
    const agreed = {
      source: 'expansion',
      activated: true,
      paid: true,
      mrr_rub: 1,
      commission: 12.5,
    };
    expect((await claim(agreed)).body).toMatchObject({
      commission_percent: 12.5,
      commission_due: 0.125,
    });
    expect((await summary('p')).body).toEqual({
      partner_ref: 'p',
      clients: 2,
      activated_clients: 2,
      paid_clients: 1,
      mrr_rub: 100_001,
      expansion: 1,
      commission_due: 20_000.125,
      attributions: 3,
      provenance: 'declared',
    });
  });

  it('claim a client once for a source, whichever comes first', async () => {
    const race = await Promise.all(
      ['one', 'two', 'three'].map((partner_ref) =>
        claim({ partner_ref, client_ref: 'raced', source: 'co_sell' }),
      ),
    );
    expect(race.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const [first] = race.filter(({ status }) => status === 200);
    const again = await claim({ partner_ref: 'one', client_ref: 'raced', source: 'co_sell' });
    expect([again.status, again.body.error]).toEqual([
      409,
      expect.objectContaining({ code: 'partner_attribution_claimed', id: first?.body.id }),
    ]);
    const theirs = { partner_ref: 'one', client_ref: 'raced', source: 'co_sell' };
    expect((await claim(theirs, other.key)).status).toBe(200);
  });

  it('of another organization are unknown, and too fine a commission is a fault', async () => {
    await claim({ partner_ref: 'hidden', client_ref: 'x', source: 'referral' }, other.key);
    const [foreign, unknown] = [await summary('hidden'), await summary('nobody')];
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
    expect(JSON.stringify(foreign.body.error).replace('hidden', 'nobody')).toContain(
      '"code":"not_found"',
    );
    for (const commission of [12.345, 101, -1]) {
      const terms = { client_ref: 'f', source: 'referral', commission_percent: commission };
      const { status, body } = await claim(terms);
      expect([commission, status]).toEqual([commission, 400]);
      expect(body.error.faults?.map(({ path }) => path)).toEqual(['commission_percent']);
    }
  });
});

describe('the pipeline', () => {
  it('is stages, signals, quotes and partner revenue, with a declared forecast', async () => {
    const who = await newCustomer(app);
    const post = (path: string, body: object) => ask('POST', path, body, who.key);
    for (const event of [
      'team_invited',
      'second_department',
      'roi_receipt',
      'procurement_started',
    ]) {
      await tell(event, 'hot', who.key);
    }
    await tell('pricing_viewed', 'cold', who.key);
    await tell('second_department', 'bought', who.key);
    await derive('hot', who.key);
    const [bought] = (await derive('bought', who.key)).body.derived;
    await post(`/signals/${bought?.id}/resolve`, { resolution: 'won' });
    for (const account_ref of ['hot', 'bought', 'unknown']) {
      await post('/quotes', { package: 'pilot', account_ref, price_rub: 100_000.01 });
    }
    await post('/partners/attributions', {
      partner_ref: 'p',
      client_ref: 'bought',
      source: 'referral',
      activated: true,
      paid: true,
      mrr_rub: 90_000,
    });
    const { body } = await ask('GET', '/pipeline', undefined, who.key);
    const shown = (row: Row) => [row.account_ref, row.stage, row.score, row.forecast_rub];
    expect((body.accounts as Row[]).map(shown)).toEqual([
      ['bought', 'won', 15, 100_000.01],
      ['hot', 'qualified', 50, 25_000.0025],
      ['cold', 'lead', 2, null],
    ]);
    expect(body).toMatchObject({
      accounts_left_out: false,
      partner_mrr_rub: 90_000,
      forecast: {
        monthly_rub: 125_000.0125,
        accounts: 2,
        formula: expect.stringContaining('probability'),
        provenance: 'declared',
      },
    });
    const rules = (body.top_signals as Row[]).map(({ rule }) => rule).sort();
    expect(rules).toEqual(['roi_and_procurement', 'second_department']);
    expect((body.quotes as Row[]).map(({ account_ref }) => account_ref).sort()).toEqual([
      'bought',
      'hot',
    ]);
    const text = '{ revenuePipeline { forecast { monthlyRub provenance } accounts { stage } } }';
    const { data } = await graphql(app, text, {}, who.token);
    expect(data).toMatchObject({
      revenuePipeline: { forecast: { monthlyRub: '125000.0125', provenance: 'declared' } },
    });
    const empty = await ask('GET', '/pipeline', undefined, (await newCustomer(app)).key);
    expect(empty.body).toMatchObject({ accounts: [], forecast: { monthly_rub: 0, accounts: 0 } });
  });
});
