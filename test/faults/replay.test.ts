import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/kernel/ids.js';
import { encodeDelivered, encodeSettle } from '../../src/money/ledger/encode.js';
import { openWriteAheadFile } from '../../src/money/ledger/write-ahead-file.js';
import { type Books, openBooks, usageOf } from '../money/ledger/books.js';
import { violationsAtRest } from '../support/books-at-rest.js';

let books: Books;
beforeAll(async () => {
  books = await openBooks();
});
afterAll(() => books.close());

/** A request that a process of this node had held before it died. */
async function heldByTheDead(nodeId: string) {
  const customer = await books.customer(100_000n);
  const dead = await books.ledger(nodeId);
  const op = { ...customer, requestId: newId('Request'), amountMicro: 600n };
  await dead.hold({ ...op, amountMicro: 1_000n, budgetIds: [] });
  return { ...op, usage: usageOf(customer) };
}

async function replayed(nodeId: string, requestId: string, lines: string[]) {
  const journal = openWriteAheadFile(books.dataDir, nodeId);
  await journal.append(lines);
  await journal.close();
  await books.ledger(nodeId);
  const { rows } = await books.pool.query(
    'SELECT state, charged_micro, refunded_micro FROM hold WHERE request_id = $1',
    [requestId],
  );
  return rows[0];
}

describe('a start with a journal of charges that a killed process had left', () => {
  it('gives back at once what the journal does not call delivered', async () => {
    const op = await heldByTheDead('undelivered');
    expect(await replayed('undelivered', op.requestId, [encodeSettle(op).text])).toEqual({
      state: 'refunded',
      charged_micro: 600n,
      refunded_micro: 600n,
    });
    expect(await violationsAtRest(books.pool)).toEqual([]);
  });

  it('keeps what the journal calls delivered', async () => {
    const op = await heldByTheDead('delivered');
    const lines = [encodeSettle(op).text, encodeDelivered(op).text];
    expect(await replayed('delivered', op.requestId, lines)).toEqual({
      state: 'delivered',
      charged_micro: 600n,
      refunded_micro: 0n,
    });
    expect(await violationsAtRest(books.pool)).toEqual([]);
  });
});
