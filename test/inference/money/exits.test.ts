import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { releaseLostHolds } from '../../../src/app/timers.js';
import { checkInvariants } from '../../../src/money/ledger/invariants.js';
import { newCustomer, rest } from '../../support/app.js';
import type { Behaviour } from '../../support/upstream-double.mjs';
import { latest, type MoneyWorld, SHORT, startMoneyWorld, textOf, VOICES } from './world.js';

let world: MoneyWorld;

beforeAll(async () => {
  world = await startMoneyWorld();
});

afterAll(async () => {
  await world.stop();
});

const EVENTS = { headers: { 'content-type': 'text/event-stream' } };
const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
const chunk = (delta: object, finish: string | null) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const said = (content: string) => event(chunk({ content }, null));
const done = `${event(chunk({}, 'stop'))}data: [DONE]\n\n`;

/** Each in one read with good content before and after it. */
const MALFORMED: readonly (readonly [string, Behaviour])[] = [
  [
    'an event cut in the middle',
    {
      raw: `${said('а')}data: {"choices":[{"delta":{"content":"б"\n\n${said('в')}${done}`,
      ...EVENTS,
    },
  ],
  ['an event that is no JSON', { raw: `${said('а')}data: oops\n\n${said('в')}${done}`, ...EVENTS }],
  [
    'an event that is a list',
    { raw: `${said('а')}data: [1, 2]\n\n${said('в')}${done}`, ...EVENTS },
  ],
  ['an event that is null', { raw: `${said('а')}data: null\n\n${said('в')}${done}`, ...EVENTS }],
  [
    'choices that are no list',
    { raw: `${said('а')}data: {"choices": 5}\n\n${said('в')}${done}`, ...EVENTS },
  ],
  [
    'choices that are texts',
    { raw: `${said('а')}data: {"choices": ["x", null]}\n\n${said('в')}${done}`, ...EVENTS },
  ],
  [
    'usage that is a text',
    { raw: `${said('а')}data: {"choices": [], "usage": "many"}\n\n${said('в')}${done}`, ...EVENTS },
  ],
  [
    'bytes that are no UTF-8',
    { raw: `${said('а')}data: {"choices":[{"delta":{"content":"\ud800"}}]}\n\n${done}`, ...EVENTS },
  ],
];

const streams = VOICES.filter(([name]) => name.includes('streamed'));

describe.each(streams)('a malformed event in the same read as good content (%s)', (_name, ask) => {
  it.each(MALFORMED)('%s leaves neither a hold nor a slot behind', async (_what, behaviour) => {
    await world.double.script('own', behaviour);
    const customer = await newCustomer(world, 100);
    await rest(world, 'POST', '/v1/gw/policies', {
      credential: customer.token,
      body: { name: 'narrow', limits: { concurrency: 1 } },
    });
    for (let round = 0; round < 2; round += 1) {
      const told = await ask(world, customer.key, SHORT);
      if (told.failure === undefined) expect(textOf(told)).toMatch(/^а/);
      else expect(told.failure).toBe('stream_cut');
      const booked = await latest(world, customer);
      expect(['finalized', 'delivered', 'released']).toContain(booked.state);
    }
    await expect
      .poll(() => rest(world, 'GET', '/billing/balance', { credential: customer.token }))
      .toMatchObject({ body: { held_rub: 0 } });
  });
});

const BROKEN: readonly (readonly [string, Behaviour])[] = [
  ['no choices', { raw: '{"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 5}}' }],
  [
    'choices that are texts',
    { raw: '{"choices": ["x"], "usage": {"prompt_tokens": 5, "completion_tokens": 5}}' },
  ],
  ['a message that is a text', { raw: '{"choices": [{"index": 0, "message": "x"}]}' }],
  ['no JSON', { raw: '{"choices": [{' }],
  [
    'ten thousand levels',
    { raw: `{"choices": [{"message": ${'['.repeat(10_000)}${']'.repeat(10_000)}}]}` },
  ],
  ['nothing', { raw: '' }],
  ['a cut answer', { cutAfter: 1 }],
  ['a reset', { reset: true }],
];

describe.each(VOICES)('an upstream that breaks (%s)', (_name, ask) => {
  it.each(BROKEN)('with %s costs nothing and leaves nothing held', async (_what, behaviour) => {
    await world.double.script('own', behaviour);
    const customer = await newCustomer(world, 100);
    const told = await ask(world, customer.key, SHORT);
    const { body } = await rest<{ held_rub: number }>(world, 'GET', '/billing/balance', {
      credential: customer.token,
    });
    expect(body.held_rub).toBe(0);
    if (told.failure) expect(['upstream_failed', 'upstream_unavailable']).toContain(told.failure);
  });
});

describe('a fault of the gateway itself', () => {
  it.each(streams)(
    'in the middle of a stream releases the hold and the slot (%s)',
    async (_name, ask) => {
      await world.double.script('own', {});
      const customer = await newCustomer(world, 100);
      const { ledger } = world.server.services;
      const checkpoint = ledger.settle;
      let struck = 0;
      ledger.settle = (op) => {
        struck += 1;
        ledger.settle = checkpoint;
        return Promise.reject(new Error(`planted in ${op.requestId}`));
      };
      const told = await ask(world, customer.key, SHORT);
      ledger.settle = checkpoint;
      expect([struck, told.failure]).toEqual([1, 'internal_error']);
      const { services } = world.server;
      await expect.poll(() => services.openRequests.size).toBe(0);
    },
  );
});

const QUERIES = {
  plain: 'mutation A($input: ChatCompletionRequest!) { chatCompletionCreate(input: $input) }',
  streamed:
    'subscription A($input: ChatCompletionRequest!) { chatCompletionStream(input: $input) }',
};
const KEYED: readonly (readonly [voice: string, path: string, body: object])[] = [
  ['REST-plain', '/v1/chat/completions', SHORT],
  ['REST-streamed', '/v1/chat/completions', { ...SHORT, stream: true }],
  ['GraphQL-plain', '/graphql', { query: QUERIES.plain, variables: { input: SHORT } }],
  ['GraphQL-streamed', '/graphql', { query: QUERIES.streamed, variables: { input: SHORT } }],
];

describe('a client that leaves with a key', () => {
  it.each(KEYED)('keeps its hold for as long as its answer is made (%s)', async (...given) => {
    const [voice, path, body] = given;
    await world.double.script('own', { delayMs: 1_200 });
    const customer = await newCustomer(world, 100);
    const { services } = world.server;
    const leaving = new AbortController();
    const asked = fetch(world.url + path, {
      method: 'POST',
      signal: leaving.signal,
      headers: {
        'content-type': 'application/json',
        accept: voice.startsWith('GraphQL-s') ? 'text/event-stream' : 'application/json',
        authorization: `Bearer ${customer.key}`,
        'idempotency-key': `left-${voice}`,
      },
      body: JSON.stringify(body),
    });
    const held = `SELECT state FROM hold WHERE account_id = '${customer.accountId}'`;
    await expect.poll(async () => (await world.owner.pool.query(held)).rows).toHaveLength(1);
    leaving.abort();
    await asked.catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 300));
    const now = performance.now.bind(performance);
    const later = vi.spyOn(performance, 'now').mockImplementation(() => now() + 60_000);
    const lost = await releaseLostHolds(services, 0).finally(() => later.mockRestore());
    expect(lost).toEqual([]);
    await expect.poll(() => services.openRequests.size, { timeout: 10_000 }).toBe(0);
    await expect
      .poll(() => latest(world, customer))
      .toMatchObject({ state: 'delivered', status: 'complete' });
  });
});

describe('a client that leaves a stream with a key', () => {
  it('is never given an empty answer, however long the answer was', async () => {
    // More than is kept of a stream.
    const saying = (delta: object, finish: string | null = null) => event(chunk(delta, finish));
    const long = saying({ padding: 'p'.repeat(1_000_000), content: 'a' });
    await world.double.script('own', {
      raw: `${saying({ content: 'a' })}${long.repeat(6)}${saying({}, 'stop')}data: [DONE]\n\n`,
      ...EVENTS,
    });
    const customer = await newCustomer(world, 100);
    const leaving = new AbortController();
    const ask = (signal?: AbortSignal) =>
      fetch(`${world.url}/v1/chat/completions`, {
        method: 'POST',
        signal: signal ?? null,
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${customer.key}`,
          'idempotency-key': 'left-a-long-stream',
        },
        body: JSON.stringify({ ...SHORT, stream: true }),
      });
    const first = await ask(leaving.signal);
    await first.body?.getReader().read();
    leaving.abort();
    await expect.poll(() => world.server.services.openRequests.size, { timeout: 20_000 }).toBe(0);
    await expect
      .poll(() => latest(world, customer))
      .toMatchObject({ state: 'delivered', status: 'complete' });
    await expect.poll(async () => (await ask()).status).toBe(409);
    expect(await (await ask()).json()).toMatchObject({
      error: { code: 'idempotency_answer_not_kept' },
    });
  });
});

describe('a client that leaves while its subscription begins', () => {
  it('leaves no hold, no slot and no key behind', async () => {
    await world.double.script('own', { gapMs: 5 });
    const customer = await newCustomer(world, 100);
    const query = `subscription A($input: ChatCompletionRequest!) {
      chatCompletionStream(input: $input) }`;
    const ask = (key: string | undefined, signal?: AbortSignal) =>
      fetch(`${world.url}/graphql`, {
        method: 'POST',
        signal: signal ?? null,
        headers: {
          accept: 'text/event-stream',
          'content-type': 'application/json',
          authorization: `Bearer ${customer.key}`,
          ...(key === undefined ? {} : { 'idempotency-key': key }),
        },
        body: JSON.stringify({ query, variables: { input: SHORT } }),
      }).then((answer) => answer.text());
    const { services } = world.server;
    for (let cut = 0; cut < 30; cut += 1) {
      const key = cut % 2 === 0 ? `cut-${cut}` : undefined;
      await ask(key, AbortSignal.timeout(1 + (cut % 15))).catch(() => undefined);
    }
    await expect.poll(() => services.openRequests.size, { timeout: 10_000 }).toBe(0);
    const { rows } = await world.owner.pool.query(
      "SELECT count(*)::int AS open FROM hold WHERE account_id = $1 AND state = 'open'",
      [customer.accountId],
    );
    expect(rows).toEqual([{ open: 0 }]);
    for (let cut = 0; cut < 30; cut += 2) {
      await expect.poll(() => ask(`cut-${cut}`), { timeout: 10_000 }).toContain('gw_routing');
    }
  });
});

describe('after all of it', () => {
  it('nothing is under way, and the books hold', async () => {
    const { services } = world.server;
    await expect.poll(() => services.openRequests.size).toBe(0);
    expect(services.ledger.gauges().lostHolds).toBe(0);
    expect(await checkInvariants(world.owner.pool)).toEqual([]);
  });
});
