import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { encodeSettle } from '../../../src/money/ledger/encode.js';
import { checkInvariants } from '../../../src/money/ledger/invariants.js';
import { type Books, type Customer, openBooks, usageOf } from './books.js';
import {
  applyToModel,
  emptyAccount,
  type ModelAccount,
  type ModelBudget,
  type ModelOp,
} from './model.js';

let books: Books;

beforeAll(async () => {
  books = await openBooks();
  await books.pool.query(`SELECT ledger_take_over('model', $1)`, [newId('Session')]);
});

afterAll(() => books.close());

const ACCOUNTS = 2;
const REQUESTS = 60;
const BATCHES = 90;
const BATCH_OPS = 48;

const amount = fc.bigInt({ min: 0n, max: 900n });
const positive = fc.bigInt({ min: 1n, max: 2_000n });
const requestNumber = fc.nat(REQUESTS - 1);

interface Step {
  readonly account: number;
  readonly request: number;
  readonly op: (customer: World) => ModelOp;
}

interface World {
  readonly customer: Customer;
  readonly account: ModelAccount;
  readonly budgets: readonly string[];
  readonly requests: readonly string[];
}

const requestOf = (world: World, index: number) => world.requests[index] ?? '';

/** The budgets of a request follow from its number: a repeated hold names the same ones. */
const budgetsFor = (world: World, request: number) =>
  world.budgets.filter((_, index) => (request >> index) % 2 === 1);

const step: fc.Arbitrary<Step> = fc
  .record({
    account: fc.nat(ACCOUNTS - 1),
    request: requestNumber,
    money: amount,
    kind: fc.constantFrom(
      ...(['hold', 'hold', 'hold', 'finalize', 'finalize', 'release'] as const),
      ...(['delivered', 'checkpoint'] as const),
    ),
  })
  .map(({ account, request, money, kind }) => ({
    account,
    request,
    op: (world) =>
      kind === 'hold'
        ? { kind, amount: money, budgets: budgetsFor(world, request) }
        : kind === 'finalize'
          ? { kind, amount: money }
          : { kind },
  }));

const posting: fc.Arbitrary<Step> = fc
  .record({
    account: fc.nat(ACCOUNTS - 1),
    request: requestNumber,
    charged: requestNumber,
    money: positive,
    kind: fc.constantFrom('top_up', 'adjustment', 'refund'),
  })
  .map(({ account, request, charged, money, kind }) => ({
    account,
    request,
    op: (world) => {
      if (kind === 'refund') return { kind, amount: money, charged: requestOf(world, charged) };
      return { kind: kind as 'top_up', amount: kind === 'adjustment' ? -money : money };
    },
  }));

function encode({ customer }: World, request: string, op: ModelOp): string {
  const ref = { accountId: customer.accountId, requestId: request };
  if (op.kind === 'finalize') {
    return encodeSettle({ ...ref, amountMicro: op.amount, usage: usageOf(customer) });
  }
  return JSON.stringify({
    kind: op.kind,
    account: ref.accountId,
    request,
    amount: op.kind === 'hold' ? op.amount.toString() : '5',
    budgets: op.kind === 'hold' ? op.budgets : undefined,
    key: customer.keyId,
  });
}

async function applyBatch(worlds: readonly World[], steps: readonly Step[]): Promise<string[]> {
  const texts = steps.map(({ account, request, op }) => {
    const world = worlds[account] as World;
    return encode(world, requestOf(world, request), op(world));
  });
  const { rows } = await books.pool.query<{ status: string }>(
    `SELECT status FROM ledger_apply('model', 1, $1) ORDER BY i`,
    [`[${texts.join(',')}]`],
  );
  return rows.map(({ status }) => status);
}

async function applyPosting({ customer }: World, request: string, op: ModelOp): Promise<string> {
  if (op.kind !== 'top_up' && op.kind !== 'adjustment' && op.kind !== 'refund') return 'none';
  const { rows } = await books.pool.query<{ status: string }>(
    'SELECT status FROM ledger_post($1, $2, $3, $4, $5, NULL, $6)',
    [
      customer.accountId,
      request,
      op.kind,
      op.amount,
      'model',
      op.kind === 'refund' ? op.charged : null,
    ],
  );
  return rows[0]?.status ?? 'none';
}

async function makeWorld(budgets: Map<string, ModelBudget>): Promise<World> {
  const customer = await books.customer();
  const caps = [3_000n, 6_000n];
  const ids = await Promise.all(caps.map((cap) => books.budget(customer, cap)));
  for (const [index, id] of ids.entries()) {
    budgets.set(id, { cap: caps[index] ?? 0n, spent: 0n, held: 0n });
  }
  const requests = Array.from({ length: REQUESTS }, () => newId('Request'));
  return { customer, account: emptyAccount(), budgets: ids, requests };
}

async function balances(worlds: readonly World[]): Promise<unknown[]> {
  const { rows } = await books.pool.query(
    `SELECT posted_micro AS posted, held_micro AS held, version FROM account
     WHERE id = ANY ($1::uuid[]) ORDER BY array_position($1::uuid[], id)`,
    [worlds.map(({ customer }) => customer.accountId)],
  );
  return rows;
}

/** Another run every time; the number in a failure's message repeats it. */
const newSeed = () => Math.floor(Math.random() * 2 ** 31);

describe('the ledger in SQL', () => {
  it('answers like the model and keeps every invariant over 4,000 random operations', async () => {
    const seed = newSeed();
    const batches = fc.sample(
      fc.tuple(
        fc.array(posting, { minLength: 1, maxLength: 4 }),
        fc.array(step, { minLength: BATCH_OPS, maxLength: BATCH_OPS }),
      ),
      { numRuns: BATCHES, seed },
    );
    const budgets = new Map<string, ModelBudget>();
    let worlds = [await makeWorld(budgets), await makeWorld(budgets)];
    let done = 0;
    for (const [index, [postings, steps]] of batches.entries()) {
      // New requests from time to time, or soon nothing but repetitions would be left.
      if (index % 6 === 5) worlds = [await makeWorld(budgets), await makeWorld(budgets)];
      for (const { account, request, op } of postings) {
        const world = worlds[account] as World;
        const id = requestOf(world, request);
        const expected = applyToModel(world.account, budgets, id, op(world));
        expect(await applyPosting(world, id, op(world)), `seed ${seed}`).toBe(expected);
      }
      const expected = steps.map(({ account, request, op }) => {
        const world = worlds[account] as World;
        return applyToModel(world.account, budgets, requestOf(world, request), op(world));
      });
      expect(await applyBatch(worlds, steps), `seed ${seed}`).toEqual(expected);
      expect(await balances(worlds)).toEqual(
        worlds.map(({ account: { posted, held, version } }) => ({ posted, held, version })),
      );
      expect(await checkInvariants(books.pool)).toEqual([]);
      done += steps.length + postings.length;
    }
    expect(done).toBeGreaterThan(4_000);
  });
});
