import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { checkFully } from '../../../src/money/books/full.js';
import { checkInvariants } from '../../../src/money/ledger/invariants.js';
import { resumeApprovals } from '../../../src/records/approvals/execution.js';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../../support/app.js';
import {
  appoint,
  type Body,
  balanceOf,
  charged,
  decide,
  newOffice,
  type Office,
  operate,
} from './world.js';

let app: TestApp;
let other: TestApp;
let office: Office;
beforeAll(async () => {
  app = await startApp();
  const { DATABASE_URL } = app.environment;
  other = await startApp({ DATABASE_URL });
  office = await newOffice(app);
  appoint(other, office.first.userId, office.second.userId);
});
afterAll(async () => {
  await other?.stop();
  await app?.stop();
});

const OPERATIONS = '/v1/gw/billing/operations';

describe('four eyes', () => {
  it('let a second administrator decide above the limit, and nobody else', async () => {
    const customer = await newCustomer(app);
    const order = { tenant_id: customer.tenantId, amount_rub: 10_000.01, reason: 'A big one' };
    const { body } = await operate(app, 'credits', office.first.token, order);
    expect(body).toMatchObject({ status: 'waiting_for_approval', receipt_id: null });
    expect(await balanceOf(app, customer)).toBe(0);
    const own = await decide(app, body.approval_id, office.first.token);
    expect(own.errors?.[0]?.extensions.code).toBe('approval_self_forbidden');
    const clerk = await decide(app, body.approval_id, office.clerk.token);
    expect(clerk.errors?.[0]?.extensions.code).toBe('platform_admin_required');
    const foreign = await decide(app, body.approval_id, customer.token);
    expect(foreign.errors?.[0]?.extensions.code).toBe('not_found');
    const refused = await decide(app, body.approval_id, office.clerk.token, 'reject');
    expect(refused.errors?.[0]?.extensions.code).toBe('platform_admin_required');
    expect(await balanceOf(app, customer)).toBe(0);
    const approved = await decide(app, body.approval_id, office.second.token);
    expect(approved.data.approvalDecide).toEqual({ status: 'approved', execution: 'done' });
    expect(await balanceOf(app, customer)).toBe(10_000.01);
    const listed = await rest<{ data: Body[] }>(app, 'GET', OPERATIONS, {
      credential: customer.token,
    });
    expect(listed.body.data).toMatchObject([
      {
        request_id: body.operation_id,
        requested_by: office.first.userId,
        approved_by: office.second.userId,
      },
    ]);
  });

  it('are not passed by many small operations, also at once', async () => {
    const customer = await newCustomer(app);
    const order = { tenant_id: customer.tenantId, amount_rub: 4_000, reason: 'Piecemeal' };
    const asked = [1, 2, 3, 4].map((n) =>
      operate(n % 2 ? app : other, 'credits', office.first.token, order),
    );
    const statuses = (await Promise.all(asked)).map(({ body }) => body.status);
    expect(statuses.sort()).toEqual([
      'posted',
      'posted',
      'waiting_for_approval',
      'waiting_for_approval',
    ]);
    expect(await balanceOf(app, customer)).toBe(8_000);
    const second = await operate(app, 'credits', office.second.token, order);
    expect(second.body.status).toBe('posted');
  });

  it('are not passed by operations in accounts of many organizations, also at once', async () => {
    const customers = await Promise.all([1, 2, 3, 4].map(() => newCustomer(app)));
    const alone = await newOffice(app);
    appoint(other, alone.first.userId, alone.second.userId);
    const order = { amount_rub: 4_000, reason: 'Here and there' };
    const asked = customers.map(({ tenantId: tenant_id }, n) =>
      operate(n % 2 ? app : other, 'credits', alone.first.token, { ...order, tenant_id }),
    );
    const statuses = (await Promise.all(asked)).map(({ body }) => body.status);
    expect(statuses.sort()).toEqual([
      'posted',
      'posted',
      'waiting_for_approval',
      'waiting_for_approval',
    ]);
    const tenant_id = customers[0]?.tenantId;
    const rest_ = { tenant_id, reason: 'What is left', amount_rub: 2_000 };
    const last = await operate(app, 'credits', alone.first.token, rest_);
    expect(last.body.status).toBe('posted');
    const one = await operate(app, 'credits', alone.first.token, { ...rest_, amount_rub: 0.01 });
    expect(one.body.status).toBe('waiting_for_approval');
    const second = await operate(app, 'credits', alone.second.token, { ...order, tenant_id });
    expect(second.body.status).toBe('posted');
  });

  it('of a rejected operation move nothing, under a key as well', async () => {
    const customer = await newCustomer(app);
    const order = { tenant_id: customer.tenantId, amount_rub: 20_000, reason: 'Too much' };
    const headers = { 'idempotency-key': newId('Request') };
    const { body, status } = await operate(app, 'credits', office.first.token, order, headers);
    expect(status, JSON.stringify(body)).toBe(200);
    await decide(app, body.approval_id, office.second.token, 'reject');
    expect(await balanceOf(app, customer)).toBe(0);
  });

  it('need two administrators of today: one who was removed has asked for nothing', async () => {
    const customer = await newCustomer(app);
    const order = { tenant_id: customer.tenantId, amount_rub: 10_001, reason: 'Before I left' };
    const { body } = await operate(app, 'credits', office.first.token, order);
    const admins = app.server.services.config.platformAdmins as Set<string>;
    admins.delete(office.first.userId);
    try {
      const decided = await decide(app, body.approval_id, office.second.token);
      expect(decided.errors?.[0]?.extensions.code).toBe('operation_requester_removed');
      expect(await balanceOf(app, customer)).toBe(0);
      const rejected = await decide(app, body.approval_id, office.second.token, 'reject');
      expect(rejected.data.approvalDecide).toEqual({ status: 'rejected', execution: 'none' });
    } finally {
      admins.add(office.first.userId);
    }
  });

  it('are not asked for what the balance or the charge refuses', async () => {
    const customer = await newCustomer(app, 15_000);
    const { requestId, costRub } = await charged(app, customer);
    const credit = 'UPDATE account SET credit_limit_micro = 500000000 WHERE id = $1';
    await app.owner.pool.query(credit, [customer.accountId]);
    const order = { tenant_id: customer.tenantId, reason: 'Too much' };
    const ask = async (what: string, more: object) => {
      const { status, body } = await operate(app, what, office.first.token, { ...order, ...more });
      return [status, body.error?.code ?? body.status];
    };
    const refund = { request_id: requestId, amount_rub: 20_000 };
    expect(await ask('refunds', refund)).toEqual([409, 'refund_exceeds_charge']);
    const taken = [409, 'balance_not_available'];
    expect(await ask('returns', { amount_rub: 15_000 })).toEqual(taken);
    const credited = -15_500 + costRub;
    expect(await ask('adjustments', { amount_rub: credited - 0.000001 })).toEqual(taken);
    const waits = [200, 'waiting_for_approval'];
    expect(await ask('adjustments', { amount_rub: credited })).toEqual(waits);
    expect(await ask('returns', { amount_rub: 14_000 })).toEqual(waits);
  });

  it('of an operation that the balance refuses are final: later money stays', async () => {
    const customer = await newCustomer(app, 20_000);
    const order = { tenant_id: customer.tenantId, reason: 'All of it' };
    const take = (amount_rub: number) =>
      operate(app, 'adjustments', office.first.token, { ...order, amount_rub });
    const { body } = await take(-20_000);
    expect(body.status).toBe('waiting_for_approval');
    expect((await take(-1)).body.status).toBe('posted');
    const decided = await decide(app, body.approval_id, office.second.token);
    expect(decided.data.approvalDecide).toEqual({ status: 'approved', execution: 'failed' });
    const later = { ...order, amount_rub: 10 };
    await operate(app, 'credits', office.first.token, later);
    const { rows } = await app.owner.pool.query(
      `SELECT attempts, execute_after AS "after", execution_error AS error FROM approval
       WHERE id = $1`,
      [body.approval_id],
    );
    expect(rows).toEqual([{ attempts: 1, after: null, error: 'balance_not_available' }]);
    await resumeApprovals(app.server.services);
    expect(await balanceOf(app, customer)).toBe(20_009);
  });
});

describe('the checks of the books', () => {
  /** A line past every wall, as only the owner of the database could write it. */
  async function plant(
    customer: Customer,
    type: string,
    charged: string | null = null,
    rate = 2_200,
  ) {
    const requestId = newId('Request');
    await app.owner.pool.query(
      `WITH funds AS (UPDATE account SET posted_micro = posted_micro + 5, version = version + 1
         WHERE id = $1 RETURNING posted_micro, held_micro, version)
       INSERT INTO ledger_entry (account_id, account_version, tenant_id, type, request_id,
         charged_request_id, contra, amount_micro, posted_delta, held_delta, posted_after,
         held_after, vat_rate_basis_points, vat_micro, created_at)
       SELECT $1, version, $2, $4::text, $3, $5, 'credits', 5, 5, 0, posted_micro, held_micro,
         CASE $4::text WHEN 'refund' THEN $6::int END, 0, clock_timestamp() FROM funds`,
      [customer.accountId, customer.tenantId, requestId, type, charged, rate],
    );
    return requestId;
  }

  it('find a credit without receipt and a refund beyond its charge, and no more', async () => {
    const { services } = app.server;
    const customer = await newCustomer(app, 500);
    const { requestId } = await charged(app, customer);
    const sound = { tenant_id: customer.tenantId, reason: 'Sound' };
    await operate(app, 'refunds', office.first.token, { ...sound, request_id: requestId });
    await operate(app, 'credits', office.first.token, { ...sound, amount_rub: 5 });
    await operate(app, 'returns', office.first.token, { ...sound, amount_rub: 5 });
    const invariants = async () => {
      const whole = await checkFully(services.platformPool);
      const looked = await app.owner.pool.query<{ invariant: string; subject: string }>(
        'SELECT invariant, subject FROM books_finding WHERE tenant_id = $1',
        [customer.tenantId],
      );
      const own = whole.filter(({ tenantId }) => tenantId === customer.tenantId);
      return [...own, ...looked.rows].map(({ invariant, subject }) => `${invariant} ${subject}`);
    };
    expect(await checkInvariants(app.owner.pool)).toEqual([]);
    expect(await invariants()).toEqual([]);
    const credit = await plant(customer, 'credit');
    await plant(customer, 'refund', requestId);
    const found = await invariants();
    expect(found).toContain(`I15_operations_have_receipts ${credit}`);
    expect(found).toContain(`I16_refunds_within_charges ${requestId}`);
  });

  it('find a refund at another rate of VAT than its charge', async () => {
    const customer = await newCustomer(app, 500);
    const { requestId } = await charged(app, customer);
    await plant(customer, 'refund', requestId, 2_000);
    const whole = await checkFully(app.server.services.platformPool);
    const own = whole.filter(({ subject }) => subject === requestId);
    expect(own.map(({ invariant, detail }) => [invariant, detail])).toContainEqual([
      'I16_refunds_within_charges',
      expect.stringContaining('at the rates 2000 of 2200'),
    ]);
  });
});
