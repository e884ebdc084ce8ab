import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { takeUpLeftFiles } from '../../../src/app/workers/left-files.js';
import { newId } from '../../../src/kernel/ids.js';
import { encodeDelivered, encodeSettle } from '../../../src/money/ledger/encode.js';
import { checkInvariants } from '../../../src/money/ledger/invariants.js';
import { openWriteAheadFile } from '../../../src/money/ledger/write-ahead-file.js';
import { type Books, openBooks, silent, usageOf } from '../../money/ledger/books.js';

let books: Books;
beforeAll(async () => {
  books = await openBooks();
});
afterAll(() => books.close());

/** A charge that a node wrote into its file alone, before it died. @returns its request */
async function leftBy(node: string): Promise<string> {
  const customer = await books.customer(100_000n);
  const dead = await books.ledger(node);
  const op = { ...customer, requestId: newId('Request'), amountMicro: 600n };
  await dead.hold({ ...op, amountMicro: 1_000n, budgetIds: [] });
  const file = openWriteAheadFile(books.dataDir, node);
  await file.append([
    encodeSettle({ ...op, usage: usageOf(customer) }).text,
    encodeDelivered(op).text,
  ]);
  await file.close();
  return op.requestId;
}

async function stateOf(requestId: string): Promise<string> {
  const { rows } = await books.pool.query<{ state: string }>(
    'SELECT state FROM hold WHERE request_id = $1',
    [requestId],
  );
  return rows[0]?.state ?? 'none';
}

function sizeOf(node: string): number {
  return statSync(join(books.dataDir, `ledger-journal-${node}.jsonl`)).size;
}

it('a gateway takes up the files of its nodes that start no more, and of no other', async () => {
  const { pool, dataDir, database } = books;
  const nodes = ['gw', 'gw.w1', 'gw.w3', 'gw-2.w3', 'gw.w3x'];
  const requests = new Map<string, string>();
  for (const node of nodes) requests.set(node, await leftBy(node));
  const at = { pool, connection: database.connection, dataDir, log: silent };
  await takeUpLeftFiles(at, 'gw', ['gw.w1', 'gw.w2']);
  const states: Record<string, string> = {};
  for (const node of nodes) states[node] = await stateOf(requests.get(node) ?? '');
  expect(states).toEqual({
    gw: 'delivered',
    'gw.w1': 'open',
    'gw.w3': 'delivered',
    'gw-2.w3': 'open',
    'gw.w3x': 'open',
  });
  expect(nodes.filter((node) => sizeOf(node) === 0)).toEqual(['gw', 'gw.w3']);
  expect(await checkInvariants(pool, false)).toEqual([]);
});
