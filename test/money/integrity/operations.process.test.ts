import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { BooksMonitor } from '../../../src/money/books/monitor.js';
import { proveBooks } from '../../../src/money/integrity/prove.js';
import { SETTLED_AFTER_MS } from '../../../src/money/integrity/vocabulary.js';
import { type Customer, rest, startApp, type TestApp } from '../../support/app.js';
import { type Body, charged, newOffice, type Office, operate } from '../operations/world.js';
import { plant } from './books.js';
import { BEGIN, MONTH, oldCustomer } from './checked.js';
import { verified } from './exported.js';
import { WHOLE } from './kinds.js';
import { tamper } from './tampered.js';

let app: TestApp;
let office: Office;

beforeAll(async () => {
  app = await startApp();
  office = await newOffice(app);
}, 120_000);
afterAll(() => app?.stop());

const PATH = '/v1/gw/billing-integrity/receipts';
/** So few requests are the least that say anything of the service level of a month. */
const LATE_REQUESTS = 100;

async function post(what: string, { tenantId }: Customer, more: object): Promise<void> {
  const order = { tenant_id: tenantId, ...more };
  const { status, body } = await operate(app, what, office.first.token, order);
  expect([what, status, body.status], JSON.stringify(body)).toEqual([what, 200, 'posted']);
}

/** The time of the database, behind all that is written. */
async function now(): Promise<Date> {
  const text = 'SELECT clock_timestamp() AS at';
  const { rows } = await app.owner.pool.query<{ at: Date }>(text);
  return new Date((rows[0]?.at.getTime() ?? 0) + 1);
}

/** Until the witness has read every row, and the log has every line. */
async function isRead(): Promise<void> {
  const unread = `SELECT count(*)::int AS unread FROM usage_event u WHERE (u.txid, u.seq) >
    (SELECT txid, seq FROM reader_mark WHERE name = 'integrity_witness')`;
  await vi.waitFor(
    async () => {
      await proveBooks(app.server.services);
      const { rows } = await app.owner.pool.query<{ unread: number }>(unread);
      expect(rows[0]?.unread).toBe(0);
    },
    { timeout: 60_000, interval: 200 },
  );
  await app.server.services.transparencyLog.bringForward();
}

async function sealed({ key }: Customer, from: Date, to: Date): Promise<Body> {
  const { status, body } = await rest<Body>(app, 'POST', PATH, {
    credential: key,
    body: { from, to },
  });
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

async function exported({ key }: Customer, { id }: Body): Promise<string> {
  const path = `${PATH}/${id}/export`;
  const { status, body } = await rest<string>(app, 'GET', path, { credential: key });
  expect(status).toBe(200);
  return body;
}

/** A month whose service level was missed, by requests that the books explain. */
async function missServiceLevel(customer: Customer): Promise<void> {
  for (let n = 0; n < LATE_REQUESTS; n += 1) {
    const at = new Date(BEGIN.getTime() + (n + 1) * 60_000);
    const usage = { ...WHOLE.usage, latency_ms: 40_000 };
    await plant(app.owner.pool, customer, at, { ...WHOLE, usage });
  }
}

describe('a period in which administrators moved a balance', () => {
  it('is sealed healthy, also where parts of a refund are in two of them', async () => {
    const customer = await oldCustomer(app, 500);
    await missServiceLevel(customer);
    const from = await now();
    const { requestId } = await charged(app, customer);
    // By the sum of the refunds these parts bear 1, 0, 1 and 0 micro-rubles of tax.
    const part = { request_id: requestId, amount_rub: 0.000003, reason: 'A part' };
    await post('refunds', customer, part);
    await post('refunds', customer, part);
    const between = await now();
    await charged(app, customer);
    await post('refunds', customer, part);
    await post('refunds', customer, part);
    await post('credits', customer, { amount_rub: 10, reason: 'For your patience' });
    await post('sla-credits', customer, { month: MONTH });
    await post('adjustments', customer, { amount_rub: 5, reason: 'Too little' });
    await post('adjustments', customer, { amount_rub: -3, reason: 'Too much' });
    await post('returns', customer, { amount_rub: 40, reason: 'Not needed' });
    await post('refunds', customer, { request_id: requestId, reason: 'The rest' });
    const to = await now();
    const { rows } = await app.owner.pool.query<{ vat: number }>(
      `SELECT vat_micro::int AS vat FROM ledger_entry
       WHERE tenant_id = $1 AND type = 'refund' ORDER BY account_version LIMIT 4`,
      [customer.tenantId],
    );
    expect(rows.map(({ vat }) => vat)).toEqual([1, 0, 1, 0]);
    await isRead();
    await sleep(SETTLED_AFTER_MS + 1_000);
    for (const period of [[from, to] as const, [from, between] as const, [between, to] as const]) {
      const receipt = await sealed(customer, ...period);
      expect(receipt).toMatchObject({ verdict: 'HEALTHY', rows: 'INTACT', faulty: [] });
      const said = await verified(await exported(customer, receipt));
      expect(said).toMatchObject({ code: 0, out: expect.stringContaining('HEALTHY repeated') });
    }
    const times = { firstMs: 3_600_000, everyMs: 3_600_000, overdueMs: 3_600_000 };
    const books = new BooksMonitor(app.server.services, times);
    await books.check();
    expect(books.standing().state).toBe('verified');

    // The tax of the third part is moved to the fourth: each would be right by itself, or by sum.
    const vat = (n: number, tax: number) =>
      [
        `UPDATE ledger_entry SET vat_micro = $2 WHERE account_version = (
           SELECT account_version FROM ledger_entry WHERE tenant_id = $1 AND type = 'refund'
           ORDER BY account_version OFFSET ${n} LIMIT 1) AND tenant_id = $1`,
        [customer.tenantId, tax],
      ] as const;
    await tamper(app.owner.pool, [vat(2, 0), vat(3, 1)]);
    const { body: altered } = await rest<Body>(app, 'POST', PATH, {
      credential: customer.key,
      body: { from: between, to, full: true },
    });
    expect(altered).toMatchObject({ verdict: 'VIOLATION', named_total: 2 });
    for (const { faults } of altered.faulty as { faults: string[] }[]) {
      expect([...faults].sort()).toEqual(['line_differs', 'row_changed']);
    }
    const shown = await verified(await exported(customer, altered));
    expect(shown).toMatchObject({ code: 0, out: expect.stringContaining('2 of them faulty') });
  }, 240_000);
});
