import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { encodeDelivered, encodeHold, encodeSettle } from '../../../src/money/ledger/encode.js';
import { violationsAtRest } from '../../support/books-at-rest.js';
import { type Books, openBooks, usageOf } from './books.js';

let books: Books;

beforeAll(async () => {
  books = await openBooks();
  await books.pool.query(`SELECT ledger_take_over('before', $1)`, [newId('Session')]);
});
afterAll(() => books.close());

const APPLY = `SELECT * FROM ledger_apply_lanes(
  'before', 1, NULL, $1::json, $2::json, $3::json, $4::jsonb)`;

it('the ledger takes batches of nodes of the release before as they send them', async () => {
  const customer = await books.customer(1_000n);
  const { accountId, tenantId, keyId } = customer;
  const ref = { accountId, requestId: newId('Request') };
  const usage = usageOf(customer);
  const hold = `[${encodeHold({ ...ref, tenantId, keyId, amountMicro: 10n, budgetIds: [] }).text}]`;
  const charge = `[${encodeSettle({ ...ref, amountMicro: 9n, usage }).text}]`;
  const mark = `[${encodeDelivered(ref).text}]`;
  const refused: unknown[] = [];
  for (const batch of [
    [null, null, hold, null],
    [charge, mark, null, null],
    [null, null, null, charge],
  ]) {
    refused.push((await books.pool.query(APPLY, batch)).rows);
  }
  const again = { lane: 'rest', i: 1, status: 'duplicate', amount: 9n, detail: null };
  expect(refused).toEqual([[], [], [again]]);
  const sql = 'SELECT state, charged_micro AS charged FROM hold WHERE request_id = $1';
  const { rows } = await books.pool.query(sql, [ref.requestId]);
  expect(rows).toEqual([{ state: 'delivered', charged: 9n }]);
  expect(await violationsAtRest(books.pool)).toEqual([]);
});
