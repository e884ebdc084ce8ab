import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { checkInvariants } from '../../../src/money/ledger/invariants.js';
import type { HoldOutcome } from '../../../src/money/ledger/ledger.js';
import { type Books, openBooks, usageOf } from './books.js';

let books: Books;

beforeAll(async () => {
  books = await openBooks();
});

afterAll(() => books.close());

function countOf(outcomes: readonly HoldOutcome[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of outcomes) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

describe('500 requests at once', () => {
  it('admits exactly the 100 that the funds cover', async () => {
    const ledger = await books.ledger('funds');
    const customer = await books.customer(100_000n);
    const outcomes = await Promise.all(
      many(500, () =>
        ledger.hold({
          ...customer,
          requestId: newId('Request'),
          amountMicro: 1_000n,
          budgetIds: [],
        }),
      ),
    );
    expect(countOf(outcomes)).toEqual({ ok: 100, insufficient: 400 });
    expect(outcomes.find(({ status }) => status === 'insufficient')).toEqual({
      status: 'insufficient',
      availableMicro: 0n,
    });
    expect(await checkInvariants(books.pool)).toEqual([]);
  });

  it('admits exactly the 100 that a budget covers, and calls the rest reserved', async () => {
    const ledger = await books.ledger('budget');
    const customer = await books.customer(10_000_000n);
    const roomy = await books.budget(customer, 5_000_000n, 'month');
    const tight = await books.budget(customer, 100_000n, 'day');
    const ids = many(500, () => newId('Request'));
    const outcomes = await Promise.all(
      ids.map((requestId) =>
        ledger.hold({ ...customer, requestId, amountMicro: 1_000n, budgetIds: [roomy, tight] }),
      ),
    );
    expect(countOf(outcomes)).toEqual({ ok: 100, budget_reserved: 400 });
    expect(outcomes.find(({ status }) => status === 'budget_reserved')).toEqual({
      status: 'budget_reserved',
      budget: {
        budgetId: tight,
        name: 'day budget',
        period: 'day',
        spentMicro: 0n,
        heldMicro: 100_000n,
        capMicro: 100_000n,
      },
    });
    const usage = usageOf(customer);
    await Promise.all(
      ids.map((requestId, index) =>
        outcomes[index]?.status === 'ok'
          ? ledger.settle({ ...customer, requestId, amountMicro: 1_000n, usage, delivered: true })
          : undefined,
      ),
    );
    const after = await ledger.hold({
      ...customer,
      requestId: newId('Request'),
      amountMicro: 1n,
      budgetIds: [tight],
    });
    expect(after).toEqual({
      status: 'budget_exhausted',
      budget: {
        budgetId: tight,
        name: 'day budget',
        period: 'day',
        spentMicro: 100_000n,
        heldMicro: 0n,
        capMicro: 100_000n,
      },
    });
    const free = { ...customer, requestId: newId('Request'), amountMicro: 0n, budgetIds: [tight] };
    expect(await ledger.hold(free)).toEqual({ status: 'ok', heldMicro: 0n });
    expect(await checkInvariants(books.pool)).toEqual([]);
  });

  it('admits exactly 100 over two nodes on one database', async () => {
    const nodes = [await books.ledger('left'), await books.ledger('right')];
    const customer = await books.customer(100_000n);
    const budget = await books.budget(customer, 60_000n);
    const holds = (budgetIds: string[]) =>
      Promise.all(
        many(500, (index) =>
          nodes[index % 2]?.hold({
            ...customer,
            requestId: newId('Request'),
            amountMicro: 1_000n,
            budgetIds,
          }),
        ),
      ) as Promise<HoldOutcome[]>;
    expect(countOf(await holds([budget]))).toEqual({ ok: 60, budget_reserved: 440 });
    expect(countOf(await holds([]))).toEqual({ ok: 40, insufficient: 460 });
    expect(await checkInvariants(books.pool)).toEqual([]);
  });
});

describe('one request id', () => {
  it('has one effect when it is held, settled and marked 500 times on two nodes', async () => {
    const nodes = [await books.ledger('one'), await books.ledger('two')];
    const customer = await books.customer(10_000n);
    const budget = await books.budget(customer, 10_000n);
    const op = { ...customer, requestId: newId('Request') };
    const on = (index: number) => nodes[index % 2] ?? fail();
    const held = await Promise.all(
      many(500, (index) => on(index).hold({ ...op, amountMicro: 700n, budgetIds: [budget] })),
    );
    expect(countOf(held)).toEqual({ ok: 1, duplicate: 499 });
    const settled = await Promise.all(
      many(500, (index) =>
        on(index).settle({ ...op, amountMicro: 600n, usage: usageOf(customer) }),
      ),
    );
    expect(settled.filter(({ status }) => status === 'ok').length).toBe(1);
    expect(new Set(settled.map(({ chargedMicro }) => chargedMicro))).toEqual(new Set([600n]));
    for (const index of many(500, (each) => each)) {
      on(index).delivered(op.accountId, op.requestId);
    }
    expect(await nodes[0]?.release(op)).toMatchObject({ status: 'already_finalized' });
    await Promise.all(nodes.map((node) => node.drain()));
    const { rows } = await books.pool.query(
      `SELECT posted_micro, a.held_micro, version, spent_micro FROM account a
       JOIN budget_counter USING (tenant_id) WHERE a.id = $1`,
      [op.accountId],
    );
    expect(rows).toEqual([
      { posted_micro: 9_400n, held_micro: 0n, version: 3n, spent_micro: 600n },
    ]);
    expect(await checkInvariants(books.pool)).toEqual([]);
  });

  it('is posted once as a top-up', async () => {
    const ledger = await books.ledger('post');
    const customer = await books.customer();
    const op = {
      ...customer,
      requestId: newId('Request'),
      amountMicro: 5_000n,
      description: 'Invoice 7',
      actorId: customer.userId,
    };
    const outcomes = await Promise.all(many(50, () => ledger.topUp(op)));
    expect(outcomes.filter(({ status }) => status === 'ok')).toEqual([
      { status: 'ok', postedMicro: 5_000n, heldMicro: 0n, accountVersion: 1n },
    ]);
    expect(outcomes.filter(({ status }) => status === 'duplicate').length).toBe(49);
  });
});

describe('a hold is refused', () => {
  it('for an ended key, a removed member, a suspended tenant, from the next call on', async () => {
    const ledger = await books.ledger('access');
    const customer = await books.customer(10_000n);
    const hold = () =>
      ledger.hold({
        ...customer,
        requestId: newId('Request'),
        amountMicro: 1n,
        budgetIds: [],
      });
    expect((await hold()).status).toBe('ok');
    const { keyId, userId, tenantId } = customer;
    const end = (at: string) =>
      books.pool.query(
        `UPDATE api_key SET expires_at = clock_timestamp() + interval '${at}'
                        WHERE id = $1`,
        [keyId],
      );
    await end('1 hour');
    expect((await hold()).status).toBe('ok');
    await end('-1 millisecond');
    expect(await hold()).toEqual({ status: 'key_expired' });
    await books.pool.query('UPDATE api_key SET revoked_at = now() WHERE id = $1', [keyId]);
    expect(await hold()).toEqual({ status: 'key_revoked' });
    await books.pool.query(`UPDATE app_user SET status = 'removed' WHERE id = $1`, [userId]);
    expect(await hold()).toEqual({ status: 'user_removed' });
    await books.pool.query(`UPDATE tenant SET status = 'suspended' WHERE id = $1`, [tenantId]);
    expect(await hold()).toEqual({ status: 'tenant_suspended' });
  });

  it("for another tenant's key or budget exactly as for an unknown one", async () => {
    const ledger = await books.ledger('foreign');
    const [customer, other] = [await books.customer(10_000n), await books.customer(10_000n)];
    const foreignBudget = await books.budget(other, 10_000n);
    const hold = (changes: object) =>
      ledger.hold({
        ...customer,
        requestId: newId('Request'),
        amountMicro: 1n,
        budgetIds: [],
        ...changes,
      });
    for (const keyId of [other.keyId, newId('ApiKey')]) {
      expect(await hold({ keyId })).toEqual({ status: 'key_revoked' });
    }
    for (const budgetId of [foreignBudget, newId('Budget')]) {
      expect(await hold({ budgetIds: [budgetId] })).toEqual({ status: 'unknown_budget' });
    }
    expect(await hold({ accountId: newId('Account') })).toEqual({ status: 'unknown_account' });
    expect(await checkInvariants(books.pool)).toEqual([]);
  });
});

function fail(): never {
  throw new Error('no such node');
}
