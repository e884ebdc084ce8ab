import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { taxInside } from '../../../src/kernel/money.js';
import { VAT_RATES, vatRateOn } from '../../../src/kernel/time.js';
import { encodeHold, encodeSettle } from '../../../src/money/ledger/encode.js';
import type { Ledger } from '../../../src/money/ledger/ledger.js';
import { violationsAtRest } from '../../support/books-at-rest.js';
import { type Books, type Customer, knownUsageOf, openBooks, usageOf } from './books.js';

let books: Books;
let ledger: Ledger;

beforeAll(async () => {
  books = await openBooks();
  ledger = await books.ledger('books');
});

afterAll(() => books.close());

async function charge(customer: Customer, heldMicro: bigint, costMicro: bigint) {
  const op = { ...customer, requestId: newId('Request') };
  await ledger.hold({ ...op, amountMicro: heldMicro, budgetIds: [] });
  const usage = usageOf(customer);
  return {
    ...op,
    outcome: await ledger.settle({ ...op, amountMicro: costMicro, usage, delivered: true }),
  };
}

describe('append-only tables', () => {
  it.each(['ledger_entry', 'ledger_overrun', 'usage_event'])(
    '%s refuses UPDATE, DELETE and TRUNCATE, also for a superuser in replica mode',
    async (table) => {
      const customer = await books.customer(1_000n);
      await charge(customer, 10n, 20n);
      const { rows } = await books.pool.query(
        'SELECT rolsuper FROM pg_roles WHERE rolname = current_user',
      );
      expect(rows).toEqual([{ rolsuper: true }]);
      for (const mode of ['origin', 'replica']) {
        for (const change of [
          `UPDATE ${table} SET tenant_id = gen_random_uuid()`,
          `DELETE FROM ${table}`,
          `TRUNCATE ${table} CASCADE`,
        ]) {
          const client = await books.pool.connect();
          try {
            await client.query(`SET session_replication_role = ${mode}`);
            await expect(client.query(change)).rejects.toMatchObject({ code: '42501' });
          } finally {
            client.release(true);
          }
        }
      }
    },
  );

  it('an account cannot be removed', async () => {
    await books.customer();
    await expect(books.pool.query('DELETE FROM account')).rejects.toMatchObject({ code: '42501' });
  });
});

describe('a charge', () => {
  it('never exceeds its hold; the rest is recorded, not collected', async () => {
    const customer = await books.customer(1_000n);
    const within = await charge(customer, 100n, 100n);
    expect(within.outcome).toEqual({ status: 'ok', chargedMicro: 100n, uncollectedMicro: 0n });
    const beyond = await charge(customer, 100n, 900n);
    const capped = { chargedMicro: 100n, uncollectedMicro: 800n };
    expect(beyond.outcome).toEqual({ status: 'ok', ...capped });
    const again = await ledger.settle({ ...beyond, amountMicro: 900n, usage: usageOf(customer) });
    expect(again).toEqual({ status: 'duplicate', ...capped });
    const { rows } = await books.pool.query(
      `SELECT held_micro, o.cost_micro, charged_micro, u.cost_micro AS used, u.amount_micro
       FROM ledger_overrun o JOIN usage_event u ON u.id = o.request_id
       WHERE o.account_id = $1`,
      [customer.accountId],
    );
    expect(rows).toEqual([
      { held_micro: 100n, cost_micro: 900n, charged_micro: 100n, used: 900n, amount_micro: 100n },
    ]);
    expect(await violationsAtRest(books.pool)).toEqual([]);
  });

  it('keeps what an upstream reported beyond the bounds in a row of its own', async () => {
    const customer = await books.customer(1_000n);
    const op = { ...customer, requestId: newId('Request') };
    await ledger.hold({ ...op, amountMicro: 100n, budgetIds: [] });
    const overrun = {
      costMicro: 10n ** 30n,
      provider: 'house',
      model: 'house/model',
      rawUsage: { completion_tokens: 1e15 },
      inputTokensMax: 90,
      outputTokensMax: 10,
    };
    await ledger.settle({
      ...op,
      amountMicro: 70n,
      usage: usageOf(customer),
      overrun,
      delivered: true,
    });
    const { rows } = await books.pool.query('SELECT * FROM ledger_overrun WHERE request_id = $1', [
      op.requestId,
    ]);
    expect(rows).toEqual([
      {
        account_id: customer.accountId,
        request_id: op.requestId,
        tenant_id: customer.tenantId,
        held_micro: 100n,
        cost_micro: 2n ** 63n - 1n,
        charged_micro: 70n,
        provider: 'house',
        model: 'house/model',
        raw_usage: { completion_tokens: 1e15 },
        input_tokens_max: 90n,
        output_tokens_max: 10n,
        created_at: expect.any(Date),
      },
    ]);
    expect(await violationsAtRest(books.pool)).toEqual([]);
  });
});

describe('the answer of a keyed request', () => {
  it('stands with its charge, makes it final, and is found by its account alone', async () => {
    const customer = await books.customer(1_000n);
    const other = await books.customer(1_000n);
    const op = { ...customer, requestId: newId('Request') };
    const ref = [customer.accountId, op.requestId] as const;
    expect(await ledger.standing(...ref)).toEqual({ state: 'none', answer: undefined });
    await ledger.hold({ ...op, amountMicro: 100n, budgetIds: [] });
    expect(await ledger.standing(...ref)).toEqual({ state: 'open', answer: undefined });
    const answer = Buffer.from('sealed');
    await ledger.settle({ ...op, amountMicro: 70n, usage: usageOf(customer), answer });
    expect(await ledger.standing(...ref)).toEqual({ state: 'delivered', answer });
    const none = { state: 'none', answer: undefined };
    expect(await ledger.standing(other.accountId, op.requestId)).toEqual(none);
    expect(await violationsAtRest(books.pool)).toEqual([]);
  });
});

describe('a hold whose request is gone', () => {
  it('is released with a usage row that says so, and only that one', async () => {
    const customer = await books.customer(1_000n);
    const neighbour = await books.ledger('neighbour');
    const usage = knownUsageOf(customer);
    const place = async (on: typeof ledger) => {
      const requestId = newId('Request');
      await on.hold({ ...customer, requestId, amountMicro: 100n, budgetIds: [], usage });
      return requestId;
    };
    const [lost, running, foreign] = [
      await place(ledger),
      await place(ledger),
      await place(neighbour),
    ];
    const before = ledger.gauges().lostHolds;
    expect(await ledger.releaseLost((id) => id === running, 0)).toEqual([lost]);
    expect(await ledger.releaseLost((id) => id === running, 0)).toEqual([]);
    expect(await ledger.releaseLost(() => false, 60_000)).toEqual([]);
    expect(ledger.gauges().lostHolds).toBe(before + 1);
    const { rows } = await books.pool.query(
      `SELECT u.id, h.state, u.status, u.error_code, u.amount_micro, u.model, u.project_id
       FROM hold h LEFT JOIN usage_event u ON u.id = h.request_id
       WHERE h.account_id = $1 ORDER BY h.created_at, h.request_id`,
      [customer.accountId],
    );
    const open = {
      id: null,
      state: 'open',
      status: null,
      error_code: null,
      amount_micro: null,
      model: null,
      project_id: null,
    };
    expect(rows).toEqual([
      {
        id: lost,
        state: 'released',
        status: 'failed',
        error_code: 'request_lost',
        amount_micro: 0n,
        model: usage.model,
        project_id: customer.projectId,
      },
      open,
      open,
    ]);
    await ledger.release({ ...customer, requestId: running });
    await neighbour.release({ ...customer, requestId: foreign });
    expect(await violationsAtRest(books.pool)).toEqual([]);
  });
});

describe('a refund', () => {
  it('of a named charge never exceeds it, and goes back to the budget', async () => {
    const customer = await books.customer(1_000n);
    const budgetId = await books.budget(customer, 500n, 'month');
    const op = { ...customer, requestId: newId('Request') };
    await ledger.hold({ ...op, amountMicro: 400n, budgetIds: [budgetId] });
    await ledger.settle({ ...op, amountMicro: 400n, usage: usageOf(customer), delivered: true });
    const refund = (amountMicro: bigint, chargedRequestId = op.requestId) =>
      ledger.refund({
        ...customer,
        requestId: newId('Request'),
        amountMicro,
        description: 'Goodwill',
        actorId: customer.userId,
        chargedRequestId,
      });
    expect(await refund(300n)).toEqual({
      status: 'ok',
      postedMicro: 900n,
      heldMicro: 0n,
      accountVersion: 4n,
    });
    expect((await refund(101n)).status).toBe('exceeds_charge');
    expect((await refund(1n, newId('Request'))).status).toBe('no_charge');
    const { rows } = await books.pool.query(
      'SELECT spent_micro FROM budget_counter WHERE budget_id = $1',
      [budgetId],
    );
    expect(rows).toEqual([{ spent_micro: 100n }]);
    expect(await violationsAtRest(books.pool)).toEqual([]);
  });

  it('and an adjustment cannot overdraw', async () => {
    const customer = await books.customer(1_000n);
    const op = { ...customer, requestId: newId('Request'), description: 'Correction' };
    expect((await ledger.adjust({ ...op, amountMicro: -1_001n })).status).toBe('insufficient');
    expect((await ledger.adjust({ ...op, amountMicro: -1_000n })).postedMicro).toBe(0n);
    expect((await ledger.credit({ ...op, amountMicro: 5n })).postedMicro).toBe(5n);
    expect(await violationsAtRest(books.pool)).toEqual([]);
  });
});

describe('value added tax', () => {
  it('stands on each line by the day of supply, across the change of rate', async () => {
    const customer = await books.customer(10_000_000n);
    const { epoch } = ledger.gauges();
    const days = ['2018-12-31', '2025-12-31', '2026-01-01'];
    for (const day of days) {
      const op = { ...customer, requestId: newId('Request') };
      const { text: settle } = encodeSettle({
        ...op,
        amountMicro: 1_000_001n,
        usage: usageOf(customer),
      });
      const dated = JSON.stringify({ ...JSON.parse(settle), supplied_on: day, final: true });
      const { text: hold } = encodeHold({ ...op, amountMicro: 1_000_001n, budgetIds: [] });
      await books.pool.query('SELECT ledger_apply($1, $2, $3)', ['books', epoch, `[${hold}]`]);
      await books.pool.query('SELECT ledger_apply($1, $2, $3)', ['books', epoch, `[${dated}]`]);
    }
    const { rows } = await books.pool.query(
      `SELECT e.vat_rate_basis_points AS rate, e.vat_micro AS vat, u.vat_rate_basis_points AS used
       FROM ledger_entry e JOIN usage_event u ON u.id = e.request_id
       WHERE e.account_id = $1 AND e.type = 'finalize' ORDER BY e.seq`,
      [customer.accountId],
    );
    expect(rows).toEqual(
      days.map((day) => {
        const rate = vatRateOn(day);
        return { rate, vat: taxInside(1_000_001n, rate).vat, used: rate };
      }),
    );
  });

  it('is computed alike in SQL and in the kernel', async () => {
    const amounts = [0n, 1n, 2n, 3n, 5n, 11n, 61n, 122n, 500_000_000n, 9_000_000_000_000_000n];
    for (const { effectiveFrom, basisPoints } of VAT_RATES) {
      const { rows } = await books.pool.query(
        `SELECT vat_rate_on($2) AS rate, vat_inside(a, vat_rate_on($2)) AS vat
         FROM unnest($1::bigint[]) a`,
        [amounts, effectiveFrom],
      );
      expect(rows).toEqual(
        amounts.map((amount) => ({ rate: basisPoints, vat: taxInside(amount, basisPoints).vat })),
      );
    }
  });
});

describe('double entry', () => {
  it('balances line by line, and revenue stands net of its tax', async () => {
    const customer = await books.customer(10_000n);
    const { requestId } = await charge(customer, 3_000n, 2_440n);
    const { rows } = await books.pool.query(
      `SELECT type, json_object_agg(leg, amount_micro::text) AS legs,
              sum(amount_micro)::text AS total
       FROM ledger_posting WHERE request_id = $1 GROUP BY type ORDER BY type`,
      [requestId],
    );
    expect(rows).toEqual([
      {
        type: 'finalize',
        legs: { available: '560', held: '-3000', revenue: '2000', vat: '440' },
        total: '0',
      },
      { type: 'hold', legs: { available: '-3000', held: '3000' }, total: '0' },
    ]);
    const { rows: trial } = await books.pool.query(
      'SELECT sum(amount_micro)::text AS total FROM ledger_posting',
    );
    expect(trial).toEqual([{ total: '0' }]);
  });
});

describe('periods of a budget', () => {
  it('begin at midnight and on the first of the month in the time zone of the budget', async () => {
    const { rows } = await books.pool.query(
      `SELECT budget_period_start(period, zone, '2026-01-31T21:30:00Z')::text AS start
       FROM (VALUES ('day', 'Europe/Moscow'), ('month', 'Europe/Moscow'), ('month', 'UTC'),
                    ('total', 'UTC')) AS v(period, zone)`,
    );
    expect(rows.map(({ start }) => start)).toEqual([
      '2026-02-01',
      '2026-02-01',
      '2026-01-01',
      '1970-01-01',
    ]);
  });
});
