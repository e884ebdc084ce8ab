import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proveBooks } from '../../../src/money/integrity/prove.js';
import { type Customer, startApp, type TestApp } from '../../support/app.js';
import { COST_MICRO, plant } from './books.js';
import { BEGIN, CHECKS, type Check, checkOf, END, oldCustomer } from './checked.js';
import { KINDS, WHOLE } from './kinds.js';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const DAY_MS = 86_400_000;

function check(customer: Customer, path: Check, window?: Parameters<typeof checkOf>[3]) {
  return checkOf(app, customer, path, window);
}

describe('an incremental check and a full one', () => {
  /** The whole answer but for how it was come by. */
  async function answer(customer: Customer, path: Check, full: boolean, window = WHOLE_MONTH) {
    const found = await check(customer, path, { ...window, full });
    return { ...found, basis: '', rows_read: 0 };
  }

  const WHOLE_MONTH = { from: BEGIN, to: END };

  it.each(KINDS)('say the very same of $name', async ({ planted }) => {
    const customer = await oldCustomer(app, 1_000);
    const at = new Date(BEGIN.getTime() + DAY_MS + 1_234_567);
    await plant(app.owner.pool, customer, new Date(at.getTime() - 60_000), WHOLE);
    await plant(app.owner.pool, customer, at, planted);
    const agree = async () => {
      for (const path of CHECKS) {
        for (const window of [
          WHOLE_MONTH,
          { from: at, to: new Date(at.getTime() + 1) },
          { from: BEGIN, to: at },
        ]) {
          const incremental = await answer(customer, path, false, window);
          expect(incremental).toEqual(await answer(customer, path, true, window));
        }
      }
    };
    await agree();
    await proveBooks(app.server.services);
    await agree();
  });
});

describe('a usage row that is removed', () => {
  async function removed(id: string): Promise<void> {
    const change = (sql: string) => app.owner.pool.query(sql);
    await change('ALTER TABLE usage_event DISABLE TRIGGER append_only_row');
    await change(`DELETE FROM usage_event WHERE id = '${id}'`);
    await change('ALTER TABLE usage_event ENABLE ALWAYS TRIGGER append_only_row');
  }

  it('between the proof of its charge and its own is a lone charge of every check', async () => {
    const customer = await oldCustomer(app, 1_000);
    const at = new Date(BEGIN.getTime() + DAY_MS);
    await plant(app.owner.pool, customer, at, WHOLE);
    const id = await plant(app.owner.pool, customer, at, WHOLE);
    // The usage of the hour is proven by all that is there but for the row.
    const isProven = async () => {
      await proveBooks(app.server.services);
      return (await check(customer, 'dual-meter')).rows_read;
    };
    await expect.poll(isProven, { timeout: 20_000 }).toBe(0);
    await app.owner.pool.query(
      `UPDATE integrity_hour SET served = served - 1, used_micro = used_micro - $2,
         replayed_micro = replayed_micro - $2 WHERE tenant_id = $1`,
      [customer.tenantId, COST_MICRO],
    );
    await removed(id);
    const verdicts = { completeness: 'INCOMPLETE', 'dual-meter': 'MATCHED', replay: 'RECONCILED' };
    for (const path of CHECKS) {
      const found = await check(customer, path);
      expect(found.verdict).toBe(verdicts[path]);
      expect(found).toEqual(await check(customer, path, { from: BEGIN, to: END, full: true }));
    }
  });
});
