import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { taxInside } from '../../../src/kernel/money.js';
import { moscowDay } from '../../../src/kernel/time.js';
import { graphql, newCustomer, rest, startApp, type TestApp } from '../../support/app.js';
import {
  appoint,
  type Body,
  balanceOf,
  charged,
  linesOf,
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

const THIS_MONTH = moscowDay(Date.now()).slice(0, 7);
const OPERATIONS = '/v1/gw/billing/operations';
const micro = (rub: unknown) => BigInt(Math.round(Number(rub) * 1e6));

describe('the refund of a request', () => {
  it('gives the charge back with its VAT, and the customer sees line and document', async () => {
    const customer = await newCustomer(app, 500);
    const { requestId, costRub } = await charged(app, customer);
    const order = { tenant_id: customer.tenantId, request_id: requestId, reason: 'Cut off' };
    const { status, body } = await operate(app, 'refunds', office.first.token, order);
    expect([status, body.status, body.amount_rub]).toEqual([200, 'posted', costRub]);
    expect(await balanceOf(app, customer)).toBe(500);
    const [charge] = await linesOf(app, customer, 'finalize');
    const [line] = await linesOf(app, customer, 'refund');
    expect(line).toMatchObject({
      request_id: body.operation_id,
      charged_request_id: requestId,
      amount_rub: costRub,
      vat_rub: charge?.vat_rub,
      description: 'Refund of a request: Cut off',
      actor_id: office.first.userId,
    });
    const receipt = await rest<Body>(app, 'GET', `${OPERATIONS}/${body.receipt_id}`, {
      credential: customer.token,
    });
    expect(receipt.body).toMatchObject({
      operation: 'request_refund',
      charged_request_id: requestId,
      charge_left_rub: 0,
      vat_rate_percent: 22,
      approved_by: null,
      documents: [{ kind: 'upd', month: THIS_MONTH, basis_month: null, lot_id: null }],
      document: null,
      lots: [{ restored_rub: costRub, returned_rub: 0 }],
    });
    const verified = await rest(app, 'GET', `${OPERATIONS}/${body.receipt_id}/verify`, {
      credential: customer.token,
    });
    expect(verified.body).toMatchObject({ valid: true, chain_valid: true });
    const trail = await app.owner.prisma.auditEvent.findMany({
      where: { tenantId: customer.tenantId, action: 'balanceRefund' },
    });
    expect(trail).toMatchObject([{ actorId: office.first.userId, subjectId: body.operation_id }]);
  });

  it('in parts bears exactly the VAT of the charge, and never passes the charge', async () => {
    const customer = await newCustomer(app, 500);
    const { requestId, costRub } = await charged(app, customer);
    const part = Math.floor((costRub * 1e6) / 3) / 1e6;
    const order = { tenant_id: customer.tenantId, request_id: requestId, reason: 'A part' };
    for (const amount_rub of [part, part]) {
      const { status } = await operate(app, 'refunds', office.first.token, {
        ...order,
        amount_rub,
      });
      expect(status).toBe(200);
    }
    const more = { ...order, amount_rub: costRub };
    const refused = await operate(app, 'refunds', office.first.token, more);
    expect([refused.status, refused.body.error?.code]).toEqual([409, 'refund_exceeds_charge']);
    expect((await operate(app, 'refunds', office.first.token, order)).status).toBe(200);
    const again = await operate(app, 'refunds', office.first.token, order);
    expect(again.body.error?.code).toBe('refund_exceeds_charge');
    const lines = await linesOf(app, customer, 'refund');
    const vat = lines.reduce((sum, line) => sum + micro(line.vat_rub), 0n);
    expect(vat).toBe(taxInside(micro(costRub), 2_200).vat);
    expect(await balanceOf(app, customer)).toBe(500);
  });

  it('is made once where administrators on two nodes ask for it at once', async () => {
    const customer = await newCustomer(app, 500);
    const { requestId } = await charged(app, customer);
    const order = { tenant_id: customer.tenantId, request_id: requestId, reason: 'Race' };
    const asked = [app, other, app, other].map((node, index) => {
      const { token } = index % 2 === 0 ? office.first : office.second;
      return operate(node, 'refunds', token, order);
    });
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 409, 409, 409]);
    expect(await balanceOf(app, customer)).toBe(500);
    expect(await linesOf(app, customer, 'refund')).toHaveLength(1);
  });

  it('is made once under a key, which answers the same again', async () => {
    const customer = await newCustomer(app, 500);
    const { requestId, costRub } = await charged(app, customer);
    const order = {
      ...{ tenant_id: customer.tenantId, request_id: requestId },
      ...{ amount_rub: costRub / 2, reason: 'Keyed' },
    };
    const headers = { 'idempotency-key': newId('Request') };
    const asked = () => operate(app, 'refunds', office.first.token, order, headers);
    const [one, two] = [await asked(), await asked()];
    expect(one.status, JSON.stringify(one.body)).toBe(200);
    expect(two.body).toEqual(one.body);
    expect(await linesOf(app, customer, 'refund')).toHaveLength(1);
  });

  it('of a request of another organization is refused as that of an unknown one', async () => {
    const [customer, stranger] = [await newCustomer(app, 500), await newCustomer(app, 500)];
    const { requestId } = await charged(app, stranger);
    const ask = (request_id: string) =>
      operate(app, 'refunds', office.first.token, {
        ...{ tenant_id: customer.tenantId, request_id, reason: 'Whose?' },
      });
    const [foreign, unknown] = [await ask(requestId), await ask(newId('Request'))];
    expect([foreign.status, foreign.body.error?.code]).toEqual([404, 'not_found']);
    expect([unknown.status, unknown.body.error?.code]).toEqual([404, 'not_found']);
  });
});

describe('operations on balances', () => {
  it('are refused to everybody who does not administer the platform', async () => {
    const customer = await newCustomer(app, 100);
    const order = { tenant_id: customer.tenantId, amount_rub: 1, reason: 'Mine' };
    const { requestId } = await charged(app, customer);
    const bodies = [
      ['credits', order],
      ['adjustments', order],
      ['returns', order],
      ['refunds', { ...order, request_id: requestId }],
    ] as const;
    for (const [what, body] of bodies) {
      for (const credential of [customer.token, customer.key, office.clerk.token]) {
        const { status, body: answer } = await operate(app, what, credential, body);
        expect([what, status, answer.error?.code]).toEqual([what, 403, 'platform_admin_required']);
      }
    }
  });

  it('name every fault at once, and an unknown organization is not found', async () => {
    const order = { tenant_id: newId('Tenant'), amount_rub: 0, reason: '  ' };
    const { status, body } = await operate(app, 'adjustments', office.first.token, order);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'invalid_request' });
    const unknown = { ...order, amount_rub: 5, reason: 'Who?' };
    const missing = await operate(app, 'credits', office.first.token, unknown);
    expect([missing.status, missing.body.error?.code]).toEqual([404, 'not_found']);
  });

  it('of another organization do not exist for a customer', async () => {
    const [customer, stranger] = [await newCustomer(app), await newCustomer(app)];
    const order = { tenant_id: customer.tenantId, amount_rub: 5, reason: 'For you' };
    const { body } = await operate(app, 'credits', office.first.token, order);
    const path = `${OPERATIONS}/${body.receipt_id}`;
    expect((await rest(app, 'GET', path, { credential: customer.token })).status).toBe(200);
    expect((await rest(app, 'GET', path, { credential: stranger.token })).status).toBe(404);
    const listed = await rest<{ data: unknown[] }>(app, 'GET', OPERATIONS, {
      credential: stranger.token,
    });
    expect(listed.body.data).toEqual([]);
  });
});

describe('a credit', () => {
  it('is a bonus without VAT, in GraphQL as well', async () => {
    const customer = await newCustomer(app, 100);
    const { data } = await graphql<{ balanceCredit: Record<string, unknown> }>(
      app,
      `mutation($input: BalanceCreditInput!) {
        balanceCredit(input: $input) { status amountRub vatRub postedAfterRub }
      }`,
      { input: { tenantId: customer.tenantId, amountRub: '40', reason: 'For your patience' } },
      office.first.token,
    );
    expect(data.balanceCredit).toEqual({
      status: 'posted',
      amountRub: '40.00',
      vatRub: '0.00',
      postedAfterRub: '140.00',
    });
    const [line] = await linesOf(app, customer, 'credit');
    expect(line).toMatchObject({ vat_rate_percent: null, vat_rub: 0, net_rub: 40 });
    const advances = await rest<Body>(app, 'GET', '/v1/gw/billing/advances', {
      credential: customer.token,
    });
    expect(advances.body).toMatchObject({
      ...{ posted_rub: 140, paid_left_rub: 100, bonus_left_rub: 40, owed_rub: 0 },
      lots: [{ vat_rate_percent: 22, invoice_gross_rub: 100, invoice_vat_rub: 18.03 }],
    });
  });
});

describe('an adjustment', () => {
  it('goes either way, and takes no more than is free', async () => {
    const customer = await newCustomer(app, 100);
    const order = { tenant_id: customer.tenantId, reason: 'A wrong entry' };
    const adjust = (amount_rub: number) =>
      operate(app, 'adjustments', office.first.token, { ...order, amount_rub });
    expect((await adjust(20)).body.status).toBe('posted');
    expect((await adjust(-120)).body).toMatchObject({ status: 'posted', amount_rub: -120 });
    expect(await balanceOf(app, customer)).toBe(0);
    const refused = await adjust(-0.01);
    expect([refused.status, refused.body.error?.code]).toEqual([409, 'balance_not_available']);
  });
});

describe('the return of a balance', () => {
  it('takes the newest advance first with its VAT, and leaves a bonus', async () => {
    const customer = await newCustomer(app, 100);
    const body = { amount_rub: 50 };
    await rest(app, 'POST', '/billing/top-up/manual', { credential: customer.token, body });
    const order = { tenant_id: customer.tenantId, reason: 'The end' };
    const credit = { ...order, amount_rub: 30 };
    await operate(app, 'credits', office.first.token, credit);
    const part = { ...order, amount_rub: 61 };
    const returned = await operate(app, 'returns', office.first.token, part);
    expect(returned.body).toMatchObject({ status: 'posted', amount_rub: -61 });
    const receipt = await rest<Body>(app, 'GET', `${OPERATIONS}/${returned.body.receipt_id}`, {
      credential: customer.token,
    });
    expect(receipt.body).toMatchObject({
      lots: [
        { gross_rub: 11, vat_rub: 1.98 },
        { gross_rub: 50, vat_rub: 9.02 },
      ],
      documents: [{ kind: 'advance_return' }, { kind: 'advance_return' }],
      document: null,
    });
    const rest_ = await operate(app, 'returns', office.first.token, order);
    expect(rest_.body).toMatchObject({ amount_rub: -89, posted_after_rub: 30 });
    const none = await operate(app, 'returns', office.first.token, order);
    expect([none.status, none.body.error?.code]).toEqual([409, 'balance_not_available']);
  });

  it('never takes what open requests hold, and cannot overspend where many ask', async () => {
    const customer = await newCustomer(app, 100);
    const { ledger } = app.server.services;
    const hold = { accountId: customer.accountId, requestId: newId('Request') };
    await ledger.hold({
      ...hold,
      tenantId: customer.tenantId,
      amountMicro: 30_000_000n,
      budgetIds: [],
    });
    const order = { tenant_id: customer.tenantId, amount_rub: 40, reason: 'Race' };
    const asked = [app, other, app, other].map((node) =>
      operate(node, 'returns', office.first.token, order),
    );
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 409, 409, 409]);
    expect(await balanceOf(app, customer)).toBe(60);
    await ledger.release(hold);
  });
});
