import type { ClientBase } from 'pg';
import { newId } from '../kernel/ids.js';
import { TRACE_MEMBER } from '../kernel/trace.rules.js';
import { named } from '../platform/database/pool.js';
import type { NewFeedEvent } from './feed.js';

const PUBLISH_SQL = `
  INSERT INTO feed_event (id, tenant_id, feed, type, subject_id, payload, trace)
  VALUES ($1, $2, $3, $4, $5, $6, (SELECT metadata ->> '${TRACE_MEMBER}' FROM usage_event
    WHERE tenant_id = $2 AND id = $7::uuid))`;

/**
 * Writes an event in the transaction of a reader, which works without the ORM.
 * @param causedBy the request whose trace it goes on with
 */
export async function publishBy(
  client: ClientBase,
  event: NewFeedEvent,
  causedBy: string | null,
): Promise<void> {
  const { tenantId, feed, type, subjectId, payload } = event;
  const values = [newId('FeedEvent'), tenantId, feed, type, subjectId, payload, causedBy];
  await named(client, 'feed_event_write', PUBLISH_SQL, values);
}
