import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { LedgerConnection } from '../../../src/money/ledger/connection.js';
import { encodeCharge, encodeSettle } from '../../../src/money/ledger/encode.js';
import { faultOf } from '../../../src/money/ledger/faults.js';
import { checkInvariants } from '../../../src/money/ledger/invariants.js';
import { lanesOf } from '../../../src/money/ledger/lanes.js';
import type { Lane, Waiting } from '../../../src/money/ledger/waiting.js';
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
const BATCHES = 120;
const BATCH_OPS = 48;

const amount = fc.bigInt({ min: 0n, max: 900n });
const positive = fc.bigInt({ min: 1n, max: 2_000n });
const requestNumber = fc.nat(REQUESTS - 1);

interface Step {
  readonly kind: ModelOp['kind'];
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
      ...(['delivered', 'checkpoint', 'charge', 'charge'] as const),
    ),
  })
  .map(({ account, request, money, kind }) => ({
    kind,
    account,
    request,
    op: (world) =>
      kind === 'hold'
        ? { kind, amount: money, budgets: budgetsFor(world, request) }
        : kind === 'finalize' || kind === 'charge'
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
    kind: kind as ModelOp['kind'],
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
    return encodeSettle({ ...ref, amountMicro: op.amount, usage: usageOf(customer) }).text;
  }
  if (op.kind === 'charge') {
    const { tenantId, keyId } = customer;
    const facts = { ...ref, tenantId, keyId, amountMicro: op.amount };
    return encodeCharge({ ...facts, usage: usageOf(customer) }).text;
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

const NOTHING = () => {};

function waitingOf(world: World, { request, op }: Step): Waiting {
  const requestId = requestOf(world, request);
  const it = op(world);
  const lanes: Partial<Record<ModelOp['kind'], Lane>> = {
    finalize: 'charge',
    charge: 'charge',
    delivered: 'mark',
  };
  const isCommon = it.kind === 'hold' && it.budgets.length === 0;
  return {
    kind: it.kind as Waiting['kind'],
    ref: { accountId: world.customer.accountId, requestId },
    lane: isCommon ? 'hold' : (lanes[it.kind] ?? 'rest'),
    text: encode(world, requestId, it),
    amount: null,
    deadlineMs: Infinity,
    answered: false,
    journaled: false,
    resolve: NOTHING,
    reject: NOTHING,
  };
}

const LANES: readonly Lane[] = ['charge', 'rest', 'mark', 'hold'];

/** The steps in the order in which they were decided, each with its answer where it has one. */
async function applyLanes(
  connection: LedgerConnection,
  worlds: readonly World[],
  steps: readonly Step[],
): Promise<{ sorted: boolean; decided: { step: Step; lane: Lane; status: string }[] }> {
  const batch = steps.map((one) => waitingOf(worlds[one.account] as World, one));
  const send = (sorted: boolean) => connection.apply(batch, sorted);
  let sorted = true;
  const { rows } = await send(true).catch((error: unknown) => {
    if (faultOf(error) !== 'statement') throw error;
    sorted = false;
    return send(false);
  });
  const { places } = lanesOf(batch, sorted);
  const decided = LANES.flatMap((lane) =>
    [...new Set(places[lane])].map((place) => {
      const [, status = ''] = rows[place] ?? [];
      return { step: steps[place] as Step, lane, status };
    }),
  );
  return { sorted, decided };
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

async function post(
  worlds: readonly World[],
  budgets: Map<string, ModelBudget>,
  postings: readonly Step[],
  seed: number,
): Promise<void> {
  for (const { account, request, op } of postings) {
    const world = worlds[account] as World;
    const id = requestOf(world, request);
    const expected = applyToModel(world.account, budgets, id, op(world));
    expect(await applyPosting(world, id, op(world)), `seed ${seed}`).toBe(expected);
  }
}

const batchesOf = (seed: number) =>
  fc.sample(
    fc.tuple(
      fc.array(posting, { minLength: 1, maxLength: 4 }),
      fc.array(step, { minLength: BATCH_OPS, maxLength: BATCH_OPS }),
    ),
    { numRuns: BATCHES, seed },
  );

async function expectBooks(worlds: readonly World[], seed: number): Promise<void> {
  expect(await balances(worlds), `seed ${seed}`).toEqual(
    worlds.map(({ account: { posted, held, version } }) => ({ posted, held, version })),
  );
  expect(await checkInvariants(books.pool)).toEqual([]);
}

describe('the ledger in SQL', () => {
  it('answers like the model and keeps every invariant over 4,000 random operations', async () => {
    const seed = newSeed();
    const budgets = new Map<string, ModelBudget>();
    let worlds = [await makeWorld(budgets), await makeWorld(budgets)];
    let done = 0;
    for (const [index, [postings, all]] of batchesOf(seed).entries()) {
      // One that brings its hold is two operations here.
      const steps = all.filter(({ kind }) => kind !== 'charge');
      // New requests from time to time, or soon nothing but repetitions would be left.
      if (index % 6 === 5) worlds = [await makeWorld(budgets), await makeWorld(budgets)];
      await post(worlds, budgets, postings, seed);
      const expected = steps.map(({ account, request, op }) => {
        const world = worlds[account] as World;
        return applyToModel(world.account, budgets, requestOf(world, request), op(world));
      });
      expect(await applyBatch(worlds, steps), `seed ${seed}`).toEqual(expected);
      await expectBooks(worlds, seed);
      done += steps.length + postings.length;
    }
    expect(done).toBeGreaterThan(4_000);
  });

  it('answers like the model where the common operations go set by set', async () => {
    const seed = newSeed();
    const connection = new LedgerConnection(books.pool, () => ['model', 1n]);
    const budgets = new Map<string, ModelBudget>();
    let worlds: World[] = [];
    let sets = 0;
    let common = 0;
    let charged = 0;
    for (const [index, [postings, all]] of batchesOf(seed).entries()) {
      if (index % 6 === 0) worlds = [await makeWorld(budgets), await makeWorld(budgets)];
      await post(worlds, budgets, postings, seed);
      // Every other time a request is met twice in a batch, as after a connection that broke.
      const seen = new Set<string>();
      const once = ({ account, request }: Step) =>
        seen.size < seen.add(`${account} ${request}`).size;
      const steps = index % 2 === 0 ? all.filter(once) : all;
      const { sorted, decided } = await applyLanes(connection, worlds, steps);
      for (const { step: one, lane, status } of decided) {
        const world = worlds[one.account] as World;
        const id = requestOf(world, one.request);
        const expected = applyToModel(world.account, budgets, id, one.op(world));
        // Nobody waits for the answer to a mark.
        if (lane !== 'mark') expect(status, `seed ${seed}`).toBe(expected);
        if (sorted && lane !== 'rest' && status === 'ok') common += 1;
        if (sorted && one.kind === 'charge' && status === 'ok') charged += 1;
      }
      if (sorted) sets += 1;
      await expectBooks(worlds, seed);
    }
    connection.close();
    expect([sets >= BATCHES / 4, common > 500, charged > 100]).toEqual([true, true, true]);
  });
});
