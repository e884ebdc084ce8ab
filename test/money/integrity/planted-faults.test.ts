import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proveBooks } from '../../../src/money/integrity/prove.js';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../../support/app.js';
import { COST_MICRO, FAILED, type Planted, plant, plantCleanBooks, pricesWith } from './books.js';
import { BEGIN, CHECKS, type Check, type Checked, checkOf, END } from './checked.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const DAY_MS = 86_400_000;

function check(customer: Customer, path: Check, window?: Parameters<typeof checkOf>[3]) {
  return checkOf(app, customer, path, window);
}

/** Each kind of fault: what is planted, and the faults that each check names it by. */
interface Kind {
  readonly name: string;
  readonly count: number;
  readonly planted: Planted;
  readonly named: Partial<Record<Check, readonly string[]>>;
}

const WHOLE = { hold: {}, finalize: {}, usage: {} };

const KINDS: readonly Kind[] = [
  {
    name: 'a charge without usage',
    count: 4,
    planted: { hold: {}, finalize: {} },
    named: { completeness: ['orphan_charge'] },
  },
  {
    name: 'usage without a line of the ledger',
    count: 4,
    planted: { usage: {} },
    named: { completeness: ['orphan_usage'] },
  },
  {
    name: 'usage of a failure without a line of the ledger',
    count: 2,
    planted: { usage: FAILED },
    named: { completeness: ['orphan_usage'] },
  },
  {
    name: 'a charge without a hold',
    count: 3,
    planted: { finalize: {}, usage: {} },
    named: { completeness: ['orphan_end'] },
  },
  {
    name: 'a charge whose usage says that it failed',
    count: 2,
    planted: { hold: {}, finalize: {}, usage: FAILED },
    named: { completeness: ['orphan_charge'] },
  },
  {
    name: 'a request that was charged and released',
    count: 3,
    planted: { ...WHOLE, release: {} },
    named: { completeness: ['double'] },
  },
  {
    name: 'a request that was charged twice',
    count: 3,
    planted: { ...WHOLE, finalizeElsewhere: {} },
    named: {
      completeness: ['double'],
      'dual-meter': ['amount_differs', 'tax_differs'],
      replay: ['replay_differs'],
    },
  },
  {
    name: 'a dangling hold',
    count: 4,
    planted: { hold: {} },
    named: { completeness: ['dangling'] },
  },
  {
    name: 'a meter that is one micro-ruble off',
    count: 4,
    planted: { ...WHOLE, usage: { amount_micro: COST_MICRO - 1n } },
    named: { 'dual-meter': ['amount_differs'] },
  },
  {
    name: 'another tax in usage',
    count: 2,
    planted: { ...WHOLE, usage: { vat_micro: 1 } },
    named: { 'dual-meter': ['tax_differs'] },
  },
  {
    name: 'both meters one micro-ruble off',
    count: 3,
    planted: {
      hold: {},
      finalize: { amount_micro: COST_MICRO - 1n },
      usage: { amount_micro: COST_MICRO - 1n },
    },
    named: { replay: ['replay_differs'] },
  },
  {
    name: 'the price row of another model',
    count: 2,
    planted: { ...WHOLE, usage: { prices: pricesWith({ output_text: '800002000' }) } },
    named: { replay: ['replay_differs'] },
  },
  {
    name: 'a price row that is no price',
    count: 2,
    planted: { ...WHOLE, usage: { prices: pricesWith({ output_text: 'free' }) } },
    named: { replay: ['replay_differs'] },
  },
  {
    name: 'a price row of the future',
    count: 2,
    planted: { ...WHOLE, usage: { prices: pricesWith({ effective_from: '2999-01-01' }) } },
    named: { replay: ['price_not_in_force'] },
  },
];

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

describe('the live checks name exactly the requests that are not whole', () => {
  let clean: Customer;
  let broken: Customer;
  let expected: Awaited<ReturnType<typeof plantFaults>>;

  beforeAll(async () => {
    clean = await newCustomer(app, 1_000_000);
    broken = await newCustomer(app, 1_000_000);
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
    const customer = await newCustomer(app, 1_000);
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

describe('an incremental check and a full one', () => {
  /** The whole answer but for how it was come by. */
  async function answer(customer: Customer, path: Check, full: boolean, window = WHOLE_MONTH) {
    const found = await check(customer, path, { ...window, full });
    return { ...found, basis: '', rows_read: 0 };
  }

  const WHOLE_MONTH = { from: BEGIN, to: END };

  it.each(KINDS)('say the very same of $name', async ({ planted }) => {
    const customer = await newCustomer(app, 1_000);
    const at = new Date(BEGIN.getTime() + DAY_MS + 1_234_567);
    await plant(app.owner.pool, customer, new Date(at.getTime() - 60_000), WHOLE);
    await plant(app.owner.pool, customer, at, planted);
    const agree = async () => {
      for (const path of CHECKS) {
        for (const window of [
          WHOLE_MONTH,
          { from: at, to: new Date(at.getTime() + 1) },
          { from: BEGIN, to: at },
        ]) {
          const incremental = await answer(customer, path, false, window);
          expect(incremental).toEqual(await answer(customer, path, true, window));
        }
      }
    };
    await agree();
    await proveBooks(app.server.services);
    await agree();
  });
});

describe('a usage row that is removed', () => {
  async function removed(id: string): Promise<void> {
    const change = (sql: string) => app.owner.pool.query(sql);
    await change('ALTER TABLE usage_event DISABLE TRIGGER append_only_row');
    await change(`DELETE FROM usage_event WHERE id = '${id}'`);
    await change('ALTER TABLE usage_event ENABLE ALWAYS TRIGGER append_only_row');
  }

  it('between the proof of its charge and its own is a lone charge of every check', async () => {
    const customer = await newCustomer(app, 1_000);
    const at = new Date(BEGIN.getTime() + DAY_MS);
    await plant(app.owner.pool, customer, at, WHOLE);
    const id = await plant(app.owner.pool, customer, at, WHOLE);
    // The usage of the hour is proven by all that is there but for the row.
    const isProven = async () => {
      await proveBooks(app.server.services);
      return (await check(customer, 'dual-meter')).rows_read;
    };
    await expect.poll(isProven, { timeout: 20_000 }).toBe(0);
    await app.owner.pool.query(
      `UPDATE integrity_hour SET served = served - 1, used_micro = used_micro - $2,
         replayed_micro = replayed_micro - $2 WHERE tenant_id = $1`,
      [customer.tenantId, COST_MICRO],
    );
    await removed(id);
    const verdicts = { completeness: 'INCOMPLETE', 'dual-meter': 'MATCHED', replay: 'RECONCILED' };
    for (const path of CHECKS) {
      const found = await check(customer, path);
      expect(found.verdict).toBe(verdicts[path]);
      expect(found).toEqual(await check(customer, path, { from: BEGIN, to: END, full: true }));
    }
  });
});

describe('what the proof cannot see', () => {
  it('is a row that the owner of the database changes once proven; full sees it', async () => {
    const customer = await newCustomer(app, 1_000);
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
  it('is cannot_certify with its reason and what would lift it', async () => {
    const customer = await newCustomer(app);
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
    const customer = await newCustomer(app);
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
    const customer = await newCustomer(app, 1_000);
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
