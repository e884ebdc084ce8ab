import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proveBooks } from '../../../src/money/integrity/prove.js';
import { type Customer, rest, startApp, type TestApp } from '../../support/app.js';
import { plant, plantCleanBooks } from './books.js';
import { BEGIN, CHECKS, type Check, type Checked, checkOf, END, oldCustomer } from './checked.js';
import { KINDS, WHOLE } from './kinds.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const DAY_MS = 86_400_000;

function check(customer: Customer, path: Check, window?: Parameters<typeof checkOf>[3]) {
  return checkOf(app, customer, path, window);
}

/** Plants every kind. @returns the faults that each check has to name, by request */
async function plantFaults(customer: Customer) {
  const expected = { completeness: new Map(), 'dual-meter': new Map(), replay: new Map() };
  let planted = 0;
  for (const { count, planted: what, named } of KINDS) {
    for (let n = 0; n < count; n += 1) {
      planted += 1;
      const at = new Date(BEGIN.getTime() + planted * 0.7 * DAY_MS);
      const id = await plant(app.owner.pool, customer, at, what);
      for (const path of CHECKS) {
        const faults = named[path];
        if (faults) expected[path].set(id, faults);
      }
    }
  }
  expect(planted).toBe(40);
  return expected;
}

function namedBy({ faulty }: Checked): Map<string, readonly string[]> {
  return new Map(faulty.map(({ request_id, faults }) => [request_id, faults]));
}

describe('requests_are_named: the live checks name exactly the requests that are not whole', () => {
  let clean: Customer;
  let broken: Customer;
  let expected: Awaited<ReturnType<typeof plantFaults>>;

  beforeAll(async () => {
    clean = await oldCustomer(app, 1_000_000);
    broken = await oldCustomer(app, 1_000_000);
    const month = { requests: 10_000, from: new Date(BEGIN.getTime() + 1_000), stepMs: 250_000 };
    await plantCleanBooks(app.owner.pool, clean, month);
    await plantCleanBooks(app.owner.pool, broken, { ...month, requests: 500 });
    expected = await plantFaults(broken);
  }, 120_000);

  const ways = [
    ['from the raw rows before anything is proven', false, false],
    ['from the proof', true, false],
    ['by a full reading', true, true],
  ] as const;

  it.each(ways)('%s: none of 10,000 clean requests', async (_way, isProven, full) => {
    if (isProven) await proveBooks(app.server.services);
    const window = { from: BEGIN, to: END, full };
    const completeness = await check(clean, 'completeness', window);
    expect(completeness).toMatchObject({
      verdict: 'COMPLETE',
      holds: 10_000,
      charges: 9_800,
      releases: 200,
      usage_rows: 9_800,
      failed_rows: 200,
      faulty_total: 0,
      faulty: [],
      under_way: 0,
      provenance: 'live_measured',
      reason: null,
      needed: [],
    });
    const meter = await check(clean, 'dual-meter', window);
    expect(meter).toMatchObject({
      verdict: 'MATCHED',
      pairs: 9_800,
      difference_rub: 0,
      faulty: [],
    });
    const replay = await check(clean, 'replay', window);
    expect(replay).toMatchObject({
      verdict: 'RECONCILED',
      replayed_charges: 9_800,
      difference_rub: 0,
      discrepancies: 0,
      ledger_rub: meter.ledger_rub,
      faulty: [],
    });
  });

  it.each(ways)('%s: each of 40 planted faults', async (_way, isProven, full) => {
    if (isProven) await proveBooks(app.server.services);
    const window = { from: BEGIN, to: END, full };
    const verdicts = {
      completeness: 'INCOMPLETE',
      'dual-meter': 'MISMATCH',
      replay: 'DISCREPANCY',
    };
    for (const path of CHECKS) {
      const found = await check(broken, path, window);
      expect(found.verdict).toBe(verdicts[path]);
      expect(found.basis).toBe(full ? 'full' : 'incremental');
      expect(namedBy(found)).toEqual(expected[path]);
    }
    expect(await check(broken, 'completeness', window)).toMatchObject({
      orphans: 15,
      doubles: 6,
      danglings: 4,
      faulty_total: 25,
    });
    expect(await check(broken, 'dual-meter', window)).toMatchObject({ mismatches: 9 });
    expect(await check(broken, 'replay', window)).toMatchObject({ discrepancies: 12 });
  });

  it('never shows the faults of another tenant', async () => {
    for (const path of CHECKS) {
      for (const full of [false, true]) {
        expect((await check(clean, path, { from: BEGIN, to: END, full })).faulty).toEqual([]);
      }
    }
  });

  it('adds up to the same in any two halves of a window', async () => {
    await proveBooks(app.server.services);
    const middle = new Date(BEGIN.getTime() + 11.37 * DAY_MS);
    const [whole, first, second] = await Promise.all([
      check(clean, 'replay'),
      check(clean, 'replay', { from: BEGIN, to: middle }),
      check(clean, 'replay', { from: middle, to: END }),
    ]);
    const sum = (name: string) => Number(first?.[name]) + Number(second?.[name]);
    expect(sum('replayed_charges')).toBe(whole?.replayed_charges);
    expect(sum('ledger_rub')).toBeCloseTo(Number(whole?.ledger_rub), 6);
    const raw = await check(clean, 'replay', { from: BEGIN, to: middle, full: true });
    expect({ ...first, basis: '', rows_read: 0 }).toEqual({ ...raw, basis: '', rows_read: 0 });
  });

  it('reads a proven month without its rows', async () => {
    await proveBooks(app.server.services);
    expect(await check(clean, 'completeness')).toMatchObject({ rows_read: 0 });
  });

  it('sees what comes after the proof, whichever trace it comes in', async () => {
    const customer = await oldCustomer(app, 1_000);
    const at = new Date(BEGIN.getTime() + DAY_MS);
    const held = await plant(app.owner.pool, customer, at, { hold: {} });
    await proveBooks(app.server.services);
    const named = async () => namedBy(await check(customer, 'completeness'));
    expect(await named()).toEqual(new Map([[held, ['dangling']]]));
    const orphan = await plant(app.owner.pool, customer, at, { hold: {}, finalize: {} });
    expect(await named()).toEqual(
      new Map([
        [held, ['dangling']],
        [orphan, ['orphan_charge']],
      ]),
    );
  });
});

describe('what the proof cannot see', () => {
  it('is a row that the owner of the database changes once proven; full sees it', async () => {
    const customer = await oldCustomer(app, 1_000);
    const id = await plant(app.owner.pool, customer, new Date(BEGIN.getTime() + DAY_MS), WHOLE);
    const isProven = async () => {
      await proveBooks(app.server.services);
      return (await check(customer, 'dual-meter')).rows_read;
    };
    await expect.poll(isProven, { timeout: 20_000 }).toBe(0);
    const change = (sql: string) => app.owner.pool.query(sql);
    await change('ALTER TABLE usage_event DISABLE TRIGGER append_only_row');
    await change(`UPDATE usage_event SET amount_micro = amount_micro - 1 WHERE id = '${id}'`);
    await change('ALTER TABLE usage_event ENABLE ALWAYS TRIGGER append_only_row');
    expect(await check(customer, 'dual-meter')).toMatchObject({ verdict: 'MATCHED', faulty: [] });
    const full = await check(customer, 'dual-meter', { from: BEGIN, to: END, full: true });
    expect(full.verdict).toBe('MISMATCH');
    expect(namedBy(full)).toEqual(new Map([[id, ['amount_differs']]]));
  });
});

describe('a window with nothing to compare', () => {
  it('empty_is_cannot_certify: with its reason and what would lift it', async () => {
    const customer = await oldCustomer(app);
    const nothing = { reason: expect.any(String), needed: [expect.any(String)], faulty: [] };
    for (const path of CHECKS) {
      for (const full of [false, true]) {
        expect(await check(customer, path, { from: BEGIN, to: END, full })).toMatchObject({
          verdict: 'cannot_certify',
          ...nothing,
        });
      }
    }
  });

  it('is refused with every fault where it is no window', async () => {
    const customer = await oldCustomer(app);
    const { status, body } = await rest(
      app,
      'GET',
      `/v1/gw/billing-integrity/replay?from=${END.toISOString()}&to=${BEGIN.toISOString()}`,
      { credential: customer.key },
    );
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { param: 'from' } });
  });
});

describe('while the proof is far behind', () => {
  it('checks refuse instead of reading everything, and a full one answers', async () => {
    const customer = await oldCustomer(app, 1_000);
    const at = new Date(BEGIN.getTime() + DAY_MS);
    await plant(app.owner.pool, customer, at, WHOLE);
    // While the marks are held, the server that serves the checks cannot catch up.
    const holding = await app.owner.pool.connect();
    const marks = `hashtextextended('reader_mark ' || name, 0)) FROM reader_mark`;
    await holding.query(`SELECT pg_advisory_lock(${marks}`);
    await holding.query(`UPDATE reader_mark SET seq = seq - 200000, txid = txid - 1`);
    const refused = await check(customer, 'replay');
    expect(refused).toMatchObject({
      verdict: 'cannot_certify',
      reason: 'The proof of the books is far behind their rows.',
      faulty: [],
    });
    const full = await check(customer, 'replay', { from: BEGIN, to: END, full: true });
    expect(full.verdict).toBe('RECONCILED');
    const sealed = await rest(app, 'POST', '/v1/gw/billing-integrity/receipts', {
      credential: customer.key,
      body: { from: BEGIN, to: END },
    });
    expect(sealed.body).toMatchObject({ verdict: 'HEALTHY', basis: 'full' });
    await holding.query('SELECT pg_advisory_unlock_all()');
    holding.release();
  });
});
