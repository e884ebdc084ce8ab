import type { WebhookDelivery } from '../../generated/prisma/client.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import { fail } from '../../kernel/errors/fail.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { openedContent, type SealedContent, sealedContent } from '../../kernel/fields/sealed.js';
import { newId } from '../../kernel/ids.js';
import { change } from '../../records/change.js';
import { lockOwn } from '../../records/own.js';
import { TEST_DATA, TEST_EVENT } from './event-types.js';
import { bodyOf } from './sources.js';
import { ATTEMPT_FIELDS, type DELIVERY_CONTENT, type REPLAYED } from './tables.js';

const MISSING = { subject: 'webhook endpoint' };

/**
 * Sends a message that tests an endpoint, with one attempt. It is on its way when this answers; the
 * delivery tells what becomes of it.
 * @throws not_found, webhook_endpoint_inactive
 */
export function testEndpoint(ctx: AuthorizedCtx, endpointId: string): Promise<WebhookDelivery> {
  return change(ctx, { action: 'webhookEndpointTest', subject: 'WebhookDelivery' }, async (tx) => {
    const param = { ...MISSING, param: 'id' };
    const { status } = await lockOwn(ctx, tx, 'WebhookEndpoint', endpointId, param);
    if (status !== 'active') {
      fail('webhook_endpoint_inactive', { values: { id: endpointId, status }, param: 'id' });
    }
    const { tenantId, id: sentBy } = ctx.who;
    const id = newId('WebhookDelivery');
    const content = sealedContent(TEST_DATA.fields, { endpointId, sentBy });
    const body = bodyOf({ type: TEST_EVENT, at: sharedNow(), data: content });
    const data = { id, tenantId, endpointId, eventId: `test_${id}`, eventType: TEST_EVENT, body };
    const result = await tx.webhookDelivery.create({ data });
    return { result, id, after: { endpointId, eventType: TEST_EVENT } };
  });
}

/**
 * Delivers once more, under the same `webhook-id`, with the whole schedule before it. What has not
 * ended yet is only attempted at once.
 * @throws not_found
 */
export function replayDelivery(ctx: AuthorizedCtx, id: string): Promise<WebhookDelivery> {
  const name = { action: 'webhookDeliveryReplay', subject: 'WebhookDelivery' };
  return change(ctx, name, async (tx) => {
    const { status } = await lockOwn(ctx, tx, 'WebhookDelivery', id);
    await tx.$executeRaw`UPDATE webhook_delivery SET status = 'pending', replayed = true, step = 0,
        next_attempt_at = clock_timestamp(), ended_at = NULL
      WHERE id = ${id}::uuid AND status <> 'sending'`;
    const where = { id, tenantId: ctx.who.tenantId };
    const result = await tx.webhookDelivery.findFirstOrThrow({ where });
    return { result, id, before: { status }, after: { status: result.status } };
  });
}

/**
 * Delivers once more whatever has ended of an endpoint and was recorded at a time or later. New
 * events pass what is repeated.
 * @throws not_found
 */
export function replayDeliveries(
  ctx: AuthorizedCtx,
  endpointId: string,
  { since, failedOnly }: { readonly since: Date; readonly failedOnly: boolean },
): Promise<ValuesOf<typeof REPLAYED.fields>> {
  const name = { action: 'webhookDeliveriesReplay', subject: 'WebhookEndpoint' };
  return change(ctx, name, async (tx) => {
    await lockOwn(ctx, tx, 'WebhookEndpoint', endpointId, { ...MISSING, param: 'id' });
    const statuses = failedOnly ? ['failed'] : ['failed', 'delivered'];
    const replayed = await tx.$executeRaw`UPDATE webhook_delivery
      SET status = 'pending', replayed = true, step = 0, ended_at = NULL,
        next_attempt_at = clock_timestamp()
      WHERE endpoint_id = ${endpointId}::uuid AND created_at >= ${since}
        AND status = ANY (${statuses})`;
    const after = { since: since.toISOString(), failedOnly, replayed };
    return { result: { replayed }, id: endpointId, after };
  });
}

/** What of a delivery is kept as JSON, as its tables read it. */
export function contentOf({
  body,
  attemptLog,
}: WebhookDelivery): ValuesOf<typeof DELIVERY_CONTENT> {
  const attempts = attemptLog as readonly SealedContent[];
  return {
    payload: JSON.parse(body),
    attemptLog: attempts.map((attempt) => openedContent(ATTEMPT_FIELDS, attempt)),
  };
}
