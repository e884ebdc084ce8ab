import type { Client } from 'pg';
import { newId } from '../../src/kernel/ids.js';
import type { PrismaDatabase } from '../../src/platform/database/prisma.js';
import { type Delivered, eventFeed, type FeedRow, publish } from '../../src/records/feed.js';
import { encodeCursor } from '../../src/records/feed.rules.js';

/** The feed of these tests. */
export const FEED = eventFeed('approvals');
/** The cursor before everything. */
export const START = encodeCursor({ txid: 0n, seq: 0n });

/** Writes one event in the client's transaction. */
export function write(client: Client, tenantId: string, subjectId: string, feed = FEED.name) {
  return client.query(
    `INSERT INTO feed_event (id, tenant_id, feed, type, subject_id, payload)
     VALUES ($1, $2, $3, 'requested', $4, '{}')`,
    [newId('FeedEvent'), tenantId, feed, subjectId],
  );
}

/** Publishes one event in a transaction of its own. */
export function publishOne(
  prisma: PrismaDatabase,
  tenantId: string,
  subjectId: string,
): Promise<void> {
  const event = { tenantId, feed: FEED.name, type: 'requested', subjectId, payload: { n: 1 } };
  return prisma.$transaction((tx) => publish(tx, event));
}

/** Writes `count` events in transactions that overlap and end in any order; some are undone. */
export async function writeInDisorder(
  client: Client,
  tenantId: string,
  writer: number,
  count: number,
) {
  const written: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const names = [`${writer}-${i}-a`, `${writer}-${i}-b`];
    await client.query('BEGIN');
    for (const name of names) {
      await write(client, tenantId, name);
      await client.query('SELECT pg_sleep(random() * 0.004)');
    }
    const undone = i % 7 === 3;
    await client.query(undone ? 'ROLLBACK' : 'COMMIT');
    if (!undone) written.push(...names);
  }
  return written;
}

/** What events are about, in their order. */
export const subjects = (rows: readonly Delivered<FeedRow>[]) =>
  rows.map(({ event }) => event.subjectId);
