import { existsSync, readFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { createLedger } from '../../../src/money/ledger/create-ledger.js';
import { checkInvariants } from '../../../src/money/ledger/invariants.js';
import type { ChargeOp, Ledger } from '../../../src/money/ledger/ledger.js';
import { createPool } from '../../../src/platform/database/pool.js';
import { violationsAtRest } from '../../support/books-at-rest.js';
import { type Books, type Customer, openBooks, silent, usageOf } from './books.js';

let books: Books;

beforeAll(async () => {
  books = await openBooks();
});

afterAll(() => books.close());

/** Stands between a pool and the database, and can stop answering or cut every connection. */
class Line {
  #frozen = false;
  #isMute = false;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;

  constructor(target: { host: string; port: number }) {
    const path = join(target.host, `.s.PGSQL.${target.port}`);
    this.#server = createServer((near) => {
      if (this.#frozen) near.pause();
      const far = connect(path);
      for (const socket of [near, far]) {
        this.#sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => {
          this.#sockets.delete(socket);
          near.destroy();
          far.destroy();
        });
      }
      near.on('data', (data) => this.#frozen || far.write(data));
      far.on('data', (data) => this.#frozen || this.#isMute || near.write(data));
    });
  }

  async open(database: string, user: string): Promise<pg.Pool> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const { port } = this.#server.address() as { port: number };
    const connection = { host: '127.0.0.1', port, user, database };
    return createPool({ connection, max: 4, applicationName: 'outage' });
  }

  /** Bytes are swallowed in both directions, as by a database that hangs. */
  freeze(): void {
    this.#frozen = true;
  }

  /** Bytes reach the database, and none comes back. */
  hear(): void {
    this.#isMute = true;
  }

  thaw(): void {
    this.#frozen = false;
    this.#isMute = false;
    this.cut();
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.#server.close();
    this.cut();
  }
}

async function openLine() {
  const { host, port, user, database } = books.database.connection as {
    host: string;
    port: number;
    user: string;
    database: string;
  };
  const line = new Line({ host, port });
  return { line, pool: await line.open(database, user) };
}

/** Charges 700 micro-rubles, or what is said instead, without a hold before it. */
function chargeBy(ledger: Ledger, customer: Customer) {
  const usage = usageOf(customer);
  return (requestId: string, changes: Partial<ChargeOp> = {}) =>
    ledger.charge({ ...customer, requestId, amountMicro: 700n, usage, ...changes });
}

/** How requests stand in the books, in their order. */
async function statesOf(requests: readonly string[]) {
  const { rows } = await books.pool.query(
    `SELECT state, charged_micro, refunded_micro FROM hold
     WHERE request_id = ANY ($1::uuid[]) ORDER BY array_position($1::uuid[], request_id)`,
    [requests],
  );
  return rows;
}

describe('while the database does not answer', () => {
  it('holds are refused, settles go to disk, and all is written when it is back', async () => {
    const customer = await books.customer(100_000n);
    const { line, pool } = await openLine();
    const ledger = createLedger({ pool, nodeId: 'frozen', dataDir: books.dataDir, log: silent });
    await ledger.start();
    const running = Array.from({ length: 5 }, () => ({ ...customer, requestId: newId('Request') }));
    const hold = (op: (typeof running)[number]) =>
      ledger.hold({ ...op, amountMicro: 1_000n, budgetIds: [] });
    await Promise.all(running.map(hold));
    line.freeze();
    const late = { ...customer, requestId: newId('Request') };
    await expect(hold(late)).rejects.toMatchObject({
      code: 'ledger_unavailable',
      details: { retryAfterMs: 1_000 },
    });
    expect(ledger.healthy()).toBe(false);
    const usage = usageOf(customer, { metadata: { note: 'in \u0000 the dark \ud800' } });
    const settled = await Promise.all(
      running.map((op) => ledger.settle({ ...op, amountMicro: 700n, usage })),
    );
    expect(new Set(settled.map(({ status }) => status))).toEqual(new Set(['journaled']));
    for (const op of running) ledger.delivered(op.accountId, op.requestId);
    await ledger.drain();
    const file = join(books.dataDir, 'ledger-journal-frozen.jsonl');
    const journal = readFileSync(file, 'utf8');
    expect(journal.match(/"kind":"(finalize|delivered)"/g)?.length).toBe(10);
    // No disk had seen them: a database that dies would have forgotten them.
    for (const { requestId } of running) {
      expect(journal).toMatch(new RegExp(`"kind":"hold".*"request":"${requestId}"`));
    }
    line.thaw();
    await expect.poll(() => ledger.healthy(), { timeout: 10_000 }).toBe(true);
    await ledger.drain();
    await expect.poll(() => readFileSync(file, 'utf8')).toBe('');
    const { rows } = await books.pool.query(
      `SELECT state, count(*)::int, sum(charged_micro)::int AS charged FROM hold
       WHERE account_id = $1 AND state <> 'released' GROUP BY state`,
      [customer.accountId],
    );
    expect(rows).toEqual([{ state: 'delivered', count: 5, charged: 3_500 }]);
    expect(await violationsAtRest(books.pool)).toEqual([]);
    await ledger.stop();
    await pool.end();
    line.close();
  });

  it('a charge that brings its hold is refused, and refunded where it was written', async () => {
    const customer = await books.customer(100_000n);
    const { line, pool } = await openLine();
    const ledger = createLedger({ pool, nodeId: 'unread', dataDir: books.dataDir, log: silent });
    await ledger.start();
    const charge = chargeBy(ledger, customer);
    const [read, unread, free] = [newId('Request'), newId('Request'), newId('Request')];
    expect(await charge(read)).toEqual({ status: 'ok', heldMicro: 700n });
    ledger.delivered(customer.accountId, read);
    await ledger.drain();
    // The database gets them and writes them; its answer does not come back.
    line.hear();
    const refused = { code: 'ledger_unavailable' };
    const late = [charge(unread), charge(free, { amountMicro: 0n })];
    for (const one of late) await expect(one).rejects.toMatchObject(refused);
    line.thaw();
    // They have ended for good: nothing waits for this process to end.
    const charged = { state: 'delivered', charged_micro: 700n, refunded_micro: 0n };
    await expect
      .poll(() => statesOf([read, unread, free]), { timeout: 10_000 })
      .toEqual([charged, { ...charged, refunded_micro: 700n }, { ...charged, charged_micro: 0n }]);
    expect(await violationsAtRest(books.pool)).toEqual([]);
    await ledger.stop();
    const { rows } = await books.pool.query('SELECT posted_micro FROM account WHERE id = $1', [
      customer.accountId,
    ]);
    expect(rows).toEqual([{ posted_micro: 99_300n }]);
    await pool.end();
    line.close();
  });

  it('a charge whose caller was refused is refunded though its process ends first', async () => {
    const customer = await books.customer(100_000n);
    const { line, pool } = await openLine();
    const ledger = createLedger({ pool, nodeId: 'ended', dataDir: books.dataDir, log: silent });
    await ledger.start();
    const charge = chargeBy(ledger, customer);
    const [read, unread] = [newId('Request'), newId('Request')];
    // An answer without a client of its own is final as soon as it is charged.
    expect(await charge(read, { delivered: true })).toEqual({ status: 'ok', heldMicro: 700n });
    await ledger.drain();
    line.hear();
    await expect(charge(unread, { delivered: true })).rejects.toMatchObject({
      code: 'ledger_unavailable',
    });
    await ledger.stop();
    line.close();
    await books.ledger('ended');
    const charged = { state: 'delivered', charged_micro: 700n, refunded_micro: 0n };
    expect(await statesOf([read, unread])).toEqual([
      charged,
      { ...charged, state: 'refunded', refunded_micro: 700n },
    ]);
    expect(await violationsAtRest(books.pool)).toEqual([]);
    await pool.end();
  });

  it('a journal that a dead process left is replayed before its holds are released', async () => {
    const customer = await books.customer(100_000n);
    const { line, pool } = await openLine();
    const options = { nodeId: 'left', dataDir: books.dataDir, log: silent };
    const ledger = createLedger({ ...options, pool });
    await ledger.start();
    const op = { ...customer, requestId: newId('Request') };
    await ledger.hold({ ...op, amountMicro: 1_000n, budgetIds: [] });
    line.freeze();
    const usage = usageOf(customer);
    const outcome = await ledger.settle({ ...op, amountMicro: 600n, usage });
    expect(outcome).toEqual({ status: 'journaled', chargedMicro: 600n, uncollectedMicro: 0n });
    ledger.delivered(op.accountId, op.requestId);
    await ledger.stop();
    line.close();
    expect(existsSync(join(books.dataDir, 'ledger-journal-left.jsonl'))).toBe(true);
    await books.ledger('left');
    const { rows } = await books.pool.query(
      'SELECT state, charged_micro FROM hold WHERE request_id = $1',
      [op.requestId],
    );
    expect(rows).toEqual([{ state: 'delivered', charged_micro: 600n }]);
    expect(await checkInvariants(books.pool)).toEqual([]);
    await pool.end();
  });

  it('connections that are cut under load neither lose nor double anything', async () => {
    const customer = await books.customer(1_000_000n);
    const { line, pool } = await openLine();
    const ledger = createLedger({ pool, nodeId: 'cut', dataDir: books.dataDir, log: silent });
    await ledger.start();
    const usage = usageOf(customer);
    const serve = async () => {
      const op = { ...customer, requestId: newId('Request') };
      if (Math.random() < 0.3) {
        const { status } = await ledger.charge({ ...op, amountMicro: 90n, usage });
        ledger.delivered(op.accountId, op.requestId);
        return status === 'ok' || status === 'duplicate' ? 90n : 0n;
      }
      const { status } = await ledger.hold({ ...op, amountMicro: 100n, budgetIds: [] });
      if (status !== 'ok' && status !== 'duplicate') return 0n;
      const { chargedMicro } = await ledger.settle({ ...op, amountMicro: 90n, usage });
      ledger.delivered(op.accountId, op.requestId);
      return chargedMicro;
    };
    let charged = 0n;
    for (let round = 0; round < 8; round += 1) {
      const served = Array.from({ length: 100 }, serve);
      await new Promise((resolve) => setTimeout(resolve, round));
      line.cut();
      for (const amount of await Promise.all(served)) charged += amount;
    }
    await ledger.drain();
    expect(charged).toBe(8n * 100n * 90n);
    const { rows } = await books.pool.query('SELECT posted_micro FROM account WHERE id = $1', [
      customer.accountId,
    ]);
    expect(rows).toEqual([{ posted_micro: 1_000_000n - charged }]);
    expect(await violationsAtRest(books.pool)).toEqual([]);
    await ledger.stop();
    await pool.end();
    line.close();
  });
});

describe('an operation that the database cannot execute', () => {
  it('fails alone; the others of its batch are committed', async () => {
    const customer = await books.customer(100_000n);
    const ledger = await books.ledger('poison');
    const op = () => ({ ...customer, requestId: newId('Request') });
    const hold = (changes: object) =>
      ledger.hold({ ...op(), amountMicro: 10n, budgetIds: [], ...changes });
    const outcomes = await Promise.allSettled([
      hold({}),
      hold({ requestId: 'no uuid' }),
      hold({}),
      hold({ amountMicro: -1n }),
      hold({}),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      ...['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'],
    ]);
    const held = { ...op(), amountMicro: 10n };
    await ledger.hold({ ...held, budgetIds: [] });
    const usage = usageOf(customer, { projectId: 'no uuid' });
    await expect(ledger.settle({ ...held, usage })).rejects.toMatchObject({ code: '22P02' });
    const broken = { ...held, requestId: 'no uuid', usage };
    await expect(ledger.settle(broken)).rejects.toMatchObject({ code: '22P02' });
    await ledger.drain();
    expect(ledger.gauges()).toMatchObject({ lostSettles: 2, queuedOps: 0, inFlightOps: 0 });
    const { rows } = await books.pool.query('SELECT state FROM hold WHERE request_id = $1', [
      held.requestId,
    ]);
    expect(rows).toEqual([{ state: 'released' }]);
    expect(await checkInvariants(books.pool)).toEqual([]);
  });
});
