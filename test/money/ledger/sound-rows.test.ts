import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { type Books, type Customer, openBooks } from './books.js';

let books: Books;
let customer: Customer;

beforeAll(async () => {
  books = await openBooks();
  customer = await books.customer(1_000n);
});

afterAll(() => books.close());

/** What an insertion into a table is refused by; null where it is taken, and then undone. */
async function refusalOf(table: string, row: Record<string, unknown>): Promise<string | null> {
  const client = await books.pool.connect();
  try {
    await client.query('BEGIN');
    const names = Object.keys(row);
    const places = names.map((_, index) => `$${index + 1}`);
    await client.query(
      `INSERT INTO ${table} (${names}) VALUES (${places})`,
      names.map((name) => row[name]),
    );
    return null;
  } catch (error) {
    return (error as { constraint?: string }).constraint ?? String(error);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

const hold = (change: object) => ({
  account_id: customer.accountId,
  tenant_id: customer.tenantId,
  request_id: newId('Request'),
  amount_micro: 100,
  state: 'open',
  node_id: 'node',
  epoch: 1,
  ...change,
});

const entry = (change: object) => ({
  account_id: customer.accountId,
  account_version: 1_000_000,
  tenant_id: customer.tenantId,
  request_id: newId('Request'),
  type: 'hold',
  contra: 'held',
  amount_micro: 5,
  posted_delta: 0,
  held_delta: 5,
  posted_after: 0,
  held_after: 5,
  ...change,
});

const account = (change: object) => ({
  id: newId('Account'),
  tenant_id: newId('Tenant'),
  posted_micro: 10,
  held_micro: 10,
  credit_limit_micro: 0,
  ...change,
});

const usage = (change: object) => ({
  tenant_id: customer.tenantId,
  id: newId('Request'),
  account_id: customer.accountId,
  project_id: customer.projectId,
  key_id: customer.keyId,
  operation: 'chat',
  requested_model: 'm',
  model: 'm',
  provider: 'p',
  route: 'p',
  simulated: false,
  input_uncached: 1,
  input_cached: 0,
  cache_write: 0,
  output_text: 1,
  output_reasoning: 0,
  usage_source: 'upstream',
  prices: {},
  cost_micro: 7,
  amount_micro: 7,
  vat_rate_basis_points: 2_000,
  vat_micro: 1,
  status: 'complete',
  http_status: 200,
  streamed: false,
  latency_ms: 1,
  overhead_us: 1,
  attempts: 1,
  policy_versions: {},
  data_class: 'C1',
  firewall_findings: {},
  metadata: {},
  ...change,
});

const BUDGET = ['01a20860-c507-7008-8000-44a59d3e64b8'];

describe('a row of the money', () => {
  it.each([
    ['hold', 'open', () => hold({})],
    ['hold', 'charged within what it held', () => hold({ state: 'delivered', charged_micro: 100 })],
    [
      'hold',
      'refunded within its charge',
      () => hold({ state: 'refunded', charged_micro: 9, refunded_micro: 9 }),
    ],
    ['ledger_entry', 'without a tax', () => entry({})],
    [
      'ledger_entry',
      'with its tax',
      () => entry({ type: 'finalize', vat_rate_basis_points: 2_000 }),
    ],
    ['account', 'that holds all it has', () => account({})],
    ['account', 'within its credit', () => account({ held_micro: 15, credit_limit_micro: 5 })],
    ['usage_event', 'charged at its cost', () => usage({})],
    ['usage_event', 'failed for nothing', () => usage({ status: 'failed', amount_micro: 0 })],
  ])('of %s is taken %s', async (table, _, row) => {
    expect(await refusalOf(table, row())).toBeNull();
  });

  it.each([
    ['hold', 'a negative amount', () => hold({ amount_micro: -1 })],
    ['hold', 'a state that there is not', () => hold({ state: 'lost' })],
    ['hold', 'a charge while it is open', () => hold({ charged_micro: 1 })],
    ['hold', 'no charge when it is settled', () => hold({ state: 'finalized' })],
    [
      'hold',
      'a charge beyond what it held',
      () => hold({ state: 'delivered', charged_micro: 101 }),
    ],
    ['hold', 'a refund before its charge', () => hold({ refunded_micro: 1 })],
    [
      'hold',
      'a refund beyond its charge',
      () => hold({ state: 'refunded', charged_micro: 5, refunded_micro: 6 }),
    ],
    [
      'hold',
      'a negative refund',
      () => hold({ state: 'refunded', charged_micro: 5, refunded_micro: -1 }),
    ],
    ['hold', 'a budget without its period', () => hold({ budget_ids: BUDGET })],
    ['ledger_entry', 'a negative amount', () => entry({ amount_micro: -1 })],
    ['ledger_entry', 'a type that there is not', () => entry({ type: 'gift' })],
    ['ledger_entry', 'a tax of a hold', () => entry({ vat_rate_basis_points: 2_000 })],
    ['ledger_entry', 'a charge without its tax', () => entry({ type: 'finalize' })],
    ['account', 'more held than there is', () => account({ held_micro: 11 })],
    ['account', 'a negative hold', () => account({ held_micro: -1 })],
    ['account', 'a negative credit', () => account({ credit_limit_micro: -1, held_micro: 0 })],
    ['usage_event', 'an operation that there is not', () => usage({ operation: 'images' })],
    ['usage_event', 'a status that there is not', () => usage({ status: 'done' })],
    ['usage_event', 'a source that there is not', () => usage({ usage_source: 'guessed' })],
    ['usage_event', 'a charge beyond its cost', () => usage({ amount_micro: 8 })],
    ['usage_event', 'a negative charge', () => usage({ amount_micro: -1 })],
    ['usage_event', 'a charge for a failure', () => usage({ status: 'failed' })],
  ])('of %s is refused with %s', async (table, _, row) => {
    expect(await refusalOf(table, row())).toBe(`${table}_is_sound`);
  });

  it('obeys rules of which a statement reads one short text a table', async () => {
    const { rows } = await books.pool.query<{ name: string; checks: number; bytes: number }>(
      `SELECT c.conrelid::regclass::text AS name, count(*)::int AS checks,
              sum(length(c.conbin))::int AS bytes
       FROM pg_constraint c
       WHERE c.contype = 'c' AND c.conrelid IN (
         'account'::regclass, 'hold'::regclass, 'ledger_entry'::regclass, 'usage_event'::regclass)
       GROUP BY 1 ORDER BY 1`,
    );
    expect(rows.map(({ name, checks }) => [name, checks])).toEqual([
      ['account', 1],
      ['hold', 1],
      ['ledger_entry', 1],
      ['usage_event', 1],
    ]);
    for (const { bytes } of rows) expect(bytes).toBeLessThan(1_500);
  });
});
