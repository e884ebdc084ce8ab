import { afterEach, describe, expect, it } from 'vitest';
import { LiveCredentials } from '../../src/app/live-credentials.js';
import type { Services } from '../../src/graph/ctx.js';

/** A node whose notifications are told by hand; credentials are good until they end. */
function newNode() {
  const handlers = new Map<string, (payload: string) => void>();
  const ended = new Set<string>();
  const asked: string[] = [];
  const services = {
    listener: {
      listen: async (channel: string, handler: (payload: string) => void) => {
        handlers.set(channel, handler);
      },
      onConnected: () => {},
    },
    authenticator: {
      identify: async (shown: string) => {
        asked.push(shown);
        await new Promise((resolve) => setImmediate(resolve));
        return ended.has(shown) ? {} : { who: { kind: 'user' } };
      },
    },
  };
  const live = new LiveCredentials(services as unknown as Services);
  return { live, asked, ended, tell: (tenantId: string) => handlers.get('gw_access')?.(tenantId) };
}

let close = () => {};
afterEach(() => close());

describe('a socket or feed', () => {
  it('ends also when its credential ended between the look at it and the watch', async () => {
    const { live, ended, tell } = newNode();
    close = () => live.close();
    await live.follow();
    const { lookedAt } = live;
    // Looked at here, and found good.
    ended.add('a token');
    tell('a tenant');
    const end = new Promise<void>((resolve) => {
      const lease = {
        authorization: 'a token',
        tenantId: 'a tenant',
        address: '127.0.0.1',
        expiresAtMs: undefined,
      };
      live.add({ ...lease, isFeed: true, end: resolve }, lookedAt);
    });
    await end;
  });

  it('is looked at once with all that lives on its credential, whatever changes come', async () => {
    const { live, ended, tell, asked } = newNode();
    close = () => live.close();
    await live.follow();
    const open = new Set<number>();
    const add = (index: number, authorization: string) => {
      open.add(index);
      const end = () => void open.delete(index);
      const lease = { authorization, tenantId: 'a tenant', address: '127.0.0.1' };
      live.add({ ...lease, expiresAtMs: undefined, isFeed: true, end }, live.lookedAt);
    };
    for (let index = 0; index < 100; index += 1) add(index, index < 50 ? 'one' : 'another');
    for (let change = 0; change < 100; change += 1) tell('a tenant');
    ended.add('one');
    tell('a tenant');
    await expect.poll(() => open.size).toBe(50);
    await expect.poll(() => asked.filter((shown) => shown === 'another').length).toBe(2);
    // One look was under way, and one came behind all changes.
    expect(asked.length).toBeLessThanOrEqual(4);
  });

  it('is not asked about again where nothing has changed', async () => {
    const { live, ended } = newNode();
    close = () => live.close();
    await live.follow();
    ended.add('a token');
    let isEnded = false;
    const lease = {
      authorization: 'a token',
      tenantId: 'a tenant',
      address: '127.0.0.1',
      expiresAtMs: undefined,
    };
    const end = () => {
      isEnded = true;
    };
    live.add({ ...lease, isFeed: true, end }, live.lookedAt);
    await new Promise((resolve) => setImmediate(resolve));
    expect(isEnded).toBe(false);
  });
});
