import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FORECASTS } from '../../../src/finops/costs/records.js';
import type { FORECAST_FIELDS } from '../../../src/finops/costs/tables.js';
import type { AuthorizedCtx } from '../../../src/graph/ctx.js';
import type { ValuesOf } from '../../../src/kernel/fields/field.js';
import { newId } from '../../../src/kernel/ids.js';
import { inTransaction } from '../../../src/records/scope.js';
import { plant } from '../../money/integrity/books.js';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../../support/app.js';
import { existedSince } from '../../support/owner.js';
import { ask } from './planted-costs.js';

type Forecast = ValuesOf<typeof FORECAST_FIELDS>;

let app: TestApp;
let customer: Customer;
let other: Customer;
beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app);
  other = await newCustomer(app);
  for (const { tenantId } of [customer, other]) await existedSince(app, tenantId, '2026-03-10');
});
afterAll(() => app?.stop());

const post = (path: string, body: object, who = customer) => ask(app, 'POST', path, body, who);
const seal = (body: object, who = customer) => post('/finops-receipt', body, who);
const read = (path: string, who = customer) => ask(app, 'GET', path, undefined, who);

const REFUSED = {
  verdict: 'cannot_certify',
  provenance: null,
  value_basis_points: null,
  part_rub: null,
  whole_rub: null,
};
const FORECAST_NEEDED =
  'a recorded forecast whose run ended in the period, or recorded cost in both halves of it';
const CERTIFIED = { verdict: 'certified', provenance: 'live_measured', reason: null, needed: [] };

/** A month with a late and an early cost, one of them of a supplier. */
async function month(period: string, who = customer): Promise<void> {
  const early = { net_rub: 60, occurred_at: `${period}-03T12:00:00Z`, category: 'accepted' };
  const late = { net_rub: 40, occurred_at: `${period}-28T12:00:00Z`, category: 'wasted' };
  await post('/cost-events', { ...early, supplier: 'hosting' }, who);
  await post('/cost-events', late, who);
}

/** So many days into July of 2026. */
const at = (days: number) => new Date(Date.parse('2026-07-01T00:00:00Z') + days * 86_400_000);

/** A forecast of the use case `run`, as it would have been recorded in the past. */
async function recorded(who: Customer, given: Partial<Forecast>): Promise<void> {
  const asked = { units: 1, cost_per_unit_rub: 1, use_case_id: 'run', forecast_ref: 'pattern' };
  await rest(app, 'POST', '/v1/gw/finops/forecast', { credential: who.token, body: asked });
  const { tenantId, userId: id } = who;
  const { services } = app.server;
  const scope = { services, who: { kind: 'user' as const, tenantId, id } };
  const pattern = await FORECASTS.byKey(scope as AuthorizedCtx, 'pattern');
  if (!pattern) throw new Error('no forecast was recorded');
  const content = { ...pattern.content, ...given };
  await inTransaction(scope, {}, (tx) =>
    FORECASTS.seal(scope as AuthorizedCtx, content.forecastRef, content, { tx }),
  );
}

describe('a FinOps receipt', () => {
  it('provenance_per_metric: what is not recorded is not certified, and says why', async () => {
    const { status, body } = await seal({ period: '2026-03' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      period: '2026-03',
      is_final: true,
      from: '2026-02-28T21:00:00.000Z',
      to: '2026-03-31T21:00:00.000Z',
      total_rub: 0,
      allocated_coverage: REFUSED,
      invoice_variance: {
        ...REFUSED,
        needed: ['cost with a supplier, and its invoice for 2026-03'],
      },
      forecast_error: { ...REFUSED, needed: [FORECAST_NEEDED] },
      margin_leakage: REFUSED,
      already_sealed: false,
    });
  });

  it('provenance_per_metric: what is recorded is measured, metric by metric', async () => {
    await month('2026-04');
    await month('2026-04', other);
    const invoice = { kind: 'invoice', net_rub: 63, supplier: 'hosting', period: '2026-04' };
    await post('/cost-events', invoice);
    const { body } = await seal({ period: '2026-04' });
    expect(body).toMatchObject({
      total_rub: 100,
      allocated_coverage: { ...CERTIFIED, value_basis_points: 0, part_rub: 0, whole_rub: 100 },
      invoice_variance: { ...CERTIFIED, value_basis_points: 500, part_rub: 3, whole_rub: 60 },
      forecast_error: { ...CERTIFIED, value_basis_points: 2_000, part_rub: 20, whole_rub: 100 },
      margin_leakage: { ...CERTIFIED, value_basis_points: 4_000, part_rub: 40, whole_rub: 100 },
    });
    expect((await seal({ period: '2026-04' }, other)).body.invoice_variance).toMatchObject({
      ...REFUSED,
      needed: ['an invoice of hosting for 2026-04'],
    });
  });

  it('compares recorded forecasts with what was spent, and without one the run rate', async () => {
    const who = await newCustomer(app);
    const foreign = await newCustomer(app);
    for (const each of [who, foreign]) await month('2026-07', each);
    await recorded(who, { forecastRef: 'July', baseMicro: 500n, startsAt: at(5), endsAt: at(6) });
    // Runs that ended in another month say nothing about this one.
    await recorded(who, { forecastRef: 'later', startsAt: at(30), endsAt: at(33) });
    const usage = { feature: 'run' };
    for (const day of [5.5, 7]) await plant(app.owner.pool, who, at(day), { usage });
    await plant(app.owner.pool, who, at(5.5), { usage: { ...usage, simulated: true } });
    await plant(app.owner.pool, who, at(5.5), { usage: { feature: 'other' } });
    const { body } = await seal({ period: '2026-07' }, who);
    expect(body.forecast_error).toEqual({
      ...CERTIFIED,
      value_basis_points: 1_667,
      part_rub: 0.0001,
      whole_rub: 0.0006,
      basis:
        'Recorded forecasts whose runs ended in the period (1), each against what its scope ' +
        'spent from its start to its end, VAT included.',
    });
    const run = (await seal({ period: '2026-07' }, foreign)).body.forecast_error;
    expect(run).toMatchObject({ ...CERTIFIED, value_basis_points: 2_000, whole_rub: 100 });
    expect((run as { basis: string }).basis).toContain('the run rate of the first half');
  });

  it('sealed_once: a month keeps its receipt, also when ten race or costs come later', async () => {
    await month('2026-05');
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => seal({ period: '2026-05' })),
    );
    const bodies = answers.map(({ body }) => body);
    expect(new Set(bodies.map(({ id }) => id)).size).toBe(1);
    expect(bodies.filter(({ already_sealed }) => already_sealed === false)).toHaveLength(1);
    await month('2026-05');
    const [first] = bodies;
    expect((await seal({ month: '2026-05' })).body).toEqual({ ...first, already_sealed: true });
    expect((await seal({ period: '2026-05' }, other)).body.total_rub).toBe(0);
  });

  it('of the month that goes on says so', async () => {
    const { body } = await seal({});
    expect([body.is_final, body.already_sealed]).toEqual([false, false]);
    expect(String(body.seal_key)).toContain(`${body.period} until `);
  });

  it('of a month before the organization is refused, unless cost of it was recorded', async () => {
    const { status, body } = await seal({ period: '2026-02' });
    expect([status, body.error]).toMatchObject([400, { param: 'period' }]);
    await post('/cost-events', { net_rub: 1, occurred_at: '2026-02-28T12:00:00Z' });
    expect((await seal({ period: '2026-02' })).status).toBe(200);
    expect((await seal({ period: '2026-02' }, other)).status).toBe(400);
  });

  it('of a month to come, or of none, is refused', async () => {
    const answers = await Promise.all(
      ['2999-01', '2026-13', 'May'].map((period) => seal({ period })),
    );
    expect(answers.map(({ status, body }) => [status, body.error.param])).toEqual([
      [400, 'period'],
      [400, 'period'],
      [400, 'period'],
    ]);
  });

  it('is read and verified by its own organization alone', async () => {
    const { body } = await seal({ period: '2026-06' });
    const { content, ...receipt } = (await read(`/receipts/${body.id}`)).body;
    expect(receipt).toEqual({ ...body, already_sealed: true });
    expect(content).toMatchObject({ period: '2026-06', margin_leakage: { provenance: null } });
    expect((await read(`/receipts/${body.id}/verify`)).body).toEqual({
      valid: true,
      hash: body.sha256,
      recomputed_hash: body.sha256,
      chain_valid: true,
      erased: false,
    });
    const [foreign, missing, odd] = await Promise.all([
      read(`/receipts/${body.id}`, other),
      read(`/receipts/${newId('SealedReceipt')}`, other),
      read('/receipts/2026-06'),
    ]);
    expect([foreign.status, missing.status, odd.status]).toEqual([404, 404, 400]);
    expect(odd.body.error.code).toBe('invalid_receipt_id');
  });
});
