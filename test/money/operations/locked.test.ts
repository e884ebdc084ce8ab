import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { AdvanceReading } from '../../../src/money/advances/read.js';
import { perform } from '../../../src/money/operations/perform.js';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../../support/app.js';
import { appoint, balanceOf, charged } from './world.js';

let app: TestApp;
let customer: Customer;
beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app, 500);
  appoint(app, customer.userId);
});
afterAll(() => app?.stop());

/** An order of an administrator about the customer. */
function order(more: Partial<Parameters<typeof perform>[1]> = {}) {
  return {
    ...{ id: newId('Request'), tenantId: customer.tenantId, chargedRequestId: null },
    ...({ operation: 'goodwill_credit', amountMicro: 5_000_000n, reason: 'Locked' } as const),
    ...{ requestedBy: customer.userId, approvedBy: null },
    ...more,
  };
}

describe('an operation that has locked an account', () => {
  it('waits for no connection of those that requests use', async () => {
    const { services } = app.server;
    const { requestId } = await charged(app, customer);
    const all = Array.from({ length: services.pool.options.max }, () => services.pool.connect());
    const taken = await Promise.all(all);
    try {
      const credited = order();
      const done = await perform(services, credited, 'request');
      expect(done).toMatchObject({ receipt: { content: { bonusMicro: 5_000_000n } } });
      const again = await perform(services, credited, 'request');
      expect(again).toMatchObject({ receipt: { alreadySealed: true, content: { lots: [] } } });
      const refund = { operation: 'request_refund', amountMicro: null } as const;
      await perform(services, order({ ...refund, chargedRequestId: requestId }), 'request');
      const back = { operation: 'balance_return', amountMicro: null } as const;
      await perform(services, order(back), 'request');
    } finally {
      for (const client of taken) client.release();
    }
    expect(await balanceOf(app, customer)).toBe(5);
  });

  it('reads the lines that came since its life was read, and no others', async () => {
    const { services } = app.server;
    const readings = listenToReadings();
    try {
      await perform(services, order(), 'request');
    } finally {
      vi.restoreAllMocks();
    }
    const account = await app.owner.prisma.account.findFirstOrThrow({
      where: { tenantId: customer.tenantId },
    });
    const before = account.version - 1n;
    expect(readings).toEqual([
      [0n, 0n],
      [before, before],
    ]);
  });

  it('begins again where somebody has refunded a charge that it passed over', async () => {
    const { services } = app.server;
    const own = await newCustomer(app, 100);
    const { requestId, costRub } = await charged(app, own);
    const about = { tenantId: own.tenantId };
    const refund = { ...about, operation: 'request_refund', amountMicro: null } as const;
    const readings = listenToReadings(() =>
      perform(services, order({ ...refund, chargedRequestId: requestId }), 'request'),
    );
    try {
      await perform(services, order(about), 'request');
    } finally {
      vi.restoreAllMocks();
    }
    // Its own, the two of the refund, the one that is of no use, and its own again.
    expect(readings).toHaveLength(6);
    const { body } = await rest(app, 'GET', '/v1/gw/billing/advances', { credential: own.token });
    expect(costRub).toBeGreaterThan(0);
    expect(body).toMatchObject({ posted_rub: 105, paid_left_rub: 100, bonus_left_rub: 5 });
  });
});

/**
 * From which line on each reading asks, one list for each.
 * @param meanwhile is done once, when the first one has read
 */
function listenToReadings(meanwhile: () => Promise<unknown> = async () => {}): bigint[][] {
  const readings: bigint[][] = [];
  const { readTo } = AdvanceReading.prototype;
  vi.spyOn(AdvanceReading.prototype, 'readTo').mockImplementation(async function (
    this: AdvanceReading,
    query,
    place,
  ) {
    const asked: bigint[] = [];
    const isFirst = readings.push(asked) === 1;
    const listened: typeof query = (text, values = []) => {
      asked.push(values[1] as bigint);
      return query(text, values);
    };
    const isKnown = await readTo.call(this, listened, place);
    if (isFirst) await meanwhile();
    return isKnown;
  });
  return readings;
}
