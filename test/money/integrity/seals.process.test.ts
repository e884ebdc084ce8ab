import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { BooksMonitor } from '../../../src/money/books/monitor.js';
import { sealDuePeriods } from '../../../src/money/integrity/due-seals.js';
import { readOn } from '../../../src/money/integrity/period.js';
import { proveBooks } from '../../../src/money/integrity/prove.js';
import { readFeed } from '../../../src/records/feed.js';
import { RECEIPT_FEED } from '../../../src/records/receipt-feed.js';
import { type Customer, graphql, rest, startApp, type TestApp } from '../../support/app.js';
import { plant, plantCleanBooks } from './books.js';
import { BEGIN, CHECKS, checkOf, END, oldCustomer } from './checked.js';
import { verified } from './exported.js';
import { WHOLE } from './kinds.js';
import { tamper } from './tampered.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
}, 120_000);
afterAll(() => app.stop());

const DAY_MS = 86_400_000;
const AT = new Date(BEGIN.getTime() + DAY_MS + 1_234_567);
const PATH = '/v1/gw/billing-integrity/receipts';

interface Sealed extends Record<string, unknown> {
  readonly id: string;
  readonly verdict: string;
  readonly root_sha256: string;
  readonly faulty: readonly { readonly request_id: string; readonly faults: string[] }[];
}

async function seal(customer: Customer, more: object = {}): Promise<Sealed> {
  const { status, body } = await rest<Sealed>(app, 'POST', PATH, {
    credential: customer.key,
    body: { from: BEGIN, to: END, ...more },
  });
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

async function read<T = Sealed>(customer: Customer, path: string): Promise<T> {
  const { status, body } = await rest<T>(app, 'GET', path, { credential: customer.key });
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

/** Until the witness and the proof have read every row. */
async function isProven(): Promise<void> {
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
}

const update = (set: string, id: string) =>
  [`UPDATE usage_event SET ${set} WHERE id = $1`, [id]] as const;

function monitor(): BooksMonitor {
  return new BooksMonitor(app.server.services, {
    firstMs: 3_600_000,
    everyMs: 3_600_000,
    overdueMs: 3_600_000,
  });
}

describe('two proven rows that were changed by opposite amounts', () => {
  it('every_row_is_read: seal and live check name what differs, and a wrong price', async () => {
    const customer = await oldCustomer(app);
    const [one, two, three] = [
      await plant(app.owner.pool, customer, AT, WHOLE),
      await plant(app.owner.pool, customer, AT, WHOLE),
      await plant(app.owner.pool, customer, AT, WHOLE),
    ];
    await isProven();
    await tamper(app.owner.pool, [
      update('amount_micro = amount_micro + 100, cost_micro = cost_micro + 100', one),
      update('amount_micro = amount_micro - 100, cost_micro = cost_micro - 100', two),
      update(`prices = jsonb_set(prices, '{output_text}', '"900000"')`, three),
    ]);
    // A window that ends within an hour reads its rows, and sees the price.
    const to = new Date(AT.getTime() + 1_000);
    const live = await checkOf(app, customer, 'replay', { from: BEGIN, to });
    expect(live.verdict).toBe('DISCREPANCY');
    expect(live.faulty.map(({ request_id }) => request_id)).toContain(three);
    const sealed = await seal(customer);
    expect(sealed).toMatchObject({ verdict: 'VIOLATION', named_total: 3 });
    expect(new Map(sealed.faulty.map(({ request_id, faults }) => [request_id, faults]))).toEqual(
      new Map([
        [one, expect.arrayContaining(['amount_differs', 'row_changed'])],
        [two, expect.arrayContaining(['amount_differs', 'row_changed'])],
        [three, expect.arrayContaining(['replay_differs', 'row_changed'])],
      ]),
    );
  }, 120_000);

  it('stand beside live checks that say which columns they have compared', async () => {
    const customer = await oldCustomer(app);
    const compared = await Promise.all(
      CHECKS.map(async (check) => (await checkOf(app, customer, check)).compared as string[]),
    );
    expect(compared[0]).toEqual(
      expect.arrayContaining(['ledger_entry.type', 'usage_event.status']),
    );
    expect(compared[1]).toEqual(expect.arrayContaining(['usage_event.vat_micro']));
    expect(compared[2]).toEqual(expect.arrayContaining(['price_row.effective_from']));
    expect(compared.flat()).not.toContain('usage_event.provider');
  }, 60_000);
});

describe('a contradiction that appears behind a receipt', () => {
  it('contradictions_supersede: the feed has a receipt, and the monitor is red', async () => {
    const customer = await oldCustomer(app);
    const id = await plant(app.owner.pool, customer, AT, WHOLE);
    await isProven();
    const first = await seal(customer);
    expect(first).toMatchObject({ verdict: 'HEALTHY', superseded_by: null, witnessed: 1 });
    const books = monitor();
    await tamper(app.owner.pool, [update(`provider = 'another'`, id)]);
    const second = await seal(customer, { full: true });
    expect(second).toMatchObject({
      verdict: 'VIOLATION',
      completeness: 'COMPLETE',
      dual_meter: 'MATCHED',
      replay: 'RECONCILED',
      rows: 'ALTERED',
      supersedes: first.id,
      faulty: [{ request_id: id, faults: ['row_changed'] }],
      already_sealed: false,
    });
    expect(await read(customer, `${PATH}/${first.id}`)).toMatchObject({
      verdict: 'HEALTHY',
      superseded_by: second.id,
    });
    const told = await readFeed(app.server.services.pool, RECEIPT_FEED, customer);
    expect(told.map(({ event }) => event.id)).toEqual([first.id, second.id]);
    await books.check();
    expect(books.standing().state).toBe('violated');
    // Asking again without `full` gives the first receipt, which says what supersedes it.
    expect(await seal(customer)).toMatchObject({ id: first.id, superseded_by: second.id });
    await tamper(app.owner.pool, [update(`provider = 'planted'`, id)]);
    const third = await seal(customer, { full: true });
    expect(third).toMatchObject({ verdict: 'HEALTHY', supersedes: second.id, faulty: [] });
    expect(third.root_sha256).toBe(first.root_sha256);
    // What still is as it was sealed has no further receipt.
    expect(await seal(customer, { full: true })).toMatchObject({ id: third.id });
  }, 120_000);

  it('is found by the monitor, and its receipt superseded behind the requests', async () => {
    const customer = await oldCustomer(app);
    await plant(app.owner.pool, customer, AT, WHOLE);
    await isProven();
    const first = await seal(customer);
    expect(first.verdict).toBe('HEALTHY');
    const late = await plant(app.owner.pool, customer, AT, { hold: {}, finalize: {} });
    await isProven();
    await vi.waitFor(
      async () => {
        await monitor().check();
        await sealDuePeriods(app.server.services);
        const now = await read(customer, `${PATH}/${first.id}`);
        expect(now.superseded_by).not.toBeNull();
      },
      { timeout: 60_000, interval: 500 },
    );
    const { superseded_by: by } = await read(customer, `${PATH}/${first.id}`);
    expect(await read(customer, `${PATH}/${by}`)).toMatchObject({
      verdict: 'VIOLATION',
      supersedes: first.id,
      faulty: [{ request_id: late, faults: ['orphan_charge'] }],
    });
  }, 120_000);
});

describe('a period with many rows', () => {
  interface Pending {
    readonly id: string;
    readonly status: string;
    readonly rows_read: number;
    readonly rows_total: number;
    readonly receipt_id: string | null;
  }

  it('is answered pending with its progress, and sealed once behind the request', async () => {
    const customer = await oldCustomer(app, 1_000_000);
    const stranger = await oldCustomer(app);
    const month = { requests: 17_000, from: new Date(BEGIN.getTime() + 1_000), stepMs: 150_000 };
    await plantCleanBooks(app.owner.pool, customer, month);
    const asked = (await seal(customer)) as unknown as Pending;
    expect(asked).toMatchObject({ status: 'pending', receipt_id: null });
    expect(asked.rows_total).toBeGreaterThanOrEqual(50_001);
    const again = (await seal(customer)) as unknown as Pending;
    expect(again.id).toBe(asked.id);
    const document =
      'mutation($input: BillingIntegrityReceiptInput!) ' +
      '{ billingIntegrityReceiptSeal(input: $input) { id } }';
    const input = { from: BEGIN, to: END };
    const { errors } = await graphql(app, document, { input }, customer.key);
    expect(errors?.map(({ extensions }) => extensions?.code)).toEqual(['integrity_seal_pending']);
    const path = `/v1/gw/billing-integrity/seals/${asked.id}`;
    const foreign = await rest(app, 'GET', path, { credential: stranger.key });
    expect(foreign.status).toBe(404);
    const progress: number[] = [];
    await vi.waitFor(
      async () => {
        const now = await read<Pending>(customer, path);
        progress.push(now.rows_read);
        expect(now).toMatchObject({ status: 'sealed', rows_read: 51_000 });
      },
      { timeout: 150_000, interval: 250 },
    );
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
    const { receipt_id: id } = await read<Pending>(customer, path);
    const sealed = await seal(customer);
    expect(sealed).toMatchObject({
      id,
      verdict: 'HEALTHY',
      leaves: 68_000,
      rows_read: 51_000,
      already_sealed: true,
    });
  }, 240_000);

  it('is gone on with where a process was killed, by one node at a time', async () => {
    const customer = await oldCustomer(app, 1_000_000);
    const month = { requests: 400, from: new Date(BEGIN.getTime() + 1_000), stepMs: 1_000_000 };
    await plantCleanBooks(app.owner.pool, customer, month);
    const whole = await seal(customer, { to: new Date(BEGIN.getTime() + 3 * DAY_MS) });
    const { pool } = app.owner;
    const id = newId('IntegritySeal');
    await pool.query(
      `INSERT INTO integrity_seal (id, tenant_id, seal_key, from_at, to_at, rows_total)
       VALUES ($1, $2, 'killed', $3, $4, 1)`,
      [id, customer.tenantId, BEGIN, new Date(BEGIN.getTime() + 3 * DAY_MS)],
    );
    // The step of a killed process holds its lock while its transaction lasts, and leaves nothing.
    const killed = await pool.connect();
    await killed.query('BEGIN');
    await killed.query(`SELECT pg_advisory_xact_lock(hashtextextended('integrity_seal ${id}', 0))`);
    expect(await readOn(pool, id, DAY_MS)).toBe('busy');
    await killed.query('ROLLBACK');
    killed.release(true);
    const steps: string[] = [];
    while (steps.at(-1) !== 'read') steps.push(await readOn(pool, id, DAY_MS));
    expect(steps.length).toBeGreaterThan(2);
    const { rows } = await pool.query<{ leaves: number }>(
      `SELECT (reading ->> 'leaves')::int AS leaves FROM integrity_seal WHERE id = $1`,
      [id],
    );
    expect(rows[0]?.leaves).toBe(whole.leaves);
    await pool.query('DELETE FROM integrity_seal WHERE id = $1', [id]);
  }, 120_000);
});

describe('an export', () => {
  it('repeats root and verdict of a receipt, and fails where a byte was changed', async () => {
    const customer = await oldCustomer(app, 1_000_000);
    const other = await oldCustomer(app);
    const month = { requests: 300, from: new Date(BEGIN.getTime() + 1_000), stepMs: 1_000_000 };
    await plantCleanBooks(app.owner.pool, customer, month);
    await isProven();
    const sealed = await seal(customer);
    const path = `${PATH}/${sealed.id}/export`;
    const text = await read<string>(customer, path);
    const clean = await verified(text);
    expect(clean).toMatchObject({ code: 0, out: expect.stringContaining('HEALTHY repeated') });
    expect(clean.out).toContain(sealed.root_sha256);
    expect(clean.out).toContain(`receipt ${sealed.id} sealed `);
    const unwitnessed = text.split('\n').filter((line) => !line.includes('"kind":"witness"'));
    expect(await verified(unwitnessed.join('\n'))).toMatchObject({
      code: 1,
      out: expect.stringContaining('the file has first hashes of 0 usage rows, the receipt of 300'),
    });
    // Whoever seals a receipt anew over other figures still meets the rows.
    const lines = text.trimEnd().split('\n');
    const receipt = JSON.parse(lines.pop() ?? '');
    for (const [figure, other] of [
      [/"charges":("?)\d+/, '"charges":$17'],
      [/"ledger_rub":"[^"]+"/, '"ledger_rub":"1.00"'],
    ] as const) {
      const content = receipt.content.replace(figure, other);
      expect(content, other).not.toBe(receipt.content);
      const sha256 = createHash('sha256').update(content).digest('hex');
      const forged = [...lines, JSON.stringify({ ...receipt, content, sha256 })].join('\n');
      expect((await verified(forged)).out).toMatch(/NOT repeated/);
    }
    expect(await verified(`{"kind":\n${text}`)).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^cannot verify: line 1 is no row of an export/),
    });
    expect((await verified(text.replace('"model":"model-3"', '"model":"model-4"'))).code).toBe(1);
    expect((await verified(text.replace('HEALTHY', 'HEALTHIER'))).code).toBe(1);
    expect((await verified(text.split('\n').slice(1).join('\n'))).code).toBe(1);
    expect((await rest(app, 'GET', path, { credential: other.key })).status).toBe(404);
    expect(text).not.toContain(other.tenantId);
  }, 120_000);

  it('of a violation shows the requests that the receipt names', async () => {
    const customer = await oldCustomer(app);
    const ids: string[] = [];
    for (let n = 0; n < 6; n += 1) {
      const at = new Date(AT.getTime() + n * 60_000);
      ids.push(await plant(app.owner.pool, customer, at, WHOLE));
    }
    await isProven();
    await tamper(app.owner.pool, [
      update('vat_micro = vat_micro + 1', ids[0] ?? ''),
      update('output_text = output_text + 1', ids[2] ?? ''),
      [`DELETE FROM ledger_entry WHERE request_id = $1 AND type = 'finalize'`, [ids[4]]],
    ]);
    const sealed = await seal(customer);
    expect(sealed.faulty.map(({ request_id }) => request_id)).toEqual([ids[0], ids[2], ids[4]]);
    const text = await read<string>(customer, `${PATH}/${sealed.id}/export`);
    const shown = await verified(text);
    expect(shown).toMatchObject({ code: 0, out: expect.stringContaining('VIOLATION repeated') });
    expect(shown.out).toContain('3 of them faulty');
    const hidden = text.replace(/\\"verdict\\":\\"VIOLATION\\"/, '\\"verdict\\":\\"HEALTHY\\"');
    expect((await verified(hidden)).code).toBe(1);
  }, 120_000);
});
