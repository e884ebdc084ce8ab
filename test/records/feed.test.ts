import fc from 'fast-check';
import type { Client } from 'pg';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { newId } from '../../src/kernel/ids.js';
import type { Listener, NotificationHandler } from '../../src/platform/database/listen.js';
import {
  type Delivered,
  eventFeed,
  type FeedRow,
  feedTip,
  publish,
  readFeed,
  subscribeFeed,
} from '../../src/records/feed.js';
import { decodeCursor, encodeCursor, type Position } from '../../src/records/feed.rules.js';
import { createFeedWaker, type FeedWaker } from '../../src/records/feed-waker.js';
import { codeOf, createWorld } from './world.js';

const world = await createWorld();
const { services } = world;
const { pool, prisma } = services;
const FEED = eventFeed('approvals');
const START = encodeCursor({ txid: 0n, seq: 0n });

function write(client: Client, tenantId: string, subjectId: string, feed = FEED.name) {
  return client.query(
    `INSERT INTO feed_event (id, tenant_id, feed, type, subject_id, payload)
     VALUES ($1, $2, $3, 'requested', $4, '{}')`,
    [newId('FeedEvent'), tenantId, feed, subjectId],
  );
}

function publishOne(tenantId: string, subjectId: string): Promise<void> {
  const event = { tenantId, feed: FEED.name, type: 'requested', subjectId, payload: { n: 1 } };
  return prisma.$transaction((tx) => publish(tx, event));
}

/** Writes `count` events in transactions that overlap and end in any order; some are undone. */
async function writeInDisorder(tenantId: string, writer: number, count: number) {
  const client = await world.client();
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

async function take<T>(iterator: AsyncIterator<T>, count: number): Promise<T[]> {
  const taken: T[] = [];
  while (taken.length < count) {
    const { value, done } = await iterator.next();
    if (done) break;
    taken.push(value);
  }
  return taken;
}

/** The first rows; transactions of other tests on the same server can hold them back a little. */
async function readWhenVisible(tenantId: string): Promise<Delivered<FeedRow>[]> {
  const rows = await readFeed(pool, FEED, { tenantId });
  return rows.length > 0 ? rows : readWhenVisible(tenantId);
}

const subjects = (rows: readonly Delivered<FeedRow>[]) => rows.map(({ event }) => event.subjectId);
const live = () => new AbortController().signal;

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
  it('skips nothing and repeats nothing while transactions commit late and out of order', async () => {
    const tenantId = newId('Tenant');
    const writers = Promise.all([0, 1, 2, 3, 4, 5].map((n) => writeInDisorder(tenantId, n, 40)));
    let expected = Number.POSITIVE_INFINITY;
    void writers.then((written) => {
      expected = written.flat().length;
    });
    const seen: Delivered<FeedRow>[] = [];
    while (seen.length < expected) {
      seen.push(
        ...(await readFeed(pool, FEED, { tenantId, after: seen.at(-1)?.cursor, limit: 7 })),
      );
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
    expect(await readFeed(pool, FEED, { tenantId })).toEqual([]);
    await slow.query('COMMIT');
    const rows = await readWhenVisible(tenantId);
    expect(subjects(rows)).toEqual(['begun first', 'committed first']);
  });

  it('returns whole events of this tenant and this feed only', async () => {
    const [tenantId, other] = [newId('Tenant'), newId('Tenant')];
    const client = await world.client();
    await write(client, other, 'foreign');
    await write(client, tenantId, 'of another feed', 'anomalies');
    await publishOne(tenantId, 'own');
    const [row, ...more] = await readWhenVisible(tenantId);
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

describe('following a feed', () => {
  it('delivers each event once to a reader that is cut off 200 times and resumes', async () => {
    const tenantId = newId('Tenant');
    const writers = Promise.all([0, 1, 2, 3].map((n) => writeInDisorder(tenantId, n, 100)));
    const seen: string[] = [];
    let after = START;
    for (let cut = 0; cut < 200; cut += 1) {
      const controller = new AbortController();
      const { signal } = controller;
      const rows = await subscribeFeed(services, { source: FEED, tenantId, after, signal });
      for (const { event, cursor } of await take(rows, 1 + Math.floor(Math.random() * 3))) {
        seen.push(event.subjectId);
        after = cursor;
      }
      if (cut % 2 === 0) controller.abort();
      else await rows.return?.();
    }
    const written = (await writers).flat();
    const rest = await subscribeFeed(services, { source: FEED, tenantId, after, signal: live() });
    seen.push(...subjects(await take(rest, written.length - seen.length)));
    await rest.return?.();
    expect(seen.sort()).toEqual(written.sort());
  });

  it('begins now when there is no cursor, and then misses nothing', async () => {
    const tenantId = newId('Tenant');
    await publishOne(tenantId, 'before');
    const rows = await subscribeFeed(services, { source: FEED, tenantId, signal: live() });
    await publishOne(tenantId, 'right after subscribing');
    const first = rows.next();
    await publishOne(tenantId, 'while waiting');
    expect((await first).value?.event.subjectId).toBe('right after subscribing');
    expect((await rows.next()).value?.event.subjectId).toBe('while waiting');
    await rows.return?.();
    expect((await feedTip(pool)).txid).toBeGreaterThan(0n);
  });

  it('goes on without notifications, by looking again', async () => {
    const tenantId = newId('Tenant');
    const feedWaker: FeedWaker = { watch: () => () => {}, close: () => {} };
    const deaf = { ...services, feedWaker };
    const rows = await subscribeFeed(deaf, { source: FEED, tenantId, signal: live() });
    const first = rows.next();
    await publishOne(tenantId, 'unannounced');
    expect((await first).value?.event.subjectId).toBe('unannounced');
    await rows.return?.();
  });

  it('delivers more than one page in order', async () => {
    const tenantId = newId('Tenant');
    const client = await world.client();
    await client.query(
      `INSERT INTO feed_event (id, tenant_id, feed, type, subject_id, payload)
       SELECT gen_random_uuid(), $1, 'approvals', 'x', n, '{}' FROM generate_series(1, 450) n`,
      [tenantId],
    );
    const request = { source: FEED, tenantId, after: START, signal: live() };
    const rows = await subscribeFeed(services, request);
    const expected = Array.from({ length: 450 }, (_, i) => String(i + 1));
    expect(subjects(await take(rows, 450))).toEqual(expected);
    await rows.return?.();
  });
});

describe('the end of a subscription', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  function countingWaker() {
    const watching = new Set<() => void>();
    const feedWaker: FeedWaker = {
      watch(_tenantId, _feed, wake) {
        watching.add(wake);
        return () => watching.delete(wake);
      },
      close() {},
    };
    return { feedWaker, watching };
  }

  it('comes at once by return or by abort while it waits, and nothing stays behind', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { feedWaker, watching } = countingWaker();
    const source = { name: 'empty', read: async () => [] };
    for (const way of ['return', 'abort'] as const) {
      const controller = new AbortController();
      const rows = await subscribeFeed(
        { ...services, feedWaker },
        { source, tenantId: 't', after: START, signal: controller.signal },
      );
      const waiting = rows.next();
      await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1));
      expect(watching.size).toBe(1);
      if (way === 'return') await rows.return?.();
      else controller.abort();
      expect(await waiting).toEqual({ value: undefined, done: true });
      expect([watching.size, vi.getTimerCount()]).toEqual([0, 0]);
    }
  });

  it('does not come by a database that is away for a while, but by one that stays away', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { feedWaker, watching } = countingWaker();
    let failures = 0;
    const source = {
      name: 'broken',
      async read(): Promise<Position[]> {
        failures += 1;
        if (failures === 10) return [{ txid: 7n, seq: 1n }];
        throw new Error('the database is away');
      },
    };
    const request = { source, tenantId: 't', after: START, signal: live() };
    const rows = await subscribeFeed({ ...services, feedWaker }, request);
    const first = rows.next();
    for (let i = 0; i < 9; i += 1) await vi.advanceTimersByTimeAsync(5_000);
    expect((await first).value?.event).toEqual({ txid: 7n, seq: 1n });
    const second = rows.next();
    const ended = expect(second).rejects.toThrow('the database is away');
    for (let i = 0; i < 11; i += 1) await vi.advanceTimersByTimeAsync(5_000);
    await ended;
    expect([failures, watching.size]).toEqual([20, 0]);
  });
});

describe('waking', () => {
  it('happens after the commit of an event of this tenant and feed', async () => {
    const tenantId = newId('Tenant');
    const wakes: string[] = [];
    const woken = new Promise<void>((resolve) => {
      services.feedWaker.watch(tenantId, FEED.name, resolve);
    });
    const stops = [
      services.feedWaker.watch(newId('Tenant'), FEED.name, () => wakes.push('tenant')),
      services.feedWaker.watch(tenantId, 'anomalies', () => wakes.push('feed')),
    ];
    await publishOne(tenantId, 's');
    await woken;
    expect(wakes).toEqual([]);
    for (const stop of stops) stop();
  });

  it('happens to every reader when a lost connection is back, until it stops to watch', async () => {
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
      close: async () => {},
    };
    const waker = await createFeedWaker(listener);
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
