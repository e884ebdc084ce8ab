import { describe, expect, it } from 'vitest';
import type { Listener, NotificationHandler } from '../../src/platform/database/listen.js';
import { TenantMemory } from '../../src/platform/tenant-memory.js';

/** A memory with the database's voice in the hand of the test. */
async function followed() {
  const handlers = new Map<string, NotificationHandler>();
  const lost: (() => void)[] = [];
  const found: (() => void)[] = [];
  const listener: Listener = {
    async listen(channel, handler) {
      handlers.set(channel, handler);
      return () => {};
    },
    onDisconnected(callback) {
      lost.push(callback);
      return () => {};
    },
    onConnected(callback) {
      found.push(callback);
      return () => {};
    },
    tell(channel, payload) {
      handlers.get(channel)?.(payload);
    },
    async close() {},
  };
  const memory = new TenantMemory<string>();
  await memory.follow(listener);
  let reads = 0;
  const ask = (key: string, tenantId: string, until: Promise<void> = Promise.resolve()) =>
    memory.read(
      key,
      async () => {
        reads += 1;
        const own = reads;
        await until;
        return `${key}#${own}`;
      },
      (value) => ({ tenantId, value }),
    );
  return {
    memory,
    ask,
    reads: () => reads,
    change: (tenantId: string) => handlers.get('gw_access')?.(tenantId),
    lose: () => {
      for (const callback of lost) callback();
    },
    find: () => {
      for (const callback of found) callback();
    },
  };
}

describe('what a node remembers of tenants', () => {
  it('is read once for all who ask at the same time', async () => {
    const { ask, reads, memory } = await followed();
    const answers = await Promise.all(Array.from({ length: 250 }, () => ask('k', 't')));
    expect(new Set(answers)).toEqual(new Set(['k#1']));
    expect(reads()).toBe(1);
    expect(memory.known('k')).toBe('k#1');
  });

  it('is dropped by a change of its tenant, and not by one of another', async () => {
    const { ask, memory, change } = await followed();
    await ask('k', 't');
    change('other');
    expect(memory.known('k')).toBe('k#1');
    change('t');
    expect(memory.known('k')).toBeUndefined();
  });

  it('never keeps a read that a change overtook, and nobody later joins it', async () => {
    const { ask, memory, change } = await followed();
    let release = () => {};
    const promised = new Promise<void>((resolve) => {
      release = resolve;
    });
    const first = ask('k', 't', promised);
    change('t');
    const second = ask('k', 't');
    expect(await second).toBe('k#2');
    release();
    expect(await first).toBe('k#1');
    expect(memory.known('k')).not.toBe('k#1');
  });

  it('is not kept while notifications may be lost', async () => {
    const { ask, memory, lose, find } = await followed();
    await ask('k', 't');
    lose();
    expect(memory.known('k')).toBeUndefined();
    await ask('k', 't');
    expect(memory.known('k')).toBeUndefined();
    find();
    await ask('k', 't');
    expect(memory.known('k')).toBe('k#3');
  });

  it('lets the next one read again after a failed read', async () => {
    const { memory, ask } = await followed();
    const failing = memory.read(
      'k',
      () => Promise.reject(new Error('away')),
      () => undefined,
    );
    await expect(failing).rejects.toThrow('away');
    expect(await ask('k', 't')).toBe('k#1');
  });
});
