import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { checkFully } from '../../../src/money/books/full.js';
import { type Books, type Customer, openBooks } from '../ledger/books.js';

let books: Books;
let customer: Customer;
beforeAll(async () => {
  books = await openBooks();
  customer = await books.customer(1_000n);
});
afterAll(() => books.close());

describe('the full check', () => {
  it('leaves what was found while it read, of lines that it may not have seen', async () => {
    const keep = (invariant: string, foundAt: string) =>
      books.pool.query(
        `INSERT INTO books_finding (tenant_id, invariant, subject, detail, of_totals, found_at)
         VALUES ($1, $2, 'a line', 'is wrong', false, ${foundAt})`,
        [customer.tenantId, invariant],
      );
    await keep('before', "clock_timestamp() - interval '1 second'");
    const told = { tenantId: customer.tenantId, subject: 'a leaf', detail: 'was changed' };
    const meanwhile = async () => {
      await keep('meanwhile', 'clock_timestamp()');
      await keep('both', 'clock_timestamp()');
      return [{ ...told, invariant: 'both', subject: 'a line' }];
    };
    await checkFully(books.pool, meanwhile);
    const { rows } = await books.pool.query(
      'SELECT invariant, detail FROM books_finding ORDER BY invariant',
    );
    expect(rows).toEqual([
      { invariant: 'both', detail: 'was changed' },
      { invariant: 'meanwhile', detail: 'is wrong' },
    ]);
  });

  it('names altered holds and lines without a hold, and loses no finding for them', async () => {
    const [refunded, uncollected, lone] = [1, 2, 3].map(() => newId('Request'));
    const { accountId, tenantId } = customer;
    await books.pool.query('ALTER TABLE hold DROP CONSTRAINT IF EXISTS hold_is_sound');
    for (const [id, state, charged, more] of [
      [refunded, 'delivered', 5, [1, 0]],
      [uncollected, 'released', null, [0, 1]],
    ] as const) {
      await books.pool.query(
        `INSERT INTO hold (account_id, request_id, tenant_id, amount_micro, state, charged_micro,
           refunded_micro, uncollected_micro, node_id, epoch, created_at)
         VALUES ($1, $2, $3, 5, $4, $5, $6, $7, 'altered', 1, now())`,
        [accountId, id, tenantId, state, charged, ...more],
      );
    }
    await books.pool.query(
      `INSERT INTO ledger_entry (account_id, account_version, tenant_id, type, request_id,
         charged_request_id, contra, amount_micro, posted_delta, held_delta, posted_after,
         held_after, vat_rate_basis_points, vat_micro, created_at)
       VALUES ($1, 2, $2, 'refund', $3, $4, 'refunds', 7, 7, 0, 1007, 0, 2200, 1, now())`,
      [accountId, tenantId, newId('Request'), lone],
    );
    const told = { tenantId, subject: 'a leaf', detail: 'was changed', invariant: 'beside' };
    const unclear = { ...told, subject: null, detail: null, invariant: 'unclear' } as never;
    await checkFully(books.pool, async () => [told, unclear]);
    const { rows } = await books.pool.query<{ invariant: string; subject: string; detail: string }>(
      'SELECT invariant, subject, detail FROM books_finding WHERE tenant_id = $1',
      [tenantId],
    );
    const altered = 'I10_entries_and_holds_agree';
    expect(rows).toEqual(
      expect.arrayContaining([
        { invariant: altered, subject: lone, detail: 'no hold refunded, lines say 7' },
        {
          invariant: 'I9_charge_within_hold',
          subject: uncollected,
          detail: 'none charged, 5 held',
        },
        { invariant: 'beside', subject: 'a leaf', detail: 'was changed' },
        { invariant: 'unclear', subject: 'unknown', detail: 'unknown' },
      ]),
    );
    expect(rows.find(({ subject }) => subject === refunded)?.invariant).toBe(altered);
  });
});
