import type { PoolClient } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { verifyBatch } from '../../../src/money/books/increment.js';
import { encodeSettle } from '../../../src/money/ledger/encode.js';
import type { Position } from '../../../src/records/feed.rules.js';
import { type Books, type Customer, openBooks, usageOf } from '../ledger/books.js';

let books: Books;
let customer: Customer;
let budgetId: string;
/** Requests of one account: what is changed is of the second; before and after it are others. */
let requests: readonly string[];
/** Where the lines of each of them stand, its hold and its charge. */
let places: readonly (readonly [Position, Position])[];

beforeAll(async () => {
  books = await openBooks();
  customer = await books.customer(100_000n);
  budgetId = await books.budget(customer, 50_000n);
  await books.pool.query(`SELECT ledger_take_over('books', $1)`, [newId('Session')]);
  requests = [await charge(), await charge(), await charge()];
  const { rows } = await books.pool.query<Position & { readonly request: string }>(
    'SELECT txid, seq, request_id AS request FROM ledger_entry ORDER BY txid, seq',
  );
  places = requests.map((id) => {
    const [hold, end] = rows.filter(({ request }) => request === id);
    if (!hold || !end) throw new Error('a request has two lines');
    return [hold, end] as const;
  });
});

afterAll(() => books.close());

async function charge(): Promise<string> {
  const requestId = newId('Request');
  const { accountId } = customer;
  const hold = { kind: 'hold', account: accountId, request: requestId, amount: '500' };
  const settle = encodeSettle({ accountId, requestId, amountMicro: 80n, usage: usageOf(customer) });
  for (const text of [JSON.stringify({ ...hold, budgets: [budgetId] }), settle.text]) {
    await books.pool.query(`SELECT status FROM ledger_apply('books', 1, $1)`, [`[${text}]`]);
  }
  return requestId;
}

/** The owner of a database can change anything, in a transaction that is rolled back. */
async function tampered<T>(sql: string, look: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await books.pool.connect();
  try {
    await client.query('BEGIN');
    const { rows } = await client.query<{ drop: string }>(
      `SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop
       FROM pg_constraint WHERE contype = 'c'
         AND conrelid IN ('account'::regclass, 'hold'::regclass, 'ledger_entry'::regclass)`,
    );
    for (const { drop } of rows) await client.query(drop);
    await client.query('ALTER TABLE ledger_entry DISABLE TRIGGER append_only_row');
    const { rowCount } = await client.query(sql.replaceAll('$1', `'${requests[1]}'`));
    expect(rowCount, 'rows that were tampered with').toBe(1);
    return await look(client);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

/** What a batch shows that begins behind and ends with these lines, in the order of their names. */
async function found(client: PoolClient, after: Position | undefined, until?: Position) {
  const batch = {
    after: after ?? { txid: 0n, seq: 0n },
    until: until ?? { txid: BigInt(Number.MAX_SAFE_INTEGER), seq: 0n },
  };
  const findings = await verifyBatch(client, batch);
  return findings.map(({ invariant, subject }) => [invariant, subject]).sort();
}

const LINE = (type: string, request = '$1') => `type = '${type}' AND request_id = ${request}`;
const HOLD = 'UPDATE hold SET';
/** A further line of the request, behind every mark that there has ever been. */
const further = (type: string, charged: string) => `
  INSERT INTO ledger_entry (account_id, account_version, txid, tenant_id, type, request_id,
    charged_request_id, contra, amount_micro, posted_delta, held_delta, posted_after, held_after)
  SELECT account_id, 1000000, 1, tenant_id, '${type}', request_id, ${charged}, 'revenue', 0, 0, 0,
    posted_after, held_after FROM ledger_entry WHERE ${LINE('hold')}`;

const CHAIN = 'I5_entries_chain';
const AGREE = 'I10_entries_and_holds_agree';
const WITHIN = 'I9_charge_within_hold';
const ONCE = 'I6_each_operation_once';
const BALANCE = 'I7_trial_balance_zero';
const FUNDS = 'I3_no_overdraft';

/** What is changed of the second request, and what is then said of it. */
const FAULTS: Readonly<Record<string, readonly [sql: string, ...found: readonly string[]]>> = {
  'a charge of another amount': [
    `UPDATE ledger_entry SET amount_micro = 81 WHERE ${LINE('finalize')}`,
    BALANCE,
  ],
  'a charge that moves another amount': [
    `UPDATE ledger_entry SET posted_delta = -81 WHERE ${LINE('finalize')}`,
    ...[AGREE, CHAIN, BALANCE],
  ],
  'a hold that moves the balance': [
    `UPDATE ledger_entry SET posted_delta = 5 WHERE ${LINE('hold')}`,
    ...[CHAIN, BALANCE],
  ],
  'a hold that was not given back whole': [
    `UPDATE ledger_entry SET held_delta = -499 WHERE ${LINE('finalize')}`,
    ...[AGREE, CHAIN],
  ],
  'a line that leaves less than nothing': [
    `UPDATE ledger_entry SET posted_after = -1 WHERE ${LINE('finalize')}`,
    ...[FUNDS, CHAIN],
  ],
  'a line that holds less than nothing': [
    `UPDATE ledger_entry SET held_after = -1 WHERE ${LINE('finalize')}`,
    ...[FUNDS, CHAIN],
  ],
  'a hold that is open still': [
    `${HOLD} state = 'open', charged_micro = NULL WHERE request_id = $1`,
    AGREE,
  ],
  'a hold that was released': [`${HOLD} state = 'released' WHERE request_id = $1`, AGREE],
  'no hold': ['DELETE FROM hold WHERE request_id = $1', AGREE],
  'a hold that was charged another amount': [
    `${HOLD} charged_micro = 81 WHERE request_id = $1`,
    AGREE,
  ],
  'a hold below its charge': [`${HOLD} amount_micro = 79 WHERE request_id = $1`, WITHIN],
  'a hold of which not all was collected, without an overrun': [
    `${HOLD} uncollected_micro = 1 WHERE request_id = $1`,
    WITHIN,
  ],
  'a hold that was refunded without a line': [
    `${HOLD} refunded_micro = 1 WHERE request_id = $1`,
    AGREE,
  ],
  'an overrun of another charge': [
    `INSERT INTO ledger_overrun (account_id, request_id, tenant_id, held_micro, cost_micro,
       charged_micro) SELECT account_id, request_id, tenant_id, 500, 90, 79 FROM hold
     WHERE request_id = $1`,
    WITHIN,
  ],
  'a release behind the mark': [further('release', 'NULL'), ONCE, AGREE],
  'a refund of nothing behind the mark, which is none': [further('refund', 'request_id')],
  'a refund behind the mark': [
    further('refund', 'request_id').replace("'revenue', 0,", "'revenue', 1,"),
    AGREE,
  ],
};

describe('an increment of the books', () => {
  it('shows nothing of honest books, wherever it begins and ends', async () => {
    const lines = places.flat();
    await tampered(`${HOLD} state = state WHERE request_id = $1`, async (client) => {
      for (const [from, after] of [undefined, ...lines].entries()) {
        for (const until of lines.slice(from)) {
          expect(await found(client, after, until)).toEqual([]);
        }
      }
    });
  });

  it.each(Object.entries(FAULTS))(
    'shows %s, whether or not the hold is in it',
    async (_name, of) => {
      const [sql, ...names] = of;
      const subjects = names.map((name) => [name, requests[1]]).sort();
      await tampered(sql, async (client) => {
        expect(await found(client, places[0]?.[1], places[1]?.[1])).toEqual(subjects);
        const ofEnd = sql.includes(LINE('hold')) && sql.startsWith('UPDATE') ? [] : subjects;
        const seen = await found(client, places[1]?.[0], places[1]?.[1]);
        expect(seen).toEqual(expect.arrayContaining(ofEnd));
      });
    },
  );

  it('names a gap before the first line of an account in it, and between two', async () => {
    const gap = ['I4_versions_without_gap', customer.accountId];
    await tampered(`DELETE FROM ledger_entry WHERE ${LINE('finalize')}`, async (client) => {
      expect(await found(client, places[1]?.[1], places[2]?.[1])).toEqual([gap]);
      expect(await found(client, places[1]?.[0], places[2]?.[1])).toEqual([gap]);
      const whole = await found(client, places[0]?.[1], places[2]?.[1]);
      expect(whole).toEqual([[AGREE, requests[1]], gap]);
    });
  });
});
