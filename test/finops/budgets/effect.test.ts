import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { supposedEffect } from '../../../src/finops/budgets/effect.rules.js';
import { outcome } from '../../journeys/people.js';
import { graphql, newCustomer, rest } from '../../support/app.js';
import { plantUsage } from '../reports/usage-rows.js';
import { type BudgetApp, setBudget, spend, startBudgetApp } from './budget-app.js';

let app: BudgetApp;
beforeAll(async () => {
  app = await startBudgetApp();
});
afterAll(() => app.stop());

const DRY = { dry_run: true };

describe('a dry run of a budget', () => {
  it('tells what it would have done to recorded requests, and writes nothing', async () => {
    const [customer, other] = [await newCustomer(app, 10), await newCustomer(app, 10)];
    for (const who of [customer, customer, customer, other]) await spend(app, who);
    await spend(app, customer, { feature: 'sales' });
    const dry = async (terms: object) =>
      (await setBudget(app, customer.token, { ...DRY, ...terms })).body;
    const blocked = await dry({ hard_cap: 2, soft_alerts: [50, 100], period: 'total' });
    expect(blocked).toMatchObject({
      complete: true,
      opening_rub: 0,
      requests: 3,
      blocked: 1,
      waiting: 0,
      degraded: 0,
      beyond: 0,
      blocked_rub: 1,
      passed_rub: 2,
      alerts_reached: [50, 100],
      provenance: 'live_measured',
    });
    expect(Date.parse(String(blocked.first_at))).toBeLessThanOrEqual(Date.now());
    const asks = { hard_cap: 0, on_cap_reached: 'require_approval', period: 'total' };
    expect(await dry(asks)).toMatchObject({ waiting: 3, blocked: 0, passed_rub: 0 });
    const degrades = { hard_cap: 1, on_cap_reached: 'degrade', period: 'total' };
    expect(await dry(degrades)).toMatchObject({ degraded: 2, passed_rub: 3 });
    expect(
      await dry({ hard_cap: 0, scope_ref: '*', active: false, period: 'total' }),
    ).toMatchObject({
      requests: 4,
      blocked: 0,
      first_at: null,
    });
    const path = '/v1/gw/finops/budgets';
    const { body } = await rest(app, 'GET', path, { credential: customer.token });
    expect(body.data).toEqual([]);
    expect(outcome(await spend(app, customer))).toBe('200');
    const { data } = await graphql<{ effect: object }>(
      app,
      `{ effect: budgetSetEffect(input: {
        scope: use_case, scopeRef: "support", hardCapRub: "2", period: total
      }) { requests blocked } }`,
      {},
      customer.token,
    );
    expect(data.effect).toEqual({ requests: 4, blocked: 2 });
  });

  it('counts what the period had spent before the window', async () => {
    const customer = await newCustomer(app, 10);
    const row = { tenantId: customer.tenantId, feature: 'support', amountMicro: 1_000_000n };
    const createdAt = new Date(Date.now() - 8 * 86_400_000);
    await plantUsage(app.owner.pool, [{ ...row, createdAt }, row]);
    const terms = { ...DRY, hard_cap: 1, period: 'total' };
    expect((await setBudget(app, customer.token, terms)).body).toMatchObject({
      opening_rub: 1,
      requests: 1,
      blocked: 1,
    });
  });

  it('names every fault, and refuses what is neither true nor false', async () => {
    const { token } = await newCustomer(app);
    const wrong = await setBudget(app, token, { ...DRY, hard_cap: -1, soft_alerts: [0.5] });
    const { faults } = wrong.body.error as { faults: { path: string }[] };
    expect(faults.map(({ path }) => path)).toEqual(['hard_cap', 'soft_alerts.0']);
    expect((await setBudget(app, token, { dry_run: 'yes' })).status).toBe(400);
  });
});

describe('the effect of a budget', () => {
  const NOON = Date.parse('2026-11-20T09:00:00Z');
  const budget = {
    period: 'day',
    onCapReached: 'block',
    softAlerts: [],
    active: true,
    openingMicro: 0n,
  } as const;

  it('never lets more pass in a day than its cap, and never grows with a higher cap', () => {
    const traffic = fc.array(
      fc.record({
        atMs: fc.integer({ min: NOON, max: NOON + 3 * 86_400_000 }),
        amountMicro: fc.bigInt({ min: 0n, max: 1_000n }),
      }),
    );
    fc.assert(
      fc.property(traffic, fc.bigInt({ min: 0n, max: 5_000n }), (rows, capMicro) => {
        const requests = [...rows].sort((left, right) => left.atMs - right.atMs);
        const effect = supposedEffect(requests, { ...budget, capMicro }, NOON);
        const whole = rows.reduce((sum, { amountMicro }) => sum + amountMicro, 0n);
        expect(effect.blockedMicro + effect.passedMicro).toBe(whole);
        expect(effect.passedMicro).toBeLessThanOrEqual(4n * capMicro);
        const equal = requests.map((row) => ({ ...row, amountMicro: 10n }));
        const of = (cap: bigint) =>
          supposedEffect(equal, { ...budget, capMicro: cap }, NOON).blocked;
        expect(of(capMicro + 100n)).toBeLessThanOrEqual(of(capMicro));
      }),
    );
  });
});
