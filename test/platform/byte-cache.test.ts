import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { afterAll, describe, expect, it } from 'vitest';
import { type ByteCache, VALUE_BYTES_MAX } from '../../src/platform/byte-cache/byte-cache.js';
import { MemoryByteCache } from '../../src/platform/byte-cache/memory.js';
import { RedisByteCache } from '../../src/platform/byte-cache/redis.js';
import { Keyring } from '../../src/platform/keyring.js';
import { serviceRedisUrl } from '../support/database.js';

const url = await serviceRedisUrl();
const log = pino({ level: 'silent' });
const opened: ByteCache[] = [];
afterAll(() => Promise.all(opened.map((cache) => cache.close())));

function kept<C extends ByteCache>(cache: C): C {
  opened.push(cache);
  return cache;
}

const bytes = (text: string) => Buffer.from(text);
const text = async (cache: ByteCache, key: string) => (await cache.get(key))?.toString();

function describeKeeping(make: () => ByteCache) {
  it('gives back what was kept, until its time is over', async () => {
    const cache = kept(make());
    const [key, short] = [randomUUID(), randomUUID()];
    await expect
      .poll(() => {
        cache.put(key, bytes('привет'), 60_000);
        return text(cache, key);
      })
      .toBe('привет');
    cache.put(short, bytes('x'), 50);
    await expect.poll(() => text(cache, short)).toBeUndefined();
    expect(await text(cache, randomUUID())).toBeUndefined();
  });

  it('does not keep what is too large', async () => {
    const cache = kept(make());
    const key = randomUUID();
    cache.put(key, Buffer.alloc(VALUE_BYTES_MAX + 1), 60_000);
    expect(await cache.get(key)).toBeUndefined();
  });
}

describe('in memory', () => {
  describeKeeping(() => new MemoryByteCache());

  it('is bounded: the least recently used goes first', async () => {
    const cache = kept(new MemoryByteCache(1_000));
    for (const key of ['a', 'b']) cache.put(key, Buffer.alloc(450), 60_000);
    await cache.get('a');
    cache.put('c', Buffer.alloc(450), 60_000);
    const found = await Promise.all(['a', 'b', 'c'].map((key) => cache.get(key)));
    expect(found.map((each) => each?.length)).toEqual([450, undefined, 450]);
  });
});

describe.skipIf(url === undefined)('in Redis', () => {
  const secret = 'the secret of a test, nothing else';
  const make = (of = secret) => new RedisByteCache(url ?? '', new Keyring({ secret: of }), log);
  describeKeeping(make);

  it('is sealed: neither Redis nor a node with another secret reads a word', async () => {
    const [one, same, stranger] = [
      kept(make()),
      kept(make()),
      kept(make('another secret of a test')),
    ];
    const key = randomUUID();
    await expect
      .poll(() => {
        one.put(key, bytes('тайна'), 60_000);
        return text(same, key);
      })
      .toBe('тайна');
    expect(await text(stranger, key)).toBeUndefined();
    const redis = new Redis(url ?? '');
    const stored = await redis.getBuffer(`gw:bytes:${key}`);
    redis.disconnect();
    expect(stored?.includes('тайна')).toBe(false);
  });
});

it('a Redis that is not there keeps and finds nothing, and nobody waits for it', async () => {
  const cache = kept(
    new RedisByteCache('redis://127.0.0.1:1', new Keyring({ secret: 'a secret' }), log),
  );
  cache.put('key', bytes('x'), 60_000);
  expect(await cache.get('key')).toBeUndefined();
});
