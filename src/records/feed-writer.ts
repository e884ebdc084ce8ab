import type { ClientBase } from 'pg';
import { newId } from '../kernel/ids.js';
import { named } from '../platform/database/pool.js';
import type { NewFeedEvent } from './feed.js';

const PUBLISH_SQL = `
  INSERT INTO feed_event (id, tenant_id, feed, type, subject_id, payload)
  VALUES ($1, $2, $3, $4, $5, $6)`;

/** Writes an event in the transaction of a reader, which works without the ORM. */
export async function publishBy(client: ClientBase, event: NewFeedEvent): Promise<void> {
  const { tenantId, feed, type, subjectId, payload } = event;
  const values = [newId('FeedEvent'), tenantId, feed, type, subjectId, payload];
  await named(client, 'feed_event_write', PUBLISH_SQL, values);
}
