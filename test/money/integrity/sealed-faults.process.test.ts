import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { BOOK_COLUMNS } from '../../../src/money/integrity/columns.js';
import { proveBooks } from '../../../src/money/integrity/prove.js';
import { type Customer, rest, startApp, type TestApp } from '../../support/app.js';
import { plantCleanBooks } from './books.js';
import { BEGIN, END, oldCustomer } from './checked.js';
import { type Change, HOLD_CHANGES, LINE_CHANGES, tamper, USAGE_CHANGES } from './tampered.js';

const REQUESTS = 10_000;

let app: TestApp;
let clean: Customer;
let broken: Customer;
let other: Customer;

beforeAll(async () => {
  app = await startApp();
  clean = await oldCustomer(app, 1_000_000);
  broken = await oldCustomer(app, 1_000_000);
  other = await oldCustomer(app, 1_000_000);
  const month = { requests: REQUESTS, from: new Date(BEGIN.getTime() + 1_000), stepMs: 250_000 };
  await plantCleanBooks(app.owner.pool, clean, month);
  await plantCleanBooks(app.owner.pool, broken, { ...month, requests: 2_000, stepMs: 1_000_000 });
  // At other times, since the ids of planted requests follow from their times.
  const elsewhen = { requests: 10, from: new Date(BEGIN.getTime() + 2_345), stepMs: 1_000_000 };
  await plantCleanBooks(app.owner.pool, other, elsewhen);
  await isWitnessed();
}, 120_000);
afterAll(() => app.stop());

const UNREAD = `SELECT (
    SELECT count(*) FROM usage_event u
    WHERE (u.txid, u.seq) > (SELECT txid, seq FROM reader_mark WHERE name = 'integrity_witness')
  )::int + (
    SELECT count(*) FROM account a LEFT JOIN log_tree t USING (tenant_id)
    WHERE a.version > COALESCE(t.entries, 0)
  )::int AS unread`;

/** Every row was read when it was new: usage by its witness, lines by the log. */
async function isWitnessed(): Promise<void> {
  await vi.waitFor(
    async () => {
      await proveBooks(app.server.services);
      await app.server.services.transparencyLog.bringForward();
      const { rows } = await app.owner.pool.query<{ unread: number }>(UNREAD);
      expect(rows[0]?.unread).toBe(0);
    },
    { timeout: 60_000, interval: 200 },
  );
}

interface Sealed extends Record<string, unknown> {
  readonly id: string;
  readonly verdict: string;
  readonly faulty: readonly { readonly request_id: string; readonly faults: string[] }[];
}

async function seal(customer: Customer, window = { from: BEGIN, to: END }): Promise<Sealed> {
  const { status, body } = await rest<Sealed>(app, 'POST', '/v1/gw/billing-integrity/receipts', {
    credential: customer.key,
    body: window,
  });
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

/** Every request that the sealing of a receipt has named, page by page. */
async function namedBy(customer: Customer, { id }: Sealed): Promise<Map<string, string[]>> {
  const named = new Map<string, string[]>();
  for (let after = ''; ; ) {
    const path = `/v1/gw/billing-integrity/receipts/${id}/faults?first=50${after}`;
    const { body } = await rest<{
      requests: { request_id: string; faults: string[] }[];
      next_after: string | null;
    }>(app, 'GET', path, { credential: customer.key });
    for (const { request_id, faults } of body.requests) named.set(request_id, faults);
    if (!body.next_after) return named;
    after = `&after=${body.next_after}`;
  }
}

/** The same statement by the index of its table. */
function within(sql: string): string {
  const isUsage = sql.includes('usage_event');
  const own = isUsage ? `tenant_id = '${broken.tenantId}'` : `account_id = '${broken.accountId}'`;
  return sql.replace('WHERE', `WHERE ${own} AND`);
}

interface Fault {
  readonly what: string;
  readonly request: string;
}

type Plant = (what: string, sqls: readonly string[], values?: readonly unknown[]) => void;

/** Moved and removed rows, and changes of more than one of them. */
function plantMoved(plant: Plant): void {
  const tenant = [other.tenantId];
  plant(
    'a usage row moved to another organization',
    ['UPDATE usage_event SET tenant_id = $2 WHERE id = $1'],
    tenant,
  );
  plant(
    'a charge moved to another organization',
    [`UPDATE ledger_entry SET tenant_id = $2 WHERE request_id = $1 AND type = 'finalize'`],
    tenant,
  );
  plant(
    'both lines moved to another organization',
    ['UPDATE ledger_entry SET tenant_id = $2 WHERE request_id = $1'],
    tenant,
  );
  plant(
    'every row moved to another organization',
    [
      'UPDATE ledger_entry SET tenant_id = $2 WHERE request_id = $1',
      'UPDATE usage_event SET tenant_id = $2 WHERE id = $1',
      'UPDATE hold SET tenant_id = $2 WHERE request_id = $1',
    ],
    tenant,
  );
  plant('a removed usage row', ['DELETE FROM usage_event WHERE id = $1']);
  plant('a removed hold line', [
    `DELETE FROM ledger_entry WHERE request_id = $1 AND type = 'hold'`,
  ]);
  plant('a removed charge', [
    `DELETE FROM ledger_entry WHERE request_id = $1 AND type = 'finalize'`,
  ]);
  plant('both lines removed', ['DELETE FROM ledger_entry WHERE request_id = $1']);
  plant('a removed hold row', ['DELETE FROM hold WHERE request_id = $1']);
  plant('every row removed', [
    'DELETE FROM ledger_entry WHERE request_id = $1',
    'DELETE FROM usage_event WHERE id = $1',
    'DELETE FROM hold WHERE request_id = $1',
  ]);
  plant('both meters and the tax changed alike', [
    `UPDATE usage_event SET vat_micro = vat_micro - 1, vat_rate_basis_points = 2000 WHERE id = $1`,
    `UPDATE ledger_entry SET vat_micro = vat_micro - 1, vat_rate_basis_points = 2000
     WHERE request_id = $1 AND type = 'finalize'`,
  ]);
}

/** Plants a change of each column in each direction, every one in a request of its own. */
async function plantFaults(): Promise<Fault[]> {
  const { rows } = await app.owner.pool.query<{ id: string }>(
    `SELECT id FROM usage_event WHERE tenant_id = $1 AND status = 'complete' AND amount_micro > 2
       AND vat_micro > 2 ORDER BY id`,
    [broken.tenantId],
  );
  // Every tenth one, so that no line stands next to another one that was changed.
  const ids = rows.filter((_row, index) => index % 10 === 5).map(({ id }) => id);
  const faults: Fault[] = [];
  const statements: (readonly [string, readonly unknown[]])[] = [];
  const plant: Plant = (what, sqls, values = []) => {
    const id = ids.shift();
    if (!id) throw new Error('there are too few requests');
    faults.push({ what, request: id });
    for (const sql of sqls) {
      statements.push([within(sql), sql.includes('$2') ? [id, ...values] : [id]]);
    }
  };
  const each = (table: string, where: string, changes: readonly Change[]) => {
    for (const [column, ...ways] of changes) {
      for (const way of ways) {
        plant(`${table}.${column} := ${way}`, [
          `UPDATE ${table} SET ${column} = ${way} WHERE ${where}`,
        ]);
      }
    }
  };
  each('usage_event', 'id = $1', USAGE_CHANGES);
  each('ledger_entry', `request_id = $1 AND type = 'finalize'`, LINE_CHANGES);
  each('ledger_entry', `request_id = $1 AND type = 'hold'`, [
    ['amount_micro', 'amount_micro + 1', 'amount_micro - 1'],
    ['held_delta', 'held_delta + 1', 'held_delta - 1'],
    ['request_id', `'00000000-0000-7000-8000-00000000abcd'::uuid`],
  ]);
  each('hold', 'request_id = $1', HOLD_CHANGES);
  plantMoved(plant);
  await tamper(app.owner.pool, statements);
  return faults;
}

describe('a sealed receipt', () => {
  it('reads every row of 10,000 clean requests and finds nothing', async () => {
    const sealed = await seal(clean);
    expect(sealed).toMatchObject({
      verdict: 'HEALTHY',
      basis: 'full',
      completeness: 'COMPLETE',
      dual_meter: 'MATCHED',
      replay: 'RECONCILED',
      rows: 'INTACT',
      holds: REQUESTS,
      charges: 9_800,
      releases: 200,
      usage_rows: 9_800,
      failed_rows: 200,
      rows_read: 30_000,
      leaves: 40_000,
      witnessed: 10_000,
      logged: 20_000,
      faulty: [],
      named_total: 0,
      alterations: 0,
      missing_lines: [],
      missing_lines_total: 0,
      supersedes: null,
      superseded_by: null,
    });
    expect(await namedBy(clean, sealed)).toEqual(new Map());
  }, 120_000);

  it('names each of more than 60 planted faults by its request, and no other', async () => {
    const faults = await plantFaults();
    expect(faults.length).toBeGreaterThan(100);
    const sealed = await seal(broken);
    expect(sealed).toMatchObject({ verdict: 'VIOLATION', rows: 'ALTERED' });
    const named = await namedBy(broken, sealed);
    const unnamed = faults.filter(({ request }) => !named.has(request)).map(({ what }) => what);
    expect(unnamed).toEqual([]);
    expect(sealed.named_total).toBe(named.size);
    const planted = new Set(faults.map(({ request }) => request));
    const strange = '00000000-0000-7000-8000-00000000abcd';
    const beside = [...named].filter(([id]) => !planted.has(id) && id !== strange);
    expect(beside).toEqual([]);
  }, 120_000);

  it('names a moved row in both organizations, and nothing else in the other', async () => {
    const sealed = await seal(other);
    expect(sealed.verdict).toBe('VIOLATION');
    const [mine, theirs] = [
      await namedBy(broken, await seal(broken)),
      await namedBy(other, sealed),
    ];
    expect(theirs.size).toBe(4);
    for (const id of theirs.keys()) expect(mine.has(id)).toBe(true);
  }, 120_000);
});

describe('the list of columns', () => {
  it('has a line for each column, and a planted fault for each certified one', async () => {
    const { rows } = await app.owner.pool.query<{ code: string }>(
      `SELECT table_name || '.' || column_name AS code FROM information_schema.columns
       WHERE table_schema = 'public' AND table_name IN ('usage_event', 'ledger_entry', 'hold')`,
    );
    const listed = BOOK_COLUMNS.map(({ code }) => code);
    const real = listed.filter((code) => !code.startsWith('price_row.'));
    expect([...real].sort()).toEqual(rows.map(({ code }) => code).sort());
    expect(new Set(listed).size).toBe(listed.length);
    const tried = new Set([
      ...USAGE_CHANGES.map(([column]) => `usage_event.${column}`),
      ...LINE_CHANGES.map(([column]) => `ledger_entry.${column}`),
      ...HOLD_CHANGES.map(([column]) => `hold.${column}`),
      // Moved and renamed rows have plants of their own.
      ...['usage_event.tenant_id', 'usage_event.id', 'ledger_entry.tenant_id'],
      'ledger_entry.request_id',
    ]);
    const certified = BOOK_COLUMNS.filter(
      ({ code, coverage }) => !coverage.includes('not_certified') && !code.startsWith('price_row.'),
    ).map(({ code }) => code);
    expect(certified.filter((code) => !tried.has(code))).toEqual([]);
  });
});
