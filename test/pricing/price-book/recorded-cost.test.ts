import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { parseRub } from '../../../src/kernel/money.js';
import { type Movement, plantMovements } from '../../finops/reports/movements.js';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../../support/app.js';
import { existedSince } from '../../support/owner.js';

let app: TestApp;
let own: Customer;
let other: Customer;
beforeAll(async () => {
  app = await startApp();
  own = await newCustomer(app);
  other = await newCustomer(app);
  for (const { tenantId } of [own, other]) await existedSince(app, tenantId);
});
afterAll(() => app?.stop());

const HOUR_MS = 3_600_000;

/** Charges of two months, of which the book looks back on one, and what was given back of them. */
const charges = fc.array(
  fc.record({
    hoursAgo: fc.integer({ min: 1, max: 1_400 }),
    amountMicro: fc.bigInt({ min: 3n, max: 10n ** 9n }),
    simulated: fc.constantFrom(false, false, false, true),
    refundedPart: fc.constantFrom(0n, 0n, 1n, 2n, 3n),
    refundedAfterHours: fc.integer({ min: 0, max: 900 }),
  }),
  { minLength: 300, maxLength: 300 },
);

type Charge = (typeof charges extends fc.Arbitrary<infer T> ? T : never)[number];

function toMovements(drawn: readonly Charge[], now: number): Movement[] {
  return drawn
    .flatMap(({ hoursAgo, refundedPart, refundedAfterHours, amountMicro, simulated }) => {
      const at = new Date(now - hoursAgo * HOUR_MS);
      const refundAt = new Date(at.getTime() + refundedAfterHours * HOUR_MS);
      const id = newId('Request', at.getTime());
      const facts = { simulated, clientId: null, feature: null };
      const made: Movement[] = [{ kind: 'charge', id, at, amountMicro, ...facts }];
      if (refundedPart > 0n && refundAt.getTime() < now) {
        const refund = { id: newId('Request', refundAt.getTime()), at: refundAt, chargedId: id };
        made.push({ kind: 'refund', amountMicro: amountMicro / refundedPart, ...refund });
      }
      return made;
    })
    .sort((one, two) => Number(one.at) - Number(two.at));
}

/** What the ledger kept of the live requests of 30 days, net of VAT, and how many it charged. */
async function ledgerOf({ tenantId }: Customer) {
  const { rows } = await app.owner.pool.query<{ requests: number; net: bigint }>(
    `SELECT count(*) FILTER (WHERE e.type = 'finalize')::int AS requests,
       sum(CASE e.type WHEN 'finalize' THEN e.amount_micro - e.vat_micro
                       ELSE e.vat_micro - e.amount_micro END)::bigint AS net
     FROM ledger_entry e
     JOIN usage_event u ON u.id = coalesce(e.charged_request_id, e.request_id)
     WHERE e.tenant_id = $1 AND e.type IN ('finalize', 'refund') AND NOT u.simulated
       AND u.created_at >= now() - interval '30 days'`,
    [tenantId],
  );
  return rows[0] ?? { requests: 0, net: 0n };
}

async function quoted({ key: credential }: Customer, quote_ref: string) {
  const wish = { quote_ref, plan: 'team', monthly_requests: 1 };
  const asked = { credential, body: wish };
  const path = '/v1/gw/price-book/receipts';
  const { status, body } = await rest<Record<string, unknown>>(app, 'POST', path, asked);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

it('the recorded cost of a request is what the ledger kept of it after refunds', async () => {
  const now = Date.now();
  const [drawn = [], foreign = []] = fc.sample(charges, { numRuns: 2, seed: 20_261_125 });
  const planted = toMovements(drawn, now);
  expect(planted.filter(({ kind }) => kind === 'refund').length).toBeGreaterThan(20);
  await plantMovements(app.owner.pool, own, planted);
  await plantMovements(app.owner.pool, other, toMovements(foreign, now));
  const { requests, net } = await ledgerOf(own);
  const body = await quoted(own, 'kept');
  expect(body).toMatchObject({ cost_provenance: 'live_measured', recorded_requests: requests });
  const perRequest = parseRub(String(body.cost_per_request_rub)) ?? 0n;
  const count = BigInt(requests);
  // The mean is rounded up to the next micro-ruble.
  expect([perRequest * count >= net, (perRequest - 1n) * count < net]).toEqual([true, true]);
});

describe('a quote of today', () => {
  const OLD = newId('Request');
  const facts = { simulated: false, clientId: null, feature: null };
  const charge = (id: string, at: Date, amountMicro: bigint): Movement => ({
    ...{ kind: 'charge', id, at, amountMicro, ...facts },
  });
  const refund = (chargedId: string, at: Date, amountMicro: bigint): Movement => ({
    ...{ kind: 'refund', id: newId('Request'), at, amountMicro, chargedId },
  });

  it('is not lowered by what is refunded of a request from before the recorded days', async () => {
    const customer = await newCustomer(app);
    await existedSince(app, customer.tenantId);
    const ago = (days: number) => new Date(Date.now() - days * 24 * HOUR_MS);
    const ids = Array.from({ length: 140 }, () => newId('Request'));
    await plantMovements(app.owner.pool, customer, [
      charge(OLD, ago(60), 10n ** 9n),
      ...ids.map((id, index) => charge(id, ago(20 - index / 10), 1_220_000n)),
      refund(OLD, ago(1), 10n ** 9n),
    ]);
    const asked = { credential: customer.key, body: { package: 'pilot' } };
    const revenue = async () =>
      (await rest<Record<string, unknown>>(app, 'POST', '/v1/gw/revenue/quotes', asked)).body;
    expect(await quoted(customer, 'before')).toMatchObject({ cost_per_request_rub: 1 });
    // 140 requests of 1.22 on 21 days are so much on 30.
    expect(await revenue()).toMatchObject({ cost_rub: 244 });
    await plantMovements(app.owner.pool, customer, [refund(ids[0] ?? '', ago(0.5), 1_220_000n)]);
    expect(await quoted(customer, 'after')).toMatchObject({ cost_per_request_rub: 0.992858 });
    expect(await revenue()).toMatchObject({ cost_rub: 242.257143 });
  });
});
