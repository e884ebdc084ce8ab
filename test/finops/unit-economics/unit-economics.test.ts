import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CATEGORIES,
  CONFIDENCES,
  HARD_RULES,
  LADDER,
} from '../../../src/finops/unit-economics/vocabulary.js';
import { graphql, startApp, type TestApp } from '../../support/app.js';
import { ask } from './planted-costs.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app?.stop());

const post = async (path: string, body: object) => (await ask(app, 'POST', path, body)).body;
const PROJECTION = { authoritative: false, provenance: 'declared' };

describe('the reference', () => {
  it('is public and lists what the rules decide by', async () => {
    const { status, body } = await ask(app, 'GET', '/reference');
    expect(status).toBe(200);
    expect(body.allocation_confidence).toEqual(CONFIDENCES.rows);
    expect(body.hard_rules).toEqual(HARD_RULES.rows);
    expect(body.cost_categories).toEqual(
      CATEGORIES.rows.map(({ isLoss, ...row }) => ({ ...row, is_loss: isLoss })),
    );
    expect(body.budget_ladder).toEqual(
      LADDER.rows.map(({ fromBasisPoints: from, ...row }) => ({ ...row, from_basis_points: from })),
    );
    const rates = body.vat_rates as { effective_from: string; basis_points: number }[];
    expect(rates.map((rate) => [rate.effective_from, rate.basis_points])).toEqual([
      ['2004-01-01', 1_800],
      ['2019-01-01', 2_000],
      ['2026-01-01', 2_200],
    ]);
  });
});

describe('stated figures', () => {
  it('projection_not_bill: every calculator says declared and not authoritative', async () => {
    const answers = await Promise.all([
      post('/vat', { gross_rub: 122 }),
      post('/cost-category', {}),
      post('/shared-pool', { pool_rub: 1, driver: 'tokens' }),
      post('/reconcile', {}),
      post('/budget-ladder', { spent_rub: 1, budget_rub: 2 }),
      post('/velocity', { spent_rub: 1 }),
      post('/profitability', {}),
      post('/engineering-cost-gate', { cogs_before_rub: 1, cogs_after_rub: 1 }),
      post('/margin-leakage', {}),
    ]);
    expect(answers.map(({ authoritative, provenance }) => [authoritative, provenance])).toEqual(
      answers.map(() => [false, 'declared']),
    );
  });

  it('say the time that a velocity is taken over, a day unless it is stated', async () => {
    const day = await post('/velocity', { spent_rub: 24 });
    expect(day).toMatchObject({ hours: 24, burn_per_hour_rub: 1 });
    const stated = await post('/velocity', { spent_rub: 24, window_hours: 2 });
    expect(stated).toMatchObject({ hours: 2, burn_per_hour_rub: 12 });
  });

  it('fail closed on the smallest body, each with the word of its group', async () => {
    const verdicts = await Promise.all([
      post('/cost-category', {}),
      post('/shared-pool', { pool_rub: 100, driver: 'requests' }),
      post('/reconcile', {}),
      post('/profitability', {}),
      post('/margin-leakage', {}),
    ]);
    expect(
      verdicts.map(({ verdict, needed }) => [verdict, (needed as string[]).length > 0]),
    ).toEqual([
      ['cannot_classify', true],
      ['cannot_allocate', true],
      ['cannot_certify', true],
      ['CANNOT_CLASSIFY', true],
      ['cannot_certify', true],
    ]);
  });

  it('name every fault of a body under the names of the wire', async () => {
    const { body } = await ask(app, 'POST', '/shared-pool', {
      pool_rub: -1,
      driver: 'requests',
      consumers: [
        { consumer: 'a', units: -1 },
        { consumer: '', units: 1 },
      ],
    });
    expect(body.error.faults?.map(({ path }) => path)).toEqual([
      'pool_rub',
      'consumers.0.units',
      'consumers.1.consumer',
    ]);
  });
});

describe('VAT', () => {
  it('vat_apart: net, VAT and gross, the same in both voices', async () => {
    expect(await post('/vat', { gross_rub: 120, supply_day: '2025-12-31' })).toEqual({
      net_rub: 100,
      vat_rub: 20,
      gross_rub: 120,
      supply_day: '2025-12-31',
      vat_rate_basis_points: 2_000,
      rate_effective_from: '2019-01-01',
      vat_difference_rub: null,
      ...PROJECTION,
    });
    const { data } = await graphql(
      app,
      '{ vatNormalize(input: { netRub: "100", supplyDay: "2026-01-01" }) { vatRub grossRub } }',
    );
    expect(data).toEqual({ vatNormalize: { vatRub: '22.00', grossRub: '122.00' } });
  });

  it('vat_by_supply_day: a day before the first published rate is refused', async () => {
    const asked = { net_rub: 1, supply_day: '2003-12-31' };
    const { status, body } = await ask(app, 'POST', '/vat', asked);
    expect([status, body.error.param]).toEqual([400, 'supply_day']);
    const without = await ask(app, 'POST', '/vat', {});
    expect([without.status, without.body.error.param]).toEqual([400, 'gross_rub']);
  });
});

describe('a category', () => {
  it('failed_work_has_a_cost: all of it is lost, and none is needed to be told first', async () => {
    expect(await post('/cost-category', { cost_rub: 1.25, delivery: 'failed' })).toEqual({
      verdict: 'classified',
      category: 'failed_delivery',
      why: 'It failed, or was cut off before its end.',
      is_loss: true,
      cost_rub: 1.25,
      lost_rub: 1.25,
      reason: null,
      needed: [],
      ...PROJECTION,
    });
    const without = await post('/cost-category', { delivery: 'failed' });
    expect(without).toMatchObject({ verdict: 'cannot_classify', needed: ['cost_rub'] });
    const odd = { cost_rub: 1, delivery: 'failed', use: 'used' };
    expect((await ask(app, 'POST', '/cost-category', odd)).body.error.param).toBe('use');
  });
});

describe('a shared pool', () => {
  it('shares_add_up: what is left goes to the largest remainders, the earlier first', async () => {
    const pool = { pool_rub: 0.00001, driver: 'requests' };
    const consumers = ['a', 'b', 'c'].map((consumer, at) => ({ consumer, units: [1, 1, 4][at] }));
    expect(await post('/shared-pool', { ...pool, consumers })).toEqual({
      verdict: 'allocated',
      driver: 'requests',
      units: 6,
      pool_rub: 0.00001,
      shares: [
        { consumer: 'a', units: 1, share_rub: 0.000002 },
        { consumer: 'b', units: 1, share_rub: 0.000002 },
        { consumer: 'c', units: 4, share_rub: 0.000006 },
      ],
      reason: null,
      needed: [],
      ...PROJECTION,
    });
  });

  it('approved_driver_only: another one is refused, and the list is named', async () => {
    const asked = { pool_rub: 1, driver: 'mood', consumers: [{ consumer: 'a', units: 1 }] };
    const { status, body } = await ask(app, 'POST', '/shared-pool', asked);
    expect([status, body.error.param]).toEqual([400, 'driver']);
  });
});

describe('reconciling', () => {
  it('no_invoice_no_certificate: the state stays what it is, the variance is null', async () => {
    expect(await post('/reconcile', { estimated_rub: 9, reported_rub: 10 })).toEqual({
      verdict: 'cannot_certify',
      state: 'reported',
      estimated_rub: 9,
      reported_rub: 10,
      invoiced_rub: null,
      variance_rub: null,
      variance_basis_points: null,
      reason: 'There is no invoice.',
      needed: ['invoiced_rub'],
      ...PROJECTION,
    });
    expect(await post('/reconcile', { reported_rub: 10, invoice_rub: 10.2 })).toMatchObject({
      verdict: 'variance',
      state: 'invoiced',
      variance_rub: 0.2,
      variance_basis_points: 200,
    });
  });
});

describe('the budget ladder', () => {
  it('ladder_in_order: answers with every step that holds', async () => {
    expect(await post('/budget-ladder', { spent_rub: 8_600, budget_rub: 10_000 })).toEqual({
      step: 'disable_exploration',
      steps: ['alert', 'restrict_premium', 'disable_exploration'],
      next_step: 'force_batch',
      next_at_rub: 9_000,
      used_basis_points: 8_600,
      ...PROJECTION,
    });
  });
});

describe('a map of customers', () => {
  it('no_ledger_no_class: a customer without figures has no class, and no margin', async () => {
    const map = await post('/profitability', {
      customers: [
        { customer: 'small', revenue_rub: 10, cost_rub: 5 },
        { customer: 'large', revenue_rub: 1_000, cost_rub: 1_001 },
        { customer: 'unknown', revenue_rub: 1_000 },
      ],
    });
    expect(map).toMatchObject({
      verdict: 'classified',
      customers: [
        { customer: 'large', profitability: 'LOSS', margin_rub: -1 },
        { customer: 'small', profitability: 'HEALTHY', margin_basis_points: 5_000 },
        { customer: 'unknown', profitability: 'CANNOT_CLASSIFY', margin_rub: null },
      ],
      revenue_rub: 1_010,
      margin_rub: 4,
    });
  });
});
