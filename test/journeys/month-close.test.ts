import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { windowOfMonth } from '../../src/finops/unit-economics/period.rules.js';
import { newId } from '../../src/kernel/ids.js';
import { lastMonth } from '../../src/money/integrity/period.rules.js';
import { plantCleanBooks } from '../money/integrity/books.js';
import { type Customer, newCustomer, startApp, type TestApp } from '../support/app.js';
import { existedSince } from '../support/owner.js';
import { graphqlVoice, type Json, restVoice, Story, type Voice } from './voices.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

/** A customer whose organization was there in every month that is sealed. */
async function oldCustomer(fundsRub = 0): Promise<Customer> {
  const customer = await newCustomer(app, fundsRub);
  await existedSince(app, customer.tenantId);
  return customer;
}

const MONTH = lastMonth(new Date());
const WINDOW = windowOfMonth(MONTH);
const MIDDLE = new Date(`${MONTH}-15T09:00:00Z`);

/** What the ledger says of the month, in micro-rubles. */
async function ledgerOf({ accountId }: Customer) {
  const { rows } = await app.owner.pool.query<{ gross: bigint; vat: bigint; charges: number }>(
    `SELECT sum(-posted_delta)::bigint AS gross, sum(vat_micro)::bigint AS vat,
            count(*)::int AS charges
     FROM ledger_entry WHERE account_id = $1 AND type = 'finalize'
       AND created_at >= $2 AND created_at < $3`,
    [accountId, WINDOW.from, WINDOW.to],
  );
  const [row] = rows;
  if (!row) throw new Error('the ledger is empty');
  return { gross: BigInt(row.gross), vat: BigInt(row.vat), charges: row.charges };
}

const micro = (rub: unknown) => BigInt(Math.round(Number(rub) * 1e6));
const kopecks = (rub: unknown) => Math.round(Number(rub) * 100);

async function topUpInMonth({ tenantId, accountId }: Customer, rub: bigint) {
  await app.owner.pool.query(
    `WITH funds AS (UPDATE account SET posted_micro = posted_micro + $4, version = version + 1
       WHERE id = $1 RETURNING posted_micro, version)
     INSERT INTO ledger_entry (account_id, account_version, tenant_id, type, request_id, contra,
       amount_micro, posted_delta, held_delta, posted_after, held_after, vat_rate_basis_points,
       vat_micro, created_at)
     SELECT $1, version, $2, 'top_up', $3, 'cash_in', $4, $4, 0, posted_micro, 0, 2200,
       vat_inside($4, 2200), $5 FROM funds`,
    [accountId, tenantId, newId('Request'), rub * 1_000_000n, MIDDLE],
  );
}

/** A month of requests that is over: everything that tells of its money tells the same. */
async function tell(voice: Voice): Promise<Json> {
  const customer = await oldCustomer();
  const { token } = customer;
  await topUpInMonth(customer, 1_000n);
  const books = { requests: 333, from: new Date(MIDDLE.getTime() + 60_000), stepMs: 1_000 };
  await plantCleanBooks(app.owner.pool, customer, books);
  const ledger = await ledgerOf(customer);
  expect(ledger.charges).toBeGreaterThan(100);
  const story = new Story(voice);
  const days = { from: `${MONTH}-01`, to: `${MONTH}-28` };
  const summary = await story.step('summary', 'GetCostSummary', days, token);
  const total = summary.total as Json;
  const window = { from: WINDOW.from.toISOString(), to: WINDOW.to.toISOString() };
  const focus = await story.step('focus', 'ListFocusCharges', window, token);
  const charges = focus.nodes as Json[];
  const billed = (of: readonly Json[]) => of.reduce((sum, row) => sum + micro(row.BilledCost), 0n);
  const finops = await story.step('finops', 'SealFinopsReceipt', { period: MONTH }, token);
  const integrity = await story.step('integrity', 'SealBillingIntegrity', { period: MONTH }, token);
  const close = await story.step('close', 'CloseMonth', { month: MONTH }, token);
  const [movements, closed] = [close.movements, close.total] as Json[];
  expect({
    summary: [micro(total.amount_rub), micro(total.vat_rub)],
    focus: [billed(charges), billed(charges.filter((row) => row.ChargeCategory === 'Tax'))],
    finops: micro(finops.total_rub),
    integrity: integrity.verdict,
    movements: micro(movements?.charges_rub),
    closed: micro(closed?.gross_rub) + micro(closed?.remainder_rub),
    kopecks: kopecks(closed?.gross_rub),
  }).toEqual({
    summary: [ledger.gross, ledger.vat],
    focus: [ledger.gross, ledger.vat],
    finops: ledger.gross - ledger.vat,
    integrity: 'HEALTHY',
    movements: ledger.gross,
    closed: ledger.gross,
    kopecks: Number((ledger.gross + 5_000n) / 10_000n),
  });
  return story.told;
}

describe('a month that is closed', () => {
  it('is the same in reports, FOCUS, receipts and books, in REST and GraphQL', async () => {
    const [asRest, asGraphql] = [await tell(restVoice(app)), await tell(graphqlVoice(app))];
    expect(Object.keys(asGraphql)).toEqual(Object.keys(asRest));
    const amounts = (told: Json) =>
      ((told.close as Json).lines as Json[]).map((line) => [line.model, line.exact_rub]);
    expect(amounts(asGraphql)).toEqual(amounts(asRest));
  });
});
