import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Customer, newCustomer } from '../../support/app.js';
import { eventsAnswer } from '../clients/answers.js';
import {
  booksOf,
  customerUnder,
  startWorld,
  USUAL_TEXT,
  usageOf,
  type World,
} from '../clients/world.js';
import { readStreamed, type Streamed } from './streamed.js';

let world: World;
let customer: Customer;
beforeAll(async () => {
  world = await startWorld();
  customer = await newCustomer(world.app, 100);
});
afterAll(() => world?.stop());
afterEach(() => void vi.useRealTimers());

const MESSAGES = [{ role: 'user', content: 'Здравствуйте' }];

function open(
  model: string,
  more: Record<string, unknown> = {},
  { key }: Customer = customer,
): Promise<Response> {
  return fetch(`${world.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: MESSAGES, stream: true, ...more }),
  });
}

async function stream(model = 'main/chat', more: Record<string, unknown> = {}): Promise<Streamed> {
  const streamed = await readStreamed(await open(model, more));
  expect(streamed.status).toBe(200);
  return streamed;
}

const WITH_USAGE = { stream_options: { include_usage: true } };
const HEAD = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'chat' };

function delta(added: Record<string, unknown>, finish_reason: string | null = null) {
  return { ...HEAD, choices: [{ index: 0, delta: added, finish_reason }] };
}

describe('events', () => {
  it('are chunks with choices, a role first and a terminator last', async () => {
    await world.script('main', {});
    const { lines, chunks, done, text } = await stream();
    expect(lines.filter((line) => !line.startsWith('data: '))).toEqual([]);
    for (const chunk of chunks) {
      expect(chunk).toMatchObject({ object: 'chat.completion.chunk', model: 'main/chat' });
      expect(Array.isArray(chunk.choices)).toBe(true);
    }
    expect(chunks[0]?.choices?.[0]?.delta?.role).toBe('assistant');
    expect(done).toBe(true);
    expect(text).toBe(USUAL_TEXT);
  });

  it('have a role first also where the provider leaves it out', async () => {
    await world.script('main', eventsAnswer([delta({ content: 'Да.' }), delta({}, 'stop')]));
    const { chunks, text } = await stream();
    expect(chunks[0]?.choices?.[0]?.delta).toMatchObject({ role: 'assistant' });
    expect(text).toBe('Да.');
  });

  it('of a provider that are no chunks, comments and names do not reach the client', async () => {
    const said = [delta({ role: 'assistant', content: 'Да.' }), delta({}, 'stop')];
    const [first, last] = said.map(
      (chunk) => `event: message\nid: 1\ndata: ${JSON.stringify(chunk)}`,
    );
    const raw = [': busy', first, 'data: {"type":"ping"}', ': busy', last, 'data: [DONE]'];
    await world.script('main', {
      raw: raw.map((event) => `${event}\n\n`).join(''),
      headers: { 'content-type': 'text/event-stream' },
    });
    const { lines, chunks, text, done } = await stream();
    expect(lines.filter((line) => !line.startsWith('data: '))).toEqual([]);
    expect(chunks.filter(({ choices }) => !Array.isArray(choices))).toEqual([]);
    expect([text, done]).toEqual(['Да.', true]);
  });
});

it('events that the firewall rewrites keep all of this', async () => {
  const guarded = await customerUnder(world, { firewall: { email: 'mask' } });
  const messages = [{ role: 'user', content: 'Ответьте на ivan@romashka.ru' }];
  await world.script('main', { text: 'Пишите на anna@romashka.ru' });
  const response = await open('main/chat', { ...WITH_USAGE, messages }, guarded);
  const { chunks, text, done } = await readStreamed(response);
  expect(JSON.stringify(await world.bodies('main'))).not.toContain('ivan@romashka.ru');
  expect(text).toMatch(/^Пишите на /);
  expect(text).not.toContain('anna@romashka.ru');
  expect(chunks[0]?.choices?.[0]?.delta?.role).toBe('assistant');
  expect(new Set(chunks.map(({ model }) => model))).toEqual(new Set(['main/chat']));
  expect(new Set(chunks.slice(0, -1).map(({ usage }) => usage))).toEqual(new Set([null]));
  expect(chunks.at(-1)).toMatchObject({
    usage: { prompt_tokens: 11 },
    gw_firewall: { masked: [{ class: 'email', count: 1 }] },
  });
  expect(done).toBe(true);
});

describe('usage and receipts', () => {
  it('come on the usage chunk where usage was asked for, and the others say null', async () => {
    const bare = [delta({ role: 'assistant', content: 'Да.' }), delta({}, 'stop')];
    const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
    const scripts = [{}, eventsAnswer([...bare, { ...HEAD, choices: [], usage }])];
    for (const script of scripts) {
      await world.script('main', script);
      const { chunks, done } = await stream('main/chat', WITH_USAGE);
      const last = chunks.at(-1);
      expect(last).toMatchObject({
        choices: [],
        usage: { ...usage, prompt_tokens_details: { cached_tokens: 0 } },
        gw_routing: { usage_source: 'upstream' },
        gw_slo: expect.any(Object),
        gw_firewall: expect.any(Object),
      });
      expect(chunks.slice(0, -1).map((chunk) => chunk.usage)).toEqual(
        chunks.slice(0, -1).map(() => null),
      );
      expect(done).toBe(true);
    }
  });

  it('else receipts come on a trailing chunk, and no usage is forwarded', async () => {
    const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
    // Some providers put usage on the chunk that ends a choice, asked or not.
    const early = eventsAnswer([
      delta({ role: 'assistant', content: 'Да.' }),
      { ...delta({}, 'stop'), usage },
    ]);
    for (const script of [{}, early]) {
      await world.script('main', script);
      const { chunks } = await stream();
      expect(chunks.at(-1)).toMatchObject({
        choices: [],
        gw_routing: { usage_source: 'upstream' },
      });
      expect(chunks.filter((chunk) => chunk.usage)).toEqual([]);
      expect(chunks.slice(0, -1).filter((chunk) => chunk.gw_routing)).toEqual([]);
    }
  });

  it('usage is asked of the provider whether or not the client asks', async () => {
    await world.script('main', {});
    await stream();
    await stream('main/chat', WITH_USAGE);
    await stream('main/chat', { stream_options: { include_usage: false, extra: 1 } });
    const asked = (await world.bodies('main')).map((body) => body.stream_options);
    expect(asked).toEqual([
      { include_usage: true },
      { include_usage: true },
      { include_usage: true, extra: 1 },
    ]);
  });

  it('what a provider does not count is counted here', async () => {
    await world.script('main', { usage: null });
    const { chunks } = await stream('main/chat', WITH_USAGE);
    const last = chunks.at(-1);
    expect(last?.gw_routing).toMatchObject({ usage_source: 'estimated' });
    expect(last?.usage?.completion_tokens).toBeGreaterThan(5);
  });
});

describe('a failure after the first byte', () => {
  it.each([
    ['a cut', 'main', { cutAfter: 3 }],
    ['an error of the provider', 'main', { errorAfter: 3 }],
    ['silence', 'silent', { silentAfter: 3 }],
  ] as const)('%s is told as an error, without a terminator', async (_name, lane, behaviour) => {
    await world.script(lane, behaviour);
    const before = await booksOf(world, customer);
    const { chunks, done, lines } = await stream(`${lane}/chat`);
    const last = chunks.at(-1);
    expect(Object.keys(last ?? {})).toEqual(['error']);
    expect(last?.error).toMatchObject({
      message: expect.any(String),
      type: 'upstream_error',
      code: 'stream_cut',
      request_id: expect.any(String),
    });
    expect(done).toBe(false);
    expect(lines).not.toContain('data: [DONE]');
    const after = await booksOf(world, customer);
    expect([after.charges.length, after.held]).toEqual([before.charges.length + 1, 0]);
    expect((await usageOf(world, customer))[0]).toMatchObject({ status: 'partial' });
  });
});

describe('another provider', () => {
  it('takes over until the first content, and the client sees one clean stream', async () => {
    await world.script('main', {});
    await world.script('spare', { cutAfter: 1 });
    const { chunks, text, done } = await stream('spare/chat');
    expect([text, done]).toEqual([USUAL_TEXT, true]);
    expect(chunks.filter(({ choices }) => choices?.[0]?.delta?.role)).toHaveLength(1);
    expect(new Set(chunks.map(({ model }) => model))).toEqual(new Set(['main/chat']));
    expect(chunks.at(-1)?.gw_routing).toMatchObject({
      requested_model: 'spare/chat',
      model: 'main/chat',
      fallbacks: [{ model: 'spare/chat' }],
    });
  });

  it('does not after it', async () => {
    await world.script('main', {});
    await world.script('spare', { cutAfter: 3 });
    const { chunks, done } = await stream('spare/chat');
    expect(chunks.at(-1)?.error).toBeDefined();
    expect(done).toBe(false);
    expect(await world.received('main')).toEqual([]);
  });
});

describe('the response', () => {
  it('is not to be buffered, changed or compressed on the way', async () => {
    await world.script('main', {});
    const { headers } = await stream();
    expect(headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(headers.get('cache-control')).toBe('no-cache, no-transform');
    expect(headers.get('x-accel-buffering')).toBe('no');
    expect(headers.get('content-encoding')).toBe(null);
    expect(headers.get('x-gw-model')).toBe('main/chat');
  });

  it('begins and is kept alive by comments while the provider thinks', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    await world.script('main', { firstByteDelayMs: 1_500 });
    const opening = open('main/chat');
    await expect.poll(() => world.received('main')).toHaveLength(1);
    vi.advanceTimersByTime(15_000);
    const response = await opening;
    expect(response.status).toBe(200);
    const { lines, text, done } = await readStreamed(response);
    expect(lines[0]).toBe(': ping');
    expect([text, done]).toEqual([USUAL_TEXT, true]);
  });

  it('that has begun tells a failure of the provider as an event', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    await world.script('slow', { delayMs: 1_000, status: 400 });
    const before = await booksOf(world, customer);
    const opening = open('slow/chat');
    await expect.poll(() => world.received('slow')).toHaveLength(1);
    vi.advanceTimersByTime(15_000);
    const { lines, chunks, done } = await readStreamed(await opening);
    expect(lines[0]).toBe(': ping');
    expect(chunks).toEqual([{ error: expect.objectContaining({ code: 'upstream_rejected' }) }]);
    expect(done).toBe(false);
    expect(await booksOf(world, customer)).toEqual(before);
  });
});
