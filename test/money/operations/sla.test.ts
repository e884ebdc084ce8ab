import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plantUsage } from '../../finops/reports/usage-rows.js';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../../support/app.js';
import { existedSince } from '../../support/owner.js';
import { type Body, balanceOf, linesOf, newOffice, type Office, operate } from './world.js';

let app: TestApp;
let office: Office;
beforeAll(async () => {
  app = await startApp();
  office = await newOffice(app);
});
afterAll(() => app?.stop());

const MONTH = '2026-09';
const AT = new Date('2026-09-15T09:00:00Z');

function slaOf({ token }: Customer, month = MONTH) {
  return rest<Body>(app, 'GET', `/v1/gw/billing/sla?month=${month}`, { credential: token });
}

/** A customer with so many requests of the month, of which some came late. */
async function measured(all: number, late: number): Promise<Customer> {
  const customer = await newCustomer(app);
  await existedSince(app, customer.tenantId);
  const row = { tenantId: customer.tenantId, createdAt: AT, amountMicro: 1_000_000n };
  await plantUsage(
    app.owner.pool,
    Array.from({ length: all }, (_, index) => ({ ...row, latencyMs: index < late ? 30_001 : 900 })),
  );
  return customer;
}

function issue({ tenantId }: Customer, month = MONTH, credential = office.first.token) {
  return operate(app, 'sla-credits', credential, { tenant_id: tenantId, month });
}

describe('a credit for the service level', () => {
  it('is computed from measured requests by the published terms, and given once', async () => {
    const customer = await measured(200, 14);
    const other = { simulated: true, createdAt: AT, tenantId: customer.tenantId };
    await plantUsage(app.owner.pool, [{ ...other, latencyMs: 90_000 }]);
    const { body } = await slaOf(customer);
    expect(body).toEqual({
      month: MONTH,
      credit_rub: 20,
      classes: [
        {
          sla_class: 'standard',
          requests: 200,
          met: 186,
          share_percent: 93,
          target_percent: 95,
          verdict: 'missed',
          charged_rub: 200,
          credit_percent: 10,
          credit_rub: 20,
        },
      ],
    });
    const issued = await Promise.all([1, 2, 3].map(() => issue(customer)));
    expect(issued.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(issued.map(({ body: each }) => each.receipt_id)).size).toBe(1);
    expect(await balanceOf(app, customer)).toBe(20);
    expect(await linesOf(app, customer, 'credit')).toMatchObject([
      {
        amount_rub: 20,
        vat_rub: 0,
        description: 'Credit for the service level: 2026-09: standard 93 % of 95 %, credit 10 %',
      },
    ]);
  });

  it('is not due where the target was met, or too few requests certify nothing', async () => {
    const [met, few] = [await measured(100, 5), await measured(99, 99)];
    expect((await slaOf(met)).body).toMatchObject({ classes: [{ verdict: 'met' }] });
    expect((await slaOf(few)).body).toMatchObject({ classes: [{ verdict: 'cannot_certify' }] });
    for (const customer of [met, few]) {
      const { status, body } = await issue(customer);
      expect([status, body.status, body.amount_rub]).toEqual([200, 'not_due', 0]);
      expect(await balanceOf(app, customer)).toBe(0);
    }
  });

  it('is of a month that has ended, and only administrators of the platform give it', async () => {
    const customer = await measured(100, 100);
    const now = await issue(customer, new Date().toISOString().slice(0, 7));
    expect([now.status, now.body.error?.code]).toEqual([400, 'invalid_request']);
    const own = await issue(customer, MONTH, customer.token);
    expect([own.status, own.body.error?.code]).toEqual([403, 'platform_admin_required']);
    const { body } = await slaOf(await newCustomer(app));
    expect(body).toEqual({ month: MONTH, classes: [], credit_rub: 0 });
  });
});
