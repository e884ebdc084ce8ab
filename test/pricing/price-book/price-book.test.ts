import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CANONICAL_PLANS } from '../../../src/pricing/price-book/plans.js';
import { HARD_RULES } from '../../../src/pricing/price-book/vocabulary.js';
import { newMember } from '../../journeys/people.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';

let app: TestApp;
let customer: Customer;
let other: Customer;
beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app, 1_000);
  other = await newCustomer(app);
});
afterAll(() => app.stop());

const BOOK = '/v1/gw/price-book';
type Body = Record<string, unknown>;

async function ask(path: string, body: Body, credential?: string) {
  return rest<Body & { error: { code: string; param: string } }>(app, 'POST', BOOK + path, {
    body,
    credential,
  });
}

const seal = (body: Body, who = customer) => ask('/receipts', body, who.key);
const QUOTE = { plan: 'team', monthly_requests: 40_000, cost_per_request_rub: 0.85 };

describe('the reference', () => {
  it('is public and lists the plans and rules that quotes and gates decide by', async () => {
    const { status, body } = await rest<{ plans: Body[]; hard_rules: Body[] }>(
      app,
      'GET',
      `${BOOK}/reference`,
    );
    expect(status).toBe(200);
    expect(body.plans.map(({ plan, status }) => [plan, status])).toEqual(
      CANONICAL_PLANS.map(({ plan, status }) => [plan, status]),
    );
    expect(body.hard_rules).toEqual(HARD_RULES.rows);
  });
});

describe('a quote', () => {
  it('quote_is_projection: declared, not authoritative, the same in both voices', async () => {
    const { body } = await ask('/quote', QUOTE);
    expect(body).toEqual({
      verdict: 'quoted',
      plan: 'team',
      price_book_version: '2026.1',
      expected: {
        usage_cost_rub: 34_000,
        usage_billed_rub: 29_100,
        net_rub: 78_100,
        vat_rub: 17_182,
        gross_rub: 95_282,
        contribution_margin_rub: 35_100,
        contribution_margin_basis_points: 4_494,
      },
      p80: expect.objectContaining({ usage_cost_rub: 41_693.214 }),
      p95: expect.objectContaining({ usage_cost_rub: 52_780.206 }),
      worst: expect.objectContaining({ usage_cost_rub: 80_676.05 }),
      vat_rate_basis_points: 2_200,
      reason: null,
      needed: [],
      authoritative: false,
      provenance: 'declared',
    });
    const { data } = await graphql(
      app,
      `{ priceQuote(input: { plan: "team", monthlyRequests: 40000, costPerRequestRub: "0.85" }) {
        verdict authoritative provenance p95 { usageCostRub grossRub } } }`,
    );
    expect(data).toEqual({
      priceQuote: {
        verdict: 'quoted',
        authoritative: false,
        provenance: 'declared',
        p95: { usageCostRub: '52780.206', grossRub: '121630.629018' },
      },
    });
  });

  it('plan_is_recorded: an unknown plan fails closed, with every figure null', async () => {
    const { status, body } = await ask('/quote', { ...QUOTE, plan: 'gold' });
    expect([status, body]).toEqual([
      200,
      {
        verdict: 'cannot_quote',
        plan: null,
        price_book_version: null,
        expected: null,
        p80: null,
        p95: null,
        worst: null,
        vat_rate_basis_points: null,
        reason: 'No canonical plan has this code.',
        needed: ['plan: one of start, team, business, sovereign'],
        authoritative: false,
        provenance: 'declared',
      },
    ]);
  });

  it('names every fault of its input under the names of the wire', async () => {
    const wrong = { plan: '', monthly_requests: -1, cost_per_request_rub: -1, variation: 1.5 };
    const { status, body } = await ask('/quote', wrong);
    const { faults } = body.error as unknown as { faults: { path: string }[] };
    expect(status).toBe(400);
    expect(JSON.stringify(body)).not.toMatch(/input\.|costPerRequest|monthlyRequests/);
    expect(faults.map(({ path }) => path)).toEqual([
      'plan',
      'monthly_requests',
      'cost_per_request_rub',
      'variation',
    ]);
  });
});

describe('the floor gate', () => {
  it('floor_from_plan: a floor in the body changes nothing and is named as ignored', async () => {
    const asked = { plan: 'team', net_rub: 38_999, usage_cost_rub: 0 };
    const { body } = await ask('/floor-gate', asked);
    const { headers, body: again } = await ask('/floor-gate', { ...asked, floor_rub: 1 });
    expect(headers.get('x-gw-ignored-fields')).toBe('floor_rub');
    expect(again).toEqual(body);
    expect(body).toEqual({
      verdict: 'BLOCKED',
      plan: 'team',
      price_book_version: '2026.1',
      floor_rub: 39_000,
      headroom_rub: -1,
      broken_rules: ['floor_blocks'],
      reason: null,
      needed: [],
      authoritative: false,
      provenance: 'declared',
    });
  });

  it('blocks a price of an unknown plan, and so do discount and pilot', async () => {
    const unknown = { plan: 'gold' };
    const answers = await Promise.all([
      ask('/floor-gate', { ...unknown, net_rub: 1_000_000 }),
      ask('/discount', { ...unknown, discount_basis_points: 1, gives: ['annual_prepayment'] }),
      ask('/paid-pilot', { ...unknown, fee_rub: 1_000_000, decision_on: '2026-12-31' }),
    ]);
    expect(answers.map(({ status, body }) => [status, body.verdict])).toEqual([
      [200, 'BLOCKED'],
      [200, 'BLOCKED'],
      [200, 'BLOCKED'],
    ]);
  });
});

describe('a partner rebate', () => {
  it('is blocked while a part of the gross profit is missing', async () => {
    const { body } = await ask('/partner-rebate', { revenue_rub: 900 });
    expect(body).toMatchObject({ verdict: 'BLOCKED', needed: ['usage_cost_rub'] });
  });
});

describe('plans of an organization', () => {
  it('versions_only_grow: a change is a new version, which nobody else sees', async () => {
    const publish = (body: Body) => ask('/plans', body, customer.key);
    const first = await publish({ plan: 'own', platform_fee_rub: 1_000 });
    const second = await publish({ plan: 'own', platform_fee_floor_rub: 800 });
    expect([first.body.version, second.body.version]).toEqual([1, 2]);
    expect(second.body).toMatchObject({ platform_fee_rub: 1_000, platform_fee_floor_rub: 800 });
    const plans = async (who: Customer, query = '') => {
      const path = `${BOOK}/plans?plan=own${query}`;
      const { body } = await rest<{ data: Body[] }>(app, 'GET', path, { credential: who.key });
      return body.data;
    };
    expect(await plans(customer)).toEqual([second.body, first.body]);
    expect(await plans(customer, '&price_book_version=2026.2')).toEqual([]);
    expect(await plans(other)).toEqual([]);
    const { pool } = app.owner;
    await expect(
      pool.query("UPDATE contract_version SET body = '{}' WHERE kind = 'price_plan'"),
    ).rejects.toThrow();
  });

  it('lose no term when several are changed at once', async () => {
    const publish = (body: Body) => ask('/plans', { plan: 'race', ...body }, customer.key);
    await publish({ platform_fee_rub: 1_000, platform_fee_floor_rub: 100 });
    await Promise.all([
      publish({ platform_fee_floor_rub: 900 }),
      publish({ service_cost_rub: 10 }),
      publish({ pilot_fee_rub: 7 }),
    ]);
    const path = `${BOOK}/plans?plan=race&limit=1`;
    const { body } = await rest<{ data: Body[] }>(app, 'GET', path, { credential: customer.key });
    expect(body.data).toEqual([
      expect.objectContaining({
        version: 4,
        platform_fee_floor_rub: 900,
        service_cost_rub: 10,
        pilot_fee_rub: 7,
      }),
    ]);
  });

  it('are a control: what is not known is refused, and nothing is written', async () => {
    const asked = { plan: 'strict', platform_fee_rub: 10, platform_fee_flor_rub: 5 };
    const { status, body } = await ask('/plans', asked, customer.key);
    expect([status, body.error.param]).toEqual([400, 'platform_fee_flor_rub']);
    const path = `${BOOK}/plans?plan=strict`;
    const listed = await rest<{ data: Body[] }>(app, 'GET', path, { credential: customer.key });
    expect(listed.body.data).toEqual([]);
  });

  it('are published by finance and not by developers', async () => {
    const publish = async (role: 'finance' | 'developer') => {
      const { token } = await newMember(app, other.token, role);
      return (await ask('/plans', { plan: 'team' }, token)).status;
    };
    expect([await publish('finance'), await publish('developer')]).toEqual([200, 403]);
  });
});

describe('a receipt', () => {
  it('sealed_once: a reference has its first receipt, also when ten race', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        seal({ ...QUOTE, quote_ref: 'race', monthly_requests: 1_000 + index }),
      ),
    );
    const bodies = answers.map(({ body }) => body);
    expect(new Set(bodies.map(({ id }) => id)).size).toBe(1);
    expect(new Set(bodies.map(({ monthly_requests }) => monthly_requests)).size).toBe(1);
    expect(bodies.filter(({ already_sealed }) => already_sealed === false)).toHaveLength(1);
  });

  it('is BLOCKED below the floor, NOT_FOR_CONTRACT for a plan on trial, else PASS', async () => {
    const sealed = await Promise.all([
      seal({ ...QUOTE, quote_ref: 'low', platform_fee_rub: 20_000 }),
      seal({ ...QUOTE, quote_ref: 'trial', plan: 'sovereign' }),
      seal({ ...QUOTE, quote_ref: 'fair' }),
    ]);
    expect(sealed.map(({ body }) => [body.verdict, body.broken_rules])).toEqual([
      [
        'BLOCKED',
        ['floor_blocks', 'discount_needs_give', 'discount_within_cap', 'discount_above_floor'],
      ],
      ['NOT_FOR_CONTRACT', ['hypothesis_binds_nobody']],
      ['PASS', []],
    ]);
  });

  it('gives no discount that the gate of discounts would not give', async () => {
    const quote = { ...QUOTE, cost_per_request_rub: 20 };
    const sealed = await Promise.all([
      seal({ ...quote, quote_ref: 'free', platform_fee_rub: 0 }),
      seal({ ...quote, quote_ref: 'ungiven', platform_fee_rub: 48_000 }),
      seal({ ...quote, quote_ref: 'given', platform_fee_rub: 48_000, gives: ['committed_volume'] }),
    ]);
    expect(sealed.map(({ body }) => [body.verdict, body.broken_rules])).toEqual([
      ['BLOCKED', ['discount_needs_give', 'discount_within_cap', 'discount_above_floor']],
      ['BLOCKED', ['discount_needs_give']],
      ['PASS', []],
    ]);
  });

  it('of amounts beyond the book is refused, and what is sealed can always be read', async () => {
    const big = { ...QUOTE, monthly_requests: 1_000, cost_per_request_rub: 10_000_000_000 };
    const refused = [await seal({ ...big, quote_ref: 'big' }), await ask('/quote', big)];
    expect(refused.map(({ status, body }) => [status, body.error.param])).toEqual([
      [400, 'monthly_requests'],
      [400, 'monthly_requests'],
    ]);
    await ask(
      '/plans',
      { plan: 'loss', platform_fee_rub: 0.01, service_cost_rub: 1e9 },
      customer.key,
    );
    const loss = { quote_ref: 'loss', plan: 'loss', monthly_requests: 0, cost_per_request_rub: 0 };
    const { body } = await seal(loss);
    const path = `${BOOK}/receipts/${body.id}`;
    const read = await rest<Body>(app, 'GET', path, { credential: customer.key });
    expect(read.body).toMatchObject({ terms: { service_cost_rub: 1e9 }, verdict: 'PASS' });
    const { data } = await graphql<{ priceBookReceipts: { nodes: unknown[] } }>(
      app,
      '{ priceBookReceipts { nodes { quoteRef worst { netRub contributionMarginBasisPoints } } } }',
      {},
      customer.key,
    );
    expect(data.priceBookReceipts.nodes).toContainEqual(
      expect.objectContaining({ quoteRef: 'loss' }),
    );
  });

  it('is read and verified by its own organization alone', async () => {
    const { body } = await seal({ ...QUOTE, quote_ref: 'read' });
    const read = (id: unknown, who = customer, more = '') =>
      rest<Body>(app, 'GET', `${BOOK}/receipts/${id}${more}`, { credential: who.key });
    const { content, ...receipt } = (await read(body.id)).body;
    expect(receipt).toEqual({ ...body, already_sealed: true });
    expect(content).toMatchObject({ quote_ref: 'read', expected: { net_rub: '78100.00' } });
    const { body: verified } = await read(body.id, customer, '/verify');
    expect(verified).toEqual({
      valid: true,
      hash: body.sha256,
      recomputed_hash: body.sha256,
      chain_valid: true,
      erased: false,
    });
    const unknown = '0192f0c1-7a3b-700b-8000-3f2b9c4d5e6f';
    const [foreign, missing, odd] = await Promise.all([
      read(body.id, other),
      read(unknown, other),
      read('Q-1'),
    ]);
    expect([foreign.status, missing.status, odd.status]).toEqual([404, 404, 400]);
    expect((odd.body.error as Body).code).toBe('invalid_receipt_id');
  });

  it('of a plan that nobody has recorded is refused and leaves the reference free', async () => {
    const refused = await seal({ ...QUOTE, quote_ref: 'later', plan: 'gold' });
    expect([refused.status, refused.body.error.param]).toEqual([404, 'plan']);
    const sealed = await seal({ ...QUOTE, quote_ref: 'later' });
    expect([sealed.status, sealed.body.already_sealed]).toEqual([200, false]);
  });

  it('uses the own latest plan, and keeps its terms when the plan moves on', async () => {
    await ask('/plans', { plan: 'start', platform_fee_rub: 12_000 }, other.key);
    const { body } = await seal({ ...QUOTE, plan: 'start', quote_ref: 'own' }, other);
    await ask('/plans', { plan: 'start', platform_fee_rub: 15_000 }, other.key);
    const again = await seal({ ...QUOTE, plan: 'start', quote_ref: 'own' }, other);
    expect(body).toMatchObject({ plan_version: 1, terms: { platform_fee_rub: 12_000 } });
    expect(again.body).toEqual({ ...body, already_sealed: true });
  });

  it('needs a stated cost while too little is recorded, and says which it used', async () => {
    const { cost_per_request_rub: _, ...without } = QUOTE;
    const refused = await seal({ ...without, quote_ref: 'recorded' });
    expect([refused.status, refused.body.error.param]).toEqual([400, 'cost_per_request_rub']);
    const { body } = await seal({ ...QUOTE, quote_ref: 'recorded' });
    expect(body).toMatchObject({ cost_provenance: 'declared', recorded_requests: 0 });
  });
});
