import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { encodeHold } from '../../../src/money/ledger/encode.js';
import { checkInvariants } from '../../../src/money/ledger/invariants.js';
import type { Ledger } from '../../../src/money/ledger/ledger.js';
import { type Books, type Customer, openBooks, usageOf } from './books.js';

let books: Books;

beforeAll(async () => {
  books = await openBooks();
});

afterAll(() => books.close());

const opOf = (customer: Customer) => ({ ...customer, requestId: newId('Request') });

async function holdOf(ledger: Ledger, customer: Customer, budgetIds: string[] = []) {
  const op = opOf(customer);
  expect(await ledger.hold({ ...op, amountMicro: 500n, budgetIds })).toEqual({
    status: 'ok',
    heldMicro: 500n,
  });
  return op;
}

async function statesOf(customer: Customer): Promise<Record<string, string>> {
  const { rows } = await books.pool.query(
    'SELECT request_id, state FROM hold WHERE account_id = $1',
    [customer.accountId],
  );
  return Object.fromEntries(rows.map((row) => [row.request_id, row.state]));
}

describe('a node that is taken over', () => {
  it('has its late statements refused', async () => {
    const first = await books.ledger('fenced');
    const customer = await books.customer(10_000n);
    await holdOf(first, customer);
    const before = await statesOf(customer);
    const { epoch } = first.gauges();
    const second = await books.ledger('fenced');
    const { text } = encodeHold({ ...opOf(customer), amountMicro: 1n, budgetIds: [] });
    await expect(
      books.pool.query('SELECT ledger_apply($1, $2, $3)', ['fenced', epoch, `[${text}]`]),
    ).rejects.toMatchObject({ code: 'GW001' });
    expect(Object.keys(await statesOf(customer))).toEqual(Object.keys(before));
    expect(second.gauges().epoch).toBe(epoch + 1n);
  });

  it('serves no more when its name belongs to another process', async () => {
    const first = await books.ledger('twice');
    const second = await books.ledger('twice');
    const customer = await books.customer(10_000n);
    await expect(
      first.hold({ ...opOf(customer), amountMicro: 1n, budgetIds: [] }),
    ).rejects.toMatchObject({ code: 'ledger_unavailable' });
    expect(first.healthy()).toBe(false);
    await holdOf(second, customer);
    expect(second.healthy()).toBe(true);
  });
});

describe('recovery', () => {
  it('releases, charges the checkpoint, or refunds, and gives budgets back', async () => {
    const customer = await books.customer(10_000n);
    const budget = await books.budget(customer, 9_000n);
    const first = await books.ledger('recovers');
    const usage = usageOf(customer);
    const open = await holdOf(first, customer, [budget]);
    const streamed = await holdOf(first, customer, [budget]);
    const unseen = await holdOf(first, customer, [budget]);
    const seen = await holdOf(first, customer, [budget]);
    first.checkpoint({ ...streamed, amountMicro: 100n, usage });
    first.checkpoint({ ...streamed, amountMicro: 250n, usage });
    await first.settle({ ...unseen, amountMicro: 400n, usage });
    await first.settle({ ...seen, amountMicro: 300n, usage });
    first.delivered(seen.accountId, seen.requestId);
    await first.drain();
    await books.ledger('recovers');
    expect(await statesOf(customer)).toEqual({
      [open.requestId]: 'released',
      [streamed.requestId]: 'delivered',
      [unseen.requestId]: 'refunded',
      [seen.requestId]: 'delivered',
    });
    const { rows } = await books.pool.query(
      `SELECT a.posted_micro, a.held_micro, c.spent_micro, u.status, u.error_code, u.amount_micro
       FROM account a JOIN budget_counter c USING (tenant_id)
       JOIN usage_event u ON u.id = $2 WHERE a.id = $1`,
      [customer.accountId, streamed.requestId],
    );
    expect(rows).toEqual([
      {
        posted_micro: 9_450n,
        held_micro: 0n,
        spent_micro: 550n,
        status: 'partial',
        error_code: 'node_lost',
        amount_micro: 250n,
      },
    ]);
    const later = await books.ledger('later');
    expect((await later.settle({ ...open, amountMicro: 1n, usage })).status).toBe(
      'already_released',
    );
    expect(await checkInvariants(books.pool)).toEqual([]);
  });

  it('takes back the holds of unseen nodes, and leaves old holds of living ones', async () => {
    const customer = await books.customer(10_000n);
    const times = { beatMs: 40, sweepMs: 40, unseenMs: 400 };
    const alive = await books.ledger('alive', { times });
    const dead = await books.ledger('dead', { times: { ...times, beatMs: 60_000 } });
    const living = await holdOf(alive, customer);
    const orphan = await holdOf(dead, customer);
    await expect
      .poll(() => statesOf(customer), { timeout: 10_000 })
      .toEqual({
        [living.requestId]: 'open',
        [orphan.requestId]: 'released',
      });
    await books.pool.query(
      `UPDATE hold SET created_at = created_at - interval '1 day' WHERE request_id = $1`,
      [living.requestId],
    );
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect((await statesOf(customer))[living.requestId]).toBe('open');
    // Both, since either would take the far node of the next test for dead.
    await Promise.all([alive.stop(), dead.stop()]);
    expect(await checkInvariants(books.pool)).toEqual([]);
  });

  it('beats on when the clock of the database was set by months, ahead or back', async () => {
    const { rows } = await books.pool.query<{ epoch: bigint }>(
      `SELECT ledger_take_over('far', $1) AS epoch`,
      [newId('Session')],
    );
    for (const days of [40, -40]) {
      await books.pool.query(
        `UPDATE gateway_node SET seen_at = clock_timestamp() - make_interval(days => $1)
         WHERE node_id = 'far'`,
        [days],
      );
      for (const gap of [2_147_483_647, expect.any(Number)]) {
        const beat = await books.pool.query(`SELECT ledger_beat('far', $1) AS gap`, [
          rows[0]?.epoch,
        ]);
        expect(beat.rows).toEqual([{ gap }]);
      }
    }
  });

  it('gives a process that was wrongly taken for dead its open requests back', async () => {
    const customer = await books.customer(10_000n);
    const slow = await books.ledger('slow');
    const op = await holdOf(slow, customer);
    await books.pool.query(`SELECT ledger_retire('slow', $1)`, [slow.gauges().epoch]);
    const usage = usageOf(customer);
    expect(await slow.settle({ ...op, amountMicro: 200n, usage })).toMatchObject({
      chargedMicro: 200n,
    });
    slow.delivered(op.accountId, op.requestId);
    await slow.drain();
    await expect.poll(() => statesOf(customer)).toEqual({ [op.requestId]: 'delivered' });
    expect(slow.healthy()).toBe(true);
    expect(await checkInvariants(books.pool)).toEqual([]);
  });

  it('has nothing to do after a graceful stop', async () => {
    const customer = await books.customer(10_000n);
    const ledger = await books.ledger('graceful');
    const op = await holdOf(ledger, customer);
    await ledger.settle({ ...op, amountMicro: 200n, usage: usageOf(customer) });
    ledger.delivered(op.accountId, op.requestId);
    await ledger.stop();
    const { rows } = await books.pool.query(
      `SELECT retired_at IS NOT NULL AS retired, state FROM gateway_node n
       JOIN hold h ON h.node_id = n.node_id WHERE n.node_id = 'graceful'`,
    );
    expect(rows).toEqual([{ retired: true, state: 'delivered' }]);
    await expect(
      ledger.hold({ ...opOf(customer), amountMicro: 1n, budgetIds: [] }),
    ).rejects.toMatchObject({ code: 'ledger_unavailable' });
  });
});
