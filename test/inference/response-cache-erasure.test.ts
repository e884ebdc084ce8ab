import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { AuthorizedCtx } from '../../src/graph/ctx.js';
import { ResponseCache } from '../../src/inference/response-cache/response-cache.js';
import type { CacheWay } from '../../src/inference/response-cache/way.js';
import type { ChosenRoute } from '../../src/inference/stages/route.js';
import type { UpstreamAnswer } from '../../src/inference/upstream/call.js';
import { MemoryByteCache } from '../../src/platform/byte-cache/memory.js';
import type { Listener } from '../../src/platform/database/listen.js';

const DEPLOYMENT = { key: 'deployment' };
const ROUTE = { chain: [DEPLOYMENT] } as unknown as ChosenRoute;
const WAY = {
  identity: 'same',
  keepMs: 60_000,
  isFresh: false,
  form: 'whole',
} as unknown as CacheWay;

function ctxOf(tenantId: string): AuthorizedCtx {
  return { who: { tenantId }, signal: new AbortController().signal } as unknown as AuthorizedCtx;
}

function answerOf(text: string): UpstreamAnswer {
  const body = Buffer.from(text);
  return { kind: 'whole', deployment: DEPLOYMENT, body } as unknown as UpstreamAnswer;
}

/** Asks, and lets the answer be kept. @returns what it says */
async function ask(cache: ResponseCache, tenantId: string, text: string): Promise<string> {
  const turn = await cache.answer(ctxOf(tenantId), WAY, ROUTE, async () => answerOf(text));
  turn.done('kept');
  return turn.answer.kind === 'whole' ? turn.answer.body.toString() : '';
}

/** A listener whose connection the test breaks. */
function listening() {
  const told: Record<string, (payload: string) => void> = {};
  const lost: (() => void)[] = [];
  const listener = {
    listen: async (channel: string, handler: (payload: string) => void) => {
      told[channel] = handler;
    },
    onDisconnected: (callback: () => void) => lost.push(callback),
    onConnected: vi.fn(),
  } as unknown as Listener;
  return { listener, told, lose: () => lost.map((each) => each()) };
}

describe('an answer of an organization that erases its personal data', () => {
  it('is not kept where it was under way at the erasure; that of another one is', async () => {
    const cache = new ResponseCache(new MemoryByteCache());
    const { listener, told } = listening();
    await cache.follow(listener);
    const open = await Promise.all(
      ['one', 'two'].map((tenant) =>
        cache.answer(ctxOf(tenant), WAY, ROUTE, async () => answerOf('before')),
      ),
    );
    told.gw_erased?.('one');
    for (const turn of open) turn.done('kept');
    expect(await ask(cache, 'one', 'after')).toBe('after');
    expect(await ask(cache, 'two', 'after')).toBe('before');
    expect(await ask(cache, 'one', 'later')).toBe('after');
  });

  it('reaches nobody who waits for it; each calls for itself and leaves nothing', async () => {
    const cache = new ResponseCache(new MemoryByteCache());
    const { listener, told } = listening();
    await cache.follow(listener);
    const tenants = ['one', 'two'];
    const open = await Promise.all(
      tenants.map((tenant) =>
        cache.answer(ctxOf(tenant), WAY, ROUTE, async () => answerOf('before')),
      ),
    );
    const waiting = tenants.map((tenant) => ask(cache, tenant, `${tenant} waited`));
    await nextTurn();
    told.gw_erased?.('one');
    for (const turn of open) turn.done('kept');
    expect(await Promise.all(waiting)).toEqual(['one waited', 'before']);
    expect(await ask(cache, 'one', 'after')).toBe('after');
  });

  it('is left to nobody where its client leaves after the erasure', async () => {
    const cache = new ResponseCache(new MemoryByteCache());
    const { listener, told } = listening();
    await cache.follow(listener);
    const turn = await cache.answer(ctxOf('one'), WAY, ROUTE, async () => answerOf('before'));
    const waiting = ask(cache, 'one', 'waited');
    await nextTurn();
    told.gw_erased?.('one');
    turn.done('left');
    expect(await waiting).toBe('waited');
    expect(await ask(cache, 'one', 'after')).toBe('after');
  });

  it('is not found by one who looked before the erasure', async () => {
    const bytes = new MemoryByteCache();
    const cache = new ResponseCache(bytes);
    const { listener, told } = listening();
    await cache.follow(listener);
    expect(await ask(cache, 'one', 'before')).toBe('before');
    const looking = ask(cache, 'one', 'asked');
    const kept = cache.kept(ctxOf('two'), WAY, ROUTE);
    told.gw_erased?.('one');
    expect([await looking, await kept]).toEqual(['asked', undefined]);
    expect(await ask(cache, 'two', 'of two')).toBe('of two');
    const found = cache.kept(ctxOf('two'), WAY, ROUTE);
    expect((await found)?.cachedMs).toEqual(expect.any(Number));
    const overtaken = cache.kept(ctxOf('two'), WAY, ROUTE);
    told.gw_erased?.('two');
    expect(await overtaken).toBeUndefined();
  });

  it('is dropped from memory where the word of an erasure may have been lost', async () => {
    const cache = new ResponseCache(new MemoryByteCache());
    const { listener, lose } = listening();
    await cache.follow(listener);
    expect(await ask(cache, 'one', 'before')).toBe('before');
    lose();
    expect(await ask(cache, 'one', 'after')).toBe('after');
  });
});
