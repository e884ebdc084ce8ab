import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
});
