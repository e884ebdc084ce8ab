import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger, pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RedisCounters } from '../../../src/platform/counters/redis.js';
import { serviceRedisUrl } from '../../support/database.js';
import {
  type Bench,
  describeBuckets,
  describeSlots,
  describeTaking,
  describeWindows,
  rate,
  slotOf,
} from './contract.js';
import { type Cut, openCut } from './cut.js';

const url = await serviceRedisUrl();
const opened: RedisCounters[] = [];
let messages: string[];

function log(): Logger {
  return pino({}, { write: (line: string) => messages.push(JSON.parse(line).msg) });
}

async function open(at = url ?? ''): Promise<RedisCounters> {
  const counters = new RedisCounters(at, log());
  opened.push(counters);
  await counters.ready();
  return counters;
}

const key = () => `test:${randomUUID()}`;

beforeEach(() => {
  messages = [];
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((counters) => counters.close()));
});

describe.skipIf(url === undefined)('counters in Redis', () => {
  let bench: Bench;

  beforeEach(async () => {
    // Timers of this process and the clock of Redis may differ by a millisecond.
    bench = { counters: await open(), pass: (ms) => sleep(ms + 5), key };
  });

  describe('limits', () => describeTaking(() => bench));
  describe('buckets', () => describeBuckets(() => bench));
  describe('slots', () => describeSlots(() => bench));
  describe('windows', () => describeWindows(() => bench));
});

describe.skipIf(url === undefined)('two nodes', () => {
  // A node that is starved for longer than its patience with Redis counts for itself, and rightly
  // admits more. That is another test's matter, so such a run is repeated.
  it('admit 100 of 500 requests at once for 100 points', { retry: 3 }, async () => {
    const nodes = [await open(), await open()];
    const limit = rate(key(), 100);
    const startedMs = Date.now();
    const answers = await Promise.all(
      Array.from({ length: 500 }, (_, index) => nodes[index % 2]?.take([limit])),
    );
    const flowedIn = Math.floor((Date.now() - startedMs) / 600);
    const count = answers.filter((answer) => answer?.refused === undefined).length;
    expect(messages).toEqual([]);
    expect(count).toBeGreaterThanOrEqual(100);
    expect(count).toBeLessThanOrEqual(100 + flowedIn);
  });

  it('admit 100 of 500 requests at once for 100 slots', { retry: 3 }, async () => {
    const nodes = [await open(), await open()];
    const name = key();
    const answers = await Promise.all(
      Array.from({ length: 500 }, (_, index) =>
        nodes[index % 2]?.take([slotOf(name, 100, String(index))]),
      ),
    );
    expect(messages).toEqual([]);
    expect(answers.filter((answer) => answer?.refused === undefined)).toHaveLength(100);
  });

  it('see what the other one took, gave back and released', async () => {
    const [one, other] = [await open(), await open()];
    const [bucket, slots] = [key(), key()];
    await one.take([rate(bucket, 2, 2), slotOf(slots, 1, 'a')]);
    expect(await other.take([rate(bucket, 2)])).toMatchObject({ refused: 0 });
    one.adjust(bucket, 2, 1);
    one.release(slots, 'a');
    await one.take([]);
    const both = await other.take([rate(bucket, 2), slotOf(slots, 1, 'b')]);
    expect(both.refused).toBeUndefined();
  });
});

describe.skipIf(url === undefined)('a node without Redis', () => {
  let cut: Cut;
  let counters: RedisCounters;

  beforeEach(async () => {
    cut = await openCut(url ?? '');
    counters = await open(cut.url);
    messages = [];
  });

  afterEach(async () => {
    await counters.close();
    await cut.down().catch(() => undefined);
  });

  /** Three takes of a bucket of two: a node that counts for itself admits two of them. */
  async function countsForItself(): Promise<void> {
    const limit = rate(key(), 2);
    const answers = await Promise.all([1, 2, 3].map(() => counters.take([limit])));
    expect(answers.map(({ refused }) => refused)).toEqual([undefined, undefined, 0]);
  }

  it('counts for itself when the connection is cut, also under way, and says so once', async () => {
    const limit = rate(key(), 1_000);
    const underWay = Array.from({ length: 20 }, () => counters.take([limit]));
    await cut.down();
    const answers = await Promise.all(underWay);
    expect(answers.filter(({ refused }) => refused !== undefined)).toEqual([]);
    await countsForItself();
    counters.adjust(limit.key, 1_000, 1);
    counters.release(key(), 'a');
    await vi.waitFor(() =>
      expect(messages).toEqual(['redis is away: each node limits for itself']),
    );
  });

  it('counts for itself when Redis is silent, and shares again when it answers', async () => {
    cut.hold();
    await countsForItself();
    expect(messages).toEqual(['redis is away: each node limits for itself']);
    await cut.down();
    await cut.up();
    await vi.waitFor(
      () => expect(messages.at(-1)).toBe('redis answers again: limits are shared between nodes'),
      { timeout: 10_000 },
    );
    const name = key();
    await counters.take([slotOf(name, 1, 'a')]);
    const other = await open();
    expect(await other.take([slotOf(name, 1, 'b')])).toMatchObject({ refused: 0 });
  });

  it('shares again when only one answer was late', async () => {
    cut.hold();
    await counters.take([rate(key(), 1)]);
    cut.go();
    await vi.waitFor(async () => {
      await counters.take([rate(key(), 1)]);
      expect(messages.at(-1)).toBe('redis answers again: limits are shared between nodes');
    }, 10_000);
  });

  it('counts for itself after it was closed, without a failure', async () => {
    await counters.close();
    await countsForItself();
    counters.adjust(key(), 1, 1);
    counters.release(key(), 'a');
  });
});

describe('a node that never reaches Redis', () => {
  it('starts, waits no longer than it was told, and counts for itself', async () => {
    const counters = new RedisCounters('redis://127.0.0.1:1', log());
    opened.push(counters);
    await counters.ready(10);
    const limit = rate(key(), 1);
    expect((await counters.take([limit])).refused).toBeUndefined();
    expect((await counters.take([limit])).refused).toBe(0);
  });
});
