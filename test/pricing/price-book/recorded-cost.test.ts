import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
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

/** What the ledger kept of live requests in 30 days, net of VAT, and how many it charged. */
async function ledgerOf({ tenantId }: Customer) {
  const { rows } = await app.owner.pool.query<{ requests: number; net: bigint }>(
    `SELECT count(*) FILTER (WHERE e.type = 'finalize')::int AS requests,
       sum(CASE e.type WHEN 'finalize' THEN e.amount_micro - e.vat_micro
                       ELSE e.vat_micro - e.amount_micro END)::bigint AS net
     FROM ledger_entry e
     JOIN usage_event u ON u.id = coalesce(e.charged_request_id, e.request_id)
     WHERE e.tenant_id = $1 AND e.type IN ('finalize', 'refund') AND NOT u.simulated
       AND e.created_at >= now() - interval '30 days'`,
    [tenantId],
  );
  return rows[0] ?? { requests: 0, net: 0n };
}

it('the recorded cost of a request is what the ledger kept of it after refunds', async () => {
  const now = Date.now();
  const [drawn = [], foreign = []] = fc.sample(charges, { numRuns: 2, seed: 20_261_125 });
  const planted = toMovements(drawn, now);
  expect(planted.filter(({ kind }) => kind === 'refund').length).toBeGreaterThan(20);
  await plantMovements(app.owner.pool, own, planted);
  await plantMovements(app.owner.pool, other, toMovements(foreign, now));
  const { requests, net } = await ledgerOf(own);
  const { status, body } = await rest<Record<string, unknown>>(
    app,
    'POST',
    '/v1/gw/price-book/receipts',
    { credential: own.key, body: { quote_ref: 'kept', plan: 'team', monthly_requests: 1 } },
  );
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body).toMatchObject({ cost_provenance: 'live_measured', recorded_requests: requests });
  const perRequest = parseRub(String(body.cost_per_request_rub)) ?? 0n;
  const count = BigInt(requests);
  // The mean is rounded up to the next micro-ruble.
  expect([perRequest * count >= net, (perRequest - 1n) * count < net]).toEqual([true, true]);
});
