import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newId } from '../../src/kernel/ids.js';
import type { Listener, NotificationHandler } from '../../src/platform/database/listen.js';
import {
  type Delivered,
  type FeedRow,
  publish,
  readFeed,
  subscribeFeed,
} from '../../src/records/feed.js';
import { decodeCursor, encodeCursor, type Position } from '../../src/records/feed.rules.js';
import { createFeedNotifier } from '../../src/records/feed-notifier.js';
import { FEED, publishOne, START, subjects, write, writeInDisorder } from './feed-writers.js';
import { codeOf, createWorld } from './world.js';

const world = await createWorld();
const { services } = world;
const { pool, prisma } = services;

const live = () => new AbortController().signal;

/** A reader that finds nothing for so long has lost what it waits for. */
const IDLE_READS_MAX = 1500;

/** So many rows, and any more; transactions of other tests on the same server hold rows back. */
async function readWhenVisible(tenantId: string, count: number): Promise<Delivered<FeedRow>[]> {
  let rows: Delivered<FeedRow>[] = [];
  for (let reads = 0; rows.length < count && reads < IDLE_READS_MAX; reads += 1) {
    if (reads > 0) await sleep(10);
    rows = await readFeed(pool, FEED, { tenantId });
  }
  return rows;
}

describe('a cursor', () => {
  it('holds any position, and no other text is one', async () => {
    const counter = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
    fc.assert(
      fc.property(counter, counter, (txid, seq) => {
        expect(decodeCursor(encodeCursor({ txid, seq }))).toEqual({ txid, seq });
      }),
    );
    const tenantId = newId('Tenant');
    for (const after of ['', 'x', `${START}A`, `${START}=`, '_'.repeat(22), '0', ' ']) {
      expect(await codeOf(readFeed(pool, FEED, { tenantId, after }))).toBe('invalid_cursor');
      const subscribing = subscribeFeed(services, {
        source: FEED,
        tenantId,
        after,
        signal: live(),
      });
      expect(await codeOf(subscribing)).toBe('invalid_cursor');
    }
  });
});

describe('reading a feed', () => {
  it('skips and repeats nothing while transactions commit late and out of order', async () => {
    const tenantId = newId('Tenant');
    const writing = [0, 1, 2, 3, 4, 5].map(async (n) =>
      writeInDisorder(await world.client(), tenantId, n, 40),
    );
    const writers = Promise.all(writing);
    let expected = Number.POSITIVE_INFINITY;
    void writers.then((written) => {
      expected = written.flat().length;
    });
    const seen: Delivered<FeedRow>[] = [];
    for (let idle = 0; seen.length < expected && idle < IDLE_READS_MAX; idle += 1) {
      const after = seen.at(-1)?.cursor;
      const rows = await readFeed(pool, FEED, { tenantId, after, limit: 7 });
      seen.push(...rows);
      if (rows.length > 0) idle = 0;
      else await sleep(10);
    }
    expect(await readFeed(pool, FEED, { tenantId, after: seen.at(-1)?.cursor })).toEqual([]);
    const written = (await writers).flat();
    expect(subjects(seen).sort()).toEqual(written.sort());
    const positions = seen.map(({ event }) => [event.txid, event.seq] as const);
    const ordered = positions.toSorted(([a, b], [c, d]) => Number(a - c) || Number(b - d));
    expect(positions).toEqual(ordered);
  });

  it('holds an event back until every older transaction has ended', async () => {
    const tenantId = newId('Tenant');
    const [slow, fast] = await Promise.all([world.client(), world.client()]);
    await slow.query('BEGIN');
    await write(slow, tenantId, 'begun first');
    await write(fast, tenantId, 'committed first');
    const early = await readFeed(pool, FEED, { tenantId });
    await slow.query('COMMIT');
    expect(early).toEqual([]);
    const rows = await readWhenVisible(tenantId, 2);
    expect(subjects(rows)).toEqual(['begun first', 'committed first']);
  });

  it('returns whole events of this tenant and this feed only', async () => {
    const [tenantId, other] = [newId('Tenant'), newId('Tenant')];
    const client = await world.client();
    await write(client, other, 'foreign');
    await write(client, tenantId, 'of another feed', 'anomalies');
    await publishOne(prisma, tenantId, 'own');
    const [row, ...more] = await readWhenVisible(tenantId, 1);
    expect(more).toEqual([]);
    expect(row).toEqual({
      cursor: encodeCursor(row?.event as Position),
      event: {
        txid: expect.any(BigInt),
        seq: expect.any(BigInt),
        id: expect.any(String),
        feed: 'approvals',
        type: 'requested',
        subjectId: 'own',
        payload: { n: 1 },
        createdAt: expect.any(Date),
      },
    });
    expect(await readFeed(pool, FEED, { tenantId, after: row?.cursor })).toEqual([]);
  });

  it('never sees an event whose transaction was undone', async () => {
    const tenantId = newId('Tenant');
    const undone = prisma.$transaction(async (tx) => {
      const event = { tenantId, feed: FEED.name, type: 'x', subjectId: 's', payload: {} };
      await publish(tx, event);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await readFeed(pool, FEED, { tenantId })).toEqual([]);
  });

  it('reads a table that refuses to change or lose an event', async () => {
    const client = await world.client();
    await write(client, newId('Tenant'), 's');
    const attempts = [
      "UPDATE feed_event SET type = 'x'",
      'DELETE FROM feed_event',
      'TRUNCATE feed_event',
    ];
    for (const sql of attempts) {
      await expect(client.query(sql)).rejects.toMatchObject({ code: '42501' });
    }
  });
});

describe('waking', () => {
  it('happens after the commit of an event of this tenant and feed', async () => {
    const tenantId = newId('Tenant');
    const wakes: string[] = [];
    const woken = new Promise<void>((resolve) => {
      services.feedNotifier.watch(tenantId, FEED.name, resolve);
    });
    const stops = [
      services.feedNotifier.watch(newId('Tenant'), FEED.name, () => wakes.push('tenant')),
      services.feedNotifier.watch(tenantId, 'anomalies', () => wakes.push('feed')),
    ];
    await publishOne(prisma, tenantId, 's');
    await woken;
    expect(wakes).toEqual([]);
    for (const stop of stops) stop();
  });

  it('happens to every reader when a lost connection is back, until it stops', async () => {
    let reconnected = () => {};
    let handler: NotificationHandler = () => {};
    const listener: Listener = {
      async listen(_channel, given) {
        handler = given;
        return () => {};
      },
      onConnected(callback) {
        reconnected = callback;
        return () => {};
      },
      onDisconnected: () => () => {},
      tell: () => {},
      close: async () => {},
    };
    const waker = await createFeedNotifier(listener);
    const wakes: string[] = [];
    const stop = waker.watch('t', 'a', () => wakes.push('a'));
    waker.watch('t', 'b', () => wakes.push('b'));
    reconnected();
    stop();
    stop();
    reconnected();
    handler('t a');
    handler('t b');
    expect(wakes).toEqual(['a', 'b', 'b', 'b']);
  });
});
