import { eventFeed, type FeedRow, readFeed } from '../../src/records/feed.js';
import type { TestApp } from '../support/app.js';

/**
 * The events of a feed of an organization from its begin, as a subscriber gets them: what was
 * written beside a transaction that still runs, of any database of the cluster, comes later.
 */
export async function readEvents(
  app: TestApp,
  tenantId: string,
  feed: string,
): Promise<readonly FeedRow[]> {
  const { pool } = app.server.services;
  const rows = await readFeed(pool, eventFeed(feed), { tenantId });
  return rows.map(({ event }) => event);
}
