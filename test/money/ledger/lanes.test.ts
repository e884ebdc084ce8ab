import type { PoolClient } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { LedgerConnection } from '../../../src/money/ledger/connection.js';
import {
  encodeCharge,
  encodeDelivered,
  encodeHold,
  encodeSettle,
} from '../../../src/money/ledger/encode.js';
import { checkInvariants } from '../../../src/money/ledger/invariants.js';
import { PIN_PLANS } from '../../../src/money/ledger/statements.js';
import type { Encoded, Waiting } from '../../../src/money/ledger/waiting.js';
import { type Books, type Customer, openBooks, usageOf } from './books.js';

let books: Books;
let connection: LedgerConnection;

beforeAll(async () => {
  books = await openBooks();
  await books.pool.query(`SELECT ledger_take_over('lanes', $1)`, [newId('Session')]);
  connection = new LedgerConnection(books.pool, () => ['lanes', 1n]);
});

afterAll(async () => {
  connection.close();
  await books.close();
});

interface Ref {
  readonly accountId: string;
  readonly requestId: string;
}

const NOTHING = () => {};

const waiting = (ref: Ref, op: Encoded): Waiting => ({
  ...op,
  ref,
  deadlineMs: Infinity,
  answered: false,
  journaled: false,
  resolve: NOTHING,
  reject: NOTHING,
});

const refOf = ({ accountId }: Customer): Ref => ({ accountId, requestId: newId('Request') });

function holdOf(customer: Customer, ref: Ref, amountMicro: bigint): Waiting {
  const { tenantId, keyId } = customer;
  const usage = usageOf(customer);
  return waiting(ref, encodeHold({ ...ref, tenantId, keyId, amountMicro, budgetIds: [], usage }));
}

function chargeOf(customer: Customer, ref: Ref, amountMicro: bigint): Waiting {
  return waiting(ref, encodeSettle({ ...ref, amountMicro, usage: usageOf(customer) }));
}

/** A charge that brings its hold with it. */
function wholeOf(customer: Customer, ref: Ref, amountMicro: bigint): Waiting {
  const { tenantId, keyId } = customer;
  const usage = usageOf(customer);
  return waiting(ref, encodeCharge({ ...ref, tenantId, keyId, amountMicro, usage }));
}

const markOf = (ref: Ref): Waiting => waiting(ref, encodeDelivered(ref));

async function send(batch: readonly Waiting[], sorted: boolean) {
  const { rows } = await connection.apply(batch, sorted);
  return rows.map(([, status, amount, detail]) => [status, amount, detail]);
}

/** Each operation in a batch of its own. */
async function sendAlone(batch: readonly Waiting[]) {
  const answers: unknown[] = [];
  for (const one of batch) {
    // What is there already is decided one by one, as the batcher asks for it again.
    answers.push(...(await send([one], true).catch(() => send([one], false))));
  }
  return answers;
}

type Send = (batch: readonly Waiting[]) => Promise<unknown[]>;

const WAYS: readonly (readonly [string, Send])[] = [
  ['set by set', (batch) => send(batch, true)],
  ['each by itself', sendAlone],
];

/** What was written for requests, without what differs by nature. */
async function writtenFor(requests: readonly string[]): Promise<unknown[]> {
  const tables = ['hold', 'ledger_entry', 'usage_event'];
  return Promise.all(
    tables.map(async (table) => {
      const id = table === 'usage_event' ? 'id' : 'request_id';
      const { rows } = await books.pool.query(
        `SELECT to_jsonb(t) - '{id,request_id,account_id,tenant_id,project_id,key_id,user_id,seq,
                                txid,created_at}'::text[]
                  #- '{checkpoint_usage,key_id}' #- '{checkpoint_usage,project_id}' AS row
         FROM ${table} t WHERE ${id} = ANY ($1::uuid[])
         ORDER BY array_position($1::uuid[], ${id}), to_jsonb(t) ->> 'account_version'`,
        [requests],
      );
      return rows;
    }),
  );
}

async function story(sendAll: Send): Promise<unknown> {
  const customer = await books.customer(1_000n);
  const refs = Array.from({ length: 4 }, () => refOf(customer));
  const [first, second, third, fourth] = refs as [Ref, Ref, Ref, Ref];
  const answers = [
    await sendAll([holdOf(customer, first, 300n), holdOf(customer, second, 200n)]),
    await sendAll([chargeOf(customer, first, 299n), holdOf(customer, third, 400n)]),
    await sendAll([wholeOf(customer, fourth, 50n), chargeOf(customer, second, 0n)]),
  ].flat();
  await sendAll([markOf(first), markOf(fourth)]);
  return { answers, written: await writtenFor(refs.map(({ requestId }) => requestId)) };
}

/** How many sessions wait for a lock that the one of `client` has. */
async function waiters(client: PoolClient): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))`,
  );
  return rows[0]?.count ?? 0;
}

/** A refund, in the middle of which `work` begins: before it changes the hold, or after that. */
async function refundDuring<T>(
  { accountId, requestId }: Ref,
  place: 'before' | 'after',
  work: () => Promise<T>,
): Promise<T> {
  const client = await books.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT FROM account WHERE id = $1 FOR NO KEY UPDATE', [accountId]);
    const sql = `SELECT status FROM ledger_post($1, $2, 'refund', 10, 'x', NULL, $3)`;
    const values = [accountId, newId('Request'), requestId];
    if (place === 'after') await client.query(sql, values);
    const working = work();
    await expect.poll(() => waiters(client), { timeout: 5_000 }).toBe(1);
    if (place === 'before') await client.query(sql, values);
    await client.query('COMMIT');
    return await working;
  } finally {
    client.release();
  }
}

describe.each(WAYS)('operations that go %s', (_, sendAll) => {
  it('write what they write one by one', async () => {
    expect(await story(sendAll)).toEqual(await story((batch) => send(batch, false)));
    expect(await checkInvariants(books.pool)).toEqual([]);
  });

  it('are refused account by account, each with its reason', async () => {
    const rich = await books.customer(1_000n);
    const poor = await books.customer(100n);
    const revoked = await books.customer(100n);
    await books.pool.query('UPDATE api_key SET revoked_at = now() WHERE id = $1', [revoked.keyId]);
    const batch = [
      holdOf(poor, refOf(poor), 60n),
      holdOf(rich, refOf(rich), 60n),
      holdOf(poor, refOf(poor), 60n),
      holdOf(revoked, refOf(revoked), 1n),
      holdOf(rich, refOf(rich), 70n),
      chargeOf(rich, refOf(rich), 1n),
    ];
    expect(await sendAll(batch)).toEqual([
      ['ok', '60', null],
      ['ok', '60', null],
      ['insufficient', '0', '{"available": "40"}'],
      ['key_revoked', '0', null],
      ['ok', '70', null],
      ['no_hold', null, null],
    ]);
    expect(await checkInvariants(books.pool)).toEqual([]);
  });

  it('take no more than is free, and say of what brings its hold why it is refused', async () => {
    const rich = await books.customer(1_000n);
    const poor = await books.customer(100n);
    const revoked = await books.customer(100n);
    const other = await books.customer(100n);
    await books.pool.query('UPDATE api_key SET revoked_at = now() WHERE id = $1', [revoked.keyId]);
    const [twice, held] = [refOf(rich), refOf(rich)];
    await send([holdOf(rich, held, 40n)], true);
    const batch = [
      wholeOf(poor, refOf(poor), 60n),
      wholeOf(rich, twice, 60n),
      wholeOf(poor, refOf(poor), 60n),
      wholeOf(revoked, refOf(revoked), 1n),
      chargeOf(rich, held, 30n),
      wholeOf(rich, twice, 60n),
      wholeOf({ ...rich, keyId: other.keyId }, refOf(rich), 5n),
      wholeOf(rich, refOf(rich), 0n),
    ];
    const answers = [
      ['ok', '60', null],
      ['ok', '60', null],
      ['insufficient', '0', '{"available": "40"}'],
      ['key_revoked', '0', null],
      ['ok', '30', null],
      ['duplicate', '60', null],
      ['key_revoked', '0', null],
      ['ok', '0', null],
    ];
    expect(await sendAll(batch)).toEqual(answers);
    const again = batch.map((one) => ({ ...one }));
    const repeated = answers.map(([status, ...rest]) => [
      status === 'ok' ? 'duplicate' : status,
      ...rest,
    ]);
    expect(await send(again, false)).toEqual(repeated);
    expect(await checkInvariants(books.pool)).toEqual([]);
  });
});

describe('operations that go set by set', () => {
  it('keep what is beyond the bounds of a request beside its charge, however held', async () => {
    const customer = await books.customer(1_000n);
    const [held, whole] = [refOf(customer), refOf(customer)];
    await send([holdOf(customer, held, 60n)], true);
    const usage = usageOf(customer);
    const raw = { completion_tokens: 90 };
    const bounds = { inputTokensMax: 10, outputTokensMax: 20 };
    const overrun = { costMicro: 400n, provider: 'p', model: 'm', rawUsage: raw, ...bounds };
    const { tenantId, keyId } = customer;
    const batch = [
      waiting(held, encodeSettle({ ...held, amountMicro: 60n, usage, overrun })),
      waiting(whole, encodeCharge({ ...whole, tenantId, keyId, amountMicro: 60n, usage, overrun })),
    ];
    expect(await send(batch, true)).toEqual([
      ['ok', '60', null],
      ['ok', '60', null],
    ]);
    const { rows } = await books.pool.query(
      `SELECT to_jsonb(o) - '{account_id,request_id,tenant_id,created_at}'::text[] AS row
       FROM ledger_overrun o WHERE request_id = ANY ($1)`,
      [[held.requestId, whole.requestId]],
    );
    expect(rows).toHaveLength(2);
    expect(rows[1]).toEqual(rows[0]);
    expect(await checkInvariants(books.pool)).toEqual([]);
  });

  it('charge a request once, as the first of its charges says', async () => {
    const customer = await books.customer(1_000n);
    const ref = refOf(customer);
    await send([holdOf(customer, ref, 6n)], true);
    const charges = [chargeOf(customer, ref, 700n), chargeOf(customer, ref, 2n)];
    expect(await send(charges, true)).toEqual([
      ['ok', '6', '{"uncollected": "694"}'],
      ['duplicate', '6', '{"uncollected": "694"}'],
    ]);
    expect(await checkInvariants(books.pool)).toEqual([]);
  });

  it('mark what is refunded meanwhile, and wait for a refund as it waits for them', async () => {
    const customer = await books.customer(1_000n);
    const refs = [refOf(customer), refOf(customer)] as const;
    const [first, second] = refs;
    await send([holdOf(customer, first, 300n), holdOf(customer, second, 300n)], true);
    await send([chargeOf(customer, first, 200n), chargeOf(customer, second, 200n)], true);
    const states = async () => {
      const sql = 'SELECT state, refunded_micro AS given FROM hold WHERE request_id = ANY ($1)';
      return (await books.pool.query(sql, [refs.map(({ requestId }) => requestId)])).rows;
    };
    const marked = await refundDuring(first, 'after', () => send([markOf(first)], true));
    expect(marked).toEqual([['ok', null, null]]);
    const third = refOf(customer);
    const batch = [markOf(second), holdOf(customer, third, 1n)];
    expect(await refundDuring(second, 'before', () => send(batch, true))).toEqual([
      ['ok', null, null],
      ['ok', '1', null],
    ]);
    expect(await states()).toEqual(refs.map(() => ({ state: 'delivered', given: 10n })));
    expect(await checkInvariants(books.pool)).toEqual([]);
  });

  it('read no more of an account with a long history than of a new one', async () => {
    const customer = await books.customer(1_000_000n);
    const client = await books.pool.connect();
    try {
      await client.query(PIN_PLANS);
      // Their plans are made while the tables are small.
      for (let made = 0; made < 8; made += 1) await cycle(client, customer);
      await client.query('BEGIN');
      await client.query(HISTORY, [customer.accountId, customer.tenantId]);
      const before = await readsOf(client);
      await cycle(client, customer);
      const after = await readsOf(client);
      await client.query('ROLLBACK');
      for (const [table, reads] of Object.entries(after)) {
        expect([table, reads - (before[table] ?? 0) < 50]).toEqual([table, true]);
      }
    } finally {
      client.release(true);
    }
  });
});

/** The operations of two requests, each by itself; then those of two more, two at a time. */
async function cycle(client: PoolClient, customer: Customer): Promise<void> {
  const steps = (): Waiting[] => {
    const ref = refOf(customer);
    const whole = wholeOf(customer, refOf(customer), 8n);
    const held = [holdOf(customer, ref, 10n), chargeOf(customer, ref, 9n), markOf(ref)];
    return [...held, whole, markOf(whole.ref)];
  };
  const [first, second] = [steps(), steps()];
  const pairs = first.map((one, place) =>
    [one, second[place]].filter((each) => each !== undefined),
  );
  for (const batch of [...steps().map((one) => [one]), ...pairs]) {
    const text = batch.map((one) => one.text).join();
    const texts = ['charge', 'mark', 'hold'].map((lane) =>
      lane === batch[0]?.lane ? `[${text}]` : null,
    );
    const { rows } = await client.query({
      name: 'lanes',
      text: `SELECT * FROM ledger_apply_batch('lanes', 1, NULL, $1, $2, $3, NULL)`,
      values: texts,
    });
    expect(rows).toEqual([]);
  }
}

const HISTORY = `INSERT INTO hold (account_id, request_id, tenant_id, amount_micro, node_id, epoch)
  SELECT $1, gen_random_uuid(), $2, 0, 'lanes', 1 FROM generate_series(1, 20000)`;

/** Rows that this transaction has read of each table, by whatever way. */
async function readsOf(client: PoolClient): Promise<Record<string, number>> {
  const { rows } = await client.query<{ name: string; reads: bigint }>(
    `SELECT relname AS name, COALESCE(seq_tup_read, 0) + COALESCE(idx_tup_fetch, 0) AS reads
     FROM pg_stat_xact_user_tables WHERE relname IN ('hold', 'account', 'ledger_entry')`,
  );
  return Object.fromEntries(rows.map(({ name, reads }) => [name, Number(reads)]));
}
