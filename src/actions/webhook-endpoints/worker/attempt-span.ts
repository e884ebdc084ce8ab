import type { Trace } from '../../../kernel/trace.rules.js';
import type { ToldSpan } from '../../../platform/span-facts.js';
import type { WebhookAttempt } from '../../webhook/send.js';
import type { TakenDelivery } from './statements.js';

/**
 * An attempt as a collector is told of it: below the span that has caused the event, where there
 * was one. Neither the address of the receiver nor anything of what it was sent or answered is in
 * it.
 */
export function attemptSpan(
  { id, tenantId, endpointId, eventType, attempts }: TakenDelivery,
  { status, failure }: WebhookAttempt,
  made: {
    readonly spanId: string;
    readonly trace: Trace;
    readonly startMs: number;
    readonly endMs: number;
  },
): ToldSpan {
  const { spanId, trace, startMs, endMs } = made;
  return {
    ...{ name: 'POST webhook', kind: 'client', spanId, startMs, endMs },
    parentId: trace.parentId,
    isRemote: true,
    attributes: {
      'http.request.method': 'POST',
      'http.request.resend_count': attempts > 1 ? attempts - 1 : undefined,
      'http.response.status_code': status ?? undefined,
      'error.type': failure ?? undefined,
      'gw.tenant.id': tenantId,
      'gw.webhook.delivery.id': id,
      'gw.webhook.endpoint.id': endpointId,
      'gw.webhook.event.type': eventType,
    },
    failed: failure !== null,
  };
}
