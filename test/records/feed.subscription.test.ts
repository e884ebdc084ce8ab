import { afterEach, describe, expect, it, vi } from 'vitest';
import { newId } from '../../src/kernel/ids.js';
import { feedTip, subscribeFeed } from '../../src/records/feed.js';
import type { Position } from '../../src/records/feed.rules.js';
import type { FeedNotifier } from '../../src/records/feed-notifier.js';
import { FEED, publishOne, START, subjects, writeInDisorder } from './feed-writers.js';
import { createWorld } from './world.js';

const world = await createWorld();
const { services } = world;
const { pool, prisma } = services;

async function take<T>(iterator: AsyncIterator<T>, count: number): Promise<T[]> {
  const taken: T[] = [];
  while (taken.length < count) {
    const { value, done } = await iterator.next();
    if (done) break;
    taken.push(value);
  }
  return taken;
}

const live = () => new AbortController().signal;

describe('following a feed', () => {
  it('delivers each event once to a reader that is cut off 200 times and resumes', async () => {
    const tenantId = newId('Tenant');
    const writing = [0, 1, 2, 3].map(async (n) =>
      writeInDisorder(await world.client(), tenantId, n, 100),
    );
    const writers = Promise.all(writing);
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
    await publishOne(prisma, tenantId, 'before');
    const rows = await subscribeFeed(services, { source: FEED, tenantId, signal: live() });
    await publishOne(prisma, tenantId, 'right after subscribing');
    const first = rows.next();
    await publishOne(prisma, tenantId, 'while waiting');
    expect((await first).value?.event.subjectId).toBe('right after subscribing');
    expect((await rows.next()).value?.event.subjectId).toBe('while waiting');
    await rows.return?.();
    expect((await feedTip(pool)).position.txid).toBeGreaterThan(0n);
  });

  it('goes on without notifications, by looking again', async () => {
    const tenantId = newId('Tenant');
    const feedNotifier: FeedNotifier = { watch: () => () => {}, close: () => {} };
    const deaf = { ...services, feedNotifier };
    const rows = await subscribeFeed(deaf, { source: FEED, tenantId, signal: live() });
    const first = rows.next();
    await publishOne(prisma, tenantId, 'unannounced');
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
    const feedNotifier: FeedNotifier = {
      watch(_tenantId, _feed, wake) {
        watching.add(wake);
        return () => watching.delete(wake);
      },
      close() {},
    };
    return { feedNotifier, watching };
  }

  it('comes at once by return or by abort while it waits, and nothing stays behind', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { feedNotifier, watching } = countingWaker();
    const source = { name: 'empty', read: async () => [] };
    for (const way of ['return', 'abort'] as const) {
      const controller = new AbortController();
      const rows = await subscribeFeed(
        { ...services, feedNotifier },
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

  it('does not come by a database that is away for a while, only by one that stays', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { feedNotifier, watching } = countingWaker();
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
    const rows = await subscribeFeed({ ...services, feedNotifier }, request);
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
