import type { Prisma, WebhookEndpoint } from '../../generated/prisma/client.js';
import type { Services, Transaction } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import type { CodeOf } from '../../kernel/vocabulary.js';
import { publish } from '../../records/feed.js';
import { inTransaction } from '../../records/scope.js';
import { keepsFailing } from './delivery.rules.js';
import { ENDPOINT_FEED } from './event-types.js';
import type { DISABLE_REASONS } from './vocabulary.js';

/** The delivery that has ended for good without success. */
interface FailedDelivery {
  readonly tenantId: string;
  readonly endpointId: string;
  readonly begunAt: Date;
}

/**
 * Stops to deliver to an endpoint that is gone, or that keeps failing, and tells the feed of
 * endpoints in the same transaction. Whatever is owed to it waits until a member resumes it.
 */
export async function disableEndpoint(
  services: Pick<Services, 'prisma' | 'dataKeys'>,
  { tenantId, endpointId, begunAt }: FailedDelivery,
  reason: CodeOf<typeof DISABLE_REASONS>,
): Promise<void> {
  const scope = { services, who: { tenantId } };
  await inTransaction(scope, {}, async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM webhook_endpoint WHERE id = ${endpointId}::uuid FOR UPDATE`;
    const endpoint = await tx.webhookEndpoint.findFirst({ where: { id: endpointId, tenantId } });
    if (endpoint?.status !== 'active') return;
    if (reason === 'keeps_failing' && !keepsFailing(begunAt, endpoint.lastSuccessAt)) return;
    await tell(tx, endpoint, reason);
  });
}

async function tell(tx: Transaction, endpoint: WebhookEndpoint, reason: string): Promise<void> {
  const { id, tenantId, failingSince } = endpoint;
  const data: Prisma.WebhookEndpointUpdateInput = {
    status: 'disabled',
    disabledReason: reason,
    disabledAt: sharedNow(),
  };
  await tx.webhookEndpoint.update({ where: { id }, data });
  const payload = { reason, failingSince: failingSince?.toISOString() ?? null };
  await publish(tx, { tenantId, feed: ENDPOINT_FEED, type: 'disabled', subjectId: id, payload });
}
