import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WEBHOOK_LIMITS } from '../../../src/actions/webhook-endpoints/vocabulary.js';
import { sweepDeliveries } from '../../../src/actions/webhook-endpoints/worker/retention.js';
import { type Customer, newCustomer, startApp, type TestApp } from '../../support/app.js';
import { SETTINGS, webhooks } from './world.js';

let app: TestApp;
let customer: Customer;
beforeAll(async () => {
  app = await startApp(SETTINGS);
  customer = await newCustomer(app);
});
afterAll(() => app?.stop());

async function pausedEndpoint(): Promise<string> {
  const url = 'https://hooks.example.com/kept';
  const { id } = (await webhooks(app, customer, 'POST', '', { url })).body;
  await webhooks(app, customer, 'POST', `/${id}/pause`);
  return id;
}

/** Plants deliveries of a status that ended so many days ago. */
async function plant(endpointId: string, count: number, status: string, daysAgo: number) {
  await app.owner.pool.query(
    `INSERT INTO webhook_delivery (id, tenant_id, endpoint_id, event_id, event_type, body, status,
       next_attempt_at, ended_at)
     SELECT gen_random_uuid(), $1, $2, gen_random_uuid()::text, 'receipt.sealed', '{}', $4,
       CASE WHEN $4 = 'pending' THEN now() END,
       CASE WHEN $4 <> 'pending' THEN now() - make_interval(days => $5) END
     FROM generate_series(1, $3::int)`,
    [customer.tenantId, endpointId, count, status, daysAgo],
  );
}

async function kept(endpointId: string): Promise<Record<string, number>> {
  const { rows } = await app.owner.pool.query<{ status: string; many: number }>(
    `SELECT status, count(*)::int AS many FROM webhook_delivery WHERE endpoint_id = $1
     GROUP BY status ORDER BY status`,
    [endpointId],
  );
  return Object.fromEntries(rows.map(({ status, many }) => [status, many]));
}

describe('the retention of deliveries', () => {
  it('keeps what ended within its days, and whatever has not ended', async () => {
    const id = await pausedEndpoint();
    await plant(id, 5, 'delivered', WEBHOOK_LIMITS.retentionDays - 1);
    await plant(id, 3, 'delivered', WEBHOOK_LIMITS.retentionDays + 1);
    await plant(id, 2, 'failed', WEBHOOK_LIMITS.retentionDays + 1);
    await plant(id, 4, 'pending', 0);
    expect(await sweepDeliveries(app.server.services.platformPool)).toBe(5);
    expect(await kept(id)).toEqual({ delivered: 5, pending: 4 });
  });

  it('keeps of each endpoint no more than its number, and of others all', async () => {
    const [crowded, quiet] = [await pausedEndpoint(), await pausedEndpoint()];
    await plant(crowded, WEBHOOK_LIMITS.endedMax + 1_500, 'delivered', 0);
    await plant(quiet, 10, 'failed', 0);
    await sweepDeliveries(app.server.services.platformPool);
    expect(await kept(crowded)).toEqual({ delivered: WEBHOOK_LIMITS.endedMax });
    expect(await kept(quiet)).toEqual({ failed: 10 });
  });
});
