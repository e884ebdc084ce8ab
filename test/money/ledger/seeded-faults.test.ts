import type { PoolClient } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { verifyBatch } from '../../../src/money/books/increment.js';
import { differingTotals } from '../../../src/money/books/totals.js';
import { encodeSettle } from '../../../src/money/ledger/encode.js';
import { readViolations } from '../../../src/money/ledger/invariants.js';
import { type Books, type Customer, openBooks, usageOf } from './books.js';

let books: Books;
let customer: Customer;
let budgetId: string;

beforeAll(async () => {
  books = await openBooks();
  customer = await books.customer(10_000n);
  budgetId = await books.budget(customer, 1_000n);
  await books.pool.query(`SELECT ledger_take_over('seeded', $1)`, [newId('Session')]);
});

afterAll(() => books.close());

/** A change of one place in ledger_write, and the invariants that must name it. */
interface SeededFault {
  readonly fault: string;
  readonly from: string;
  readonly to: string;
  readonly found: readonly string[];
}

const FAULTS: readonly SeededFault[] = [
  {
    fault: 'skips the decrement of what is held',
    from: 'account_held[a] := account_held[a] + held_delta;',
    to: 'account_held[a] := account_held[a] + GREATEST(held_delta, 0);',
    found: ['I2_held_is_sum_and_open_holds', 'I5_entries_chain'],
  },
  {
    fault: 'moves the balance twice',
    from: 'account_posted[a] := account_posted[a] + posted_delta;',
    to: 'account_posted[a] := account_posted[a] + 2 * posted_delta;',
    found: ['I1_posted_is_sum', 'I5_entries_chain'],
  },
  {
    fault: 'ignores funds',
    from: 'refusal IS NULL AND free < money',
    to: 'false',
    found: ['I3_no_overdraft'],
  },
  {
    fault: 'ignores the cap of a budget',
    from: 'counter_spent[c] + counter_held[c] + money > counter_cap[c]',
    to: 'false',
    found: ['I12_budget_caps_are_kept'],
  },
  {
    fault: 'does not count the version',
    from: 'held_micro = w.held, version = w.version',
    to: 'held_micro = w.held, version = w.before',
    found: ['I4_versions_without_gap'],
  },
  {
    fault: 'finalizes what is finalized',
    from: `kind IN ('finalize', 'release') AND state = 'open'`,
    to: `kind IN ('finalize', 'release') AND state IN ('open', 'finalized')`,
    found: ['I6_each_operation_once', 'I2_held_is_sum_and_open_holds'],
  },
  {
    fault: 'writes another amount than it moves',
    from: 'entry_amount[e] := charge;',
    to: 'entry_amount[e] := charge + 1;',
    found: ['I7_trial_balance_zero', 'I8_charges_are_usage'],
  },
  {
    fault: 'charges without a usage row',
    from: 'IF u > 0 THEN',
    to: 'IF false THEN',
    found: ['I8_charges_are_usage'],
  },
  {
    fault: 'writes another tax on the usage row',
    from: 'usage_vat[u] := vat;',
    to: 'usage_vat[u] := vat + 1;',
    found: ['I8_charges_are_usage'],
  },
  {
    fault: 'does not say what was not collected',
    from: 'IF o > 0 THEN',
    to: 'IF false THEN',
    found: ['I9_charge_within_hold'],
  },
  {
    fault: 'charges more than the hold',
    from: 'charge := LEAST(money, slot_amount[s]);',
    to: 'charge := money;',
    found: ['I9_charge_within_hold'],
  },
  {
    fault: 'lets a refused hold stand',
    from: 'IF refusal IS NOT NULL THEN\n',
    to: `IF refusal IS NOT NULL THEN
      slot_state[s] := 'open'; slot_amount[s] := money; slot_changed[s] := true;\n`,
    found: ['I10_entries_and_holds_agree', 'I2_held_is_sum_and_open_holds'],
  },
  {
    fault: 'leaves a released hold open',
    from: `slot_state[s] := 'released';`,
    to: 'NULL;',
    found: ['I10_entries_and_holds_agree', 'I2_held_is_sum_and_open_holds'],
  },
  {
    fault: 'does not count what a budget has spent',
    from: 'counter_spent[c] := counter_spent[c] - posted_delta;',
    to: 'NULL;',
    found: ['I12_budget_counters_are_sums'],
  },
  {
    fault: 'keeps what a budget held',
    from: 'counter_held[c] := counter_held[c] - slot_amount[s];',
    to: 'NULL;',
    found: ['I12_budget_counters_are_sums'],
  },
];

/** The database refuses most of these by itself; here the invariants alone must see them. */
async function dropConstraints(client: PoolClient): Promise<void> {
  const { rows } = await client.query<{ drop: string }>(
    `SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop
     FROM pg_constraint
     WHERE contype = 'c' AND conrelid IN ('account'::regclass, 'budget_counter'::regclass)
        OR contype IN ('c', 'p') AND conrelid IN (
             'hold'::regclass, 'ledger_entry'::regclass, 'usage_event'::regclass)`,
  );
  for (const { drop } of rows) await client.query(drop);
  await client.query('DROP INDEX ledger_entry_account_id_request_id_type_key');
}

async function seed(client: PoolClient, from: string, to: string): Promise<void> {
  const { rows } = await client.query<{ text: string }>(
    `SELECT pg_get_functiondef('ledger_write'::regproc) AS text`,
  );
  const text = rows[0]?.text ?? '';
  expect(text.split(from).length, 'the place is in the function once').toBe(2);
  await client.query(text.replace(from, to));
}

interface Work {
  readonly statuses: readonly string[];
  /** The invariants that were violated after any of the batches. */
  readonly violated: readonly string[];
  /** What the monitor of the books has found in each of them as it came, and by its totals. */
  readonly foundByMonitor: readonly string[];
}

/** What the monitor sees of the work: usage is compared by the proof of billing integrity. */
const OF_USAGE = ['I8_charges_are_usage'];

type Place = { readonly txid: bigint; readonly seq: bigint };

/** A look of the monitor at what has come after a place; budgets of before are due at each. */
async function look(client: PoolClient, after: Place) {
  const { rows } = await client.query<Place>(
    'SELECT txid, seq FROM ledger_entry ORDER BY txid DESC, seq DESC LIMIT 1',
  );
  const until = rows[0] ?? after;
  const found = await verifyBatch(client, { after, until });
  await client.query(
    `INSERT INTO reader_mark (name, txid, seq) VALUES ('books_monitor', $1, $2)
     ON CONFLICT (name) DO UPDATE SET txid = $1, seq = $2`,
    [until.txid, until.seq],
  );
  const totals = await differingTotals(client);
  await client.query('SET LOCAL enable_seqscan = on');
  return { until, names: [...found, ...totals].map(({ invariant }) => invariant) };
}

async function work(client: PoolClient): Promise<Work> {
  const ids = Array.from({ length: 5 }, () => newId('Request'));
  const [small = '', over = '', released = '', dear = '', refused = ''] = ids;
  const { accountId } = customer;
  const hold = (request: string, amount: number, budgets: string[] = []) =>
    JSON.stringify({ kind: 'hold', account: accountId, request, amount: `${amount}`, budgets });
  const settle = (requestId: string, amountMicro: bigint) =>
    encodeSettle({ accountId, requestId, amountMicro, usage: usageOf(customer) }).text;
  const batches = [
    [hold(small, 500, [budgetId]), hold(over, 500, [budgetId]), hold(released, 300)],
    [hold(refused, 1, [budgetId]), hold(dear, 99_000)],
    [settle(small, 400n), settle(over, 600n)],
    [settle(small, 400n)],
    [JSON.stringify({ kind: 'release', account: accountId, request: released })],
  ];
  const statuses: string[] = [];
  const violated = new Set<string>();
  const foundByMonitor = new Set<string>();
  let after: Place = { txid: 0n, seq: 0n };
  for (const batch of batches) {
    const { rows } = await client.query<{ status: string }>(
      `SELECT status FROM ledger_apply('seeded', 1, $1) ORDER BY i`,
      [`[${batch.join(',')}]`],
    );
    statuses.push(...rows.map(({ status }) => status));
    for (const { invariant } of await readViolations(client)) violated.add(invariant);
    const seen = await look(client, after);
    after = seen.until;
    for (const name of seen.names) foundByMonitor.add(name);
  }
  return { statuses, violated: [...violated], foundByMonitor: [...foundByMonitor] };
}

/** Everything happens in a transaction that is rolled back. */
async function workWith(from?: string, to = ''): Promise<Work> {
  const client = await books.pool.connect();
  try {
    await client.query('BEGIN');
    await dropConstraints(client);
    if (from) await seed(client, from, to);
    return await work(client);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

describe('the invariants', () => {
  it('find nothing in the work of the real function', async () => {
    expect(await workWith()).toEqual({
      statuses: [
        ...['ok', 'ok', 'ok', 'budget_reserved', 'insufficient'],
        ...['ok', 'ok', 'duplicate', 'ok'],
      ],
      violated: [],
      foundByMonitor: [],
    });
  });

  it.each(FAULTS)('find a function that $fault', async ({ from, to, found }) => {
    const { violated, foundByMonitor } = await workWith(from, to);
    expect(violated).toEqual(expect.arrayContaining([...found]));
    const seen = found.filter((name) => !OF_USAGE.includes(name));
    expect(foundByMonitor).toEqual(expect.arrayContaining(seen));
  });
});
