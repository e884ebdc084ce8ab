import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { cacheWish } from '../../../src/inference/response-cache/control.rules.js';
import { streamOf, wholeOf } from '../../../src/inference/response-cache/either-form.js';
import { checkInvariants } from '../../../src/money/ledger/invariants.js';
import { type Customer, graphql, newCustomer, rest } from '../../support/app.js';
import { LIVE, type LiveApp, startLiveApp } from '../../support/live-app.js';

let app: LiveApp;
let customer: Customer;
let other: Customer;
beforeAll(async () => {
  app = await startLiveApp();
  customer = await newCustomer(app, 1_000);
  other = await newCustomer(app, 1_000);
  for (const who of [customer, other]) {
    await publish(who, { contract_key: 'default' });
    await publish(who, { contract_key: 'apart', exact_cache_by_client: true });
  }
});
afterAll(async () => {
  expect(await checkInvariants(app.owner.pool)).toEqual([]);
  await app.stop();
});
beforeEach(() => app.double.script('live', {}));

type Body = Record<string, unknown>;

async function publish(who: Customer, more: Body) {
  const body = { exact_cache_enabled: true, exact_cache_seconds: 600, ...more };
  const path = '/v1/gw/workloads/contracts';
  expect((await rest(app, 'POST', path, { credential: who.token, body })).status).toBe(200);
}

let asked = 0;
/** A request that no test has made before. */
function fresh(more: Body = {}): Body {
  asked += 1;
  const content = `Форма, вопрос ${asked}?`;
  return { model: LIVE, max_tokens: 100, messages: [{ role: 'user', content }], ...more };
}

const calls = () => app.double.received('live').length;

interface Asking {
  readonly who?: Customer;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

function post(body: Body, { who = customer, headers = {}, signal }: Asking = {}) {
  const json = { 'content-type': 'application/json' };
  return fetch(`${app.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${who.key}`, ...json, ...headers },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
}

interface Chat {
  readonly choices: readonly { readonly message: { readonly content: string } }[];
  readonly usage: Body;
  readonly gw_routing: { readonly cost_rub: number; readonly cache: { readonly status: string } };
}

async function whole(body: Body, asking?: Asking): Promise<Chat> {
  const response = await post(body, asking);
  expect(response.status).toBe(200);
  return (await response.json()) as Chat;
}

const status = async (body: Body, asking?: Asking) =>
  (await whole(body, asking)).gw_routing.cache.status;

/** The events of a stream, as they are on the wire, and its chunks. */
async function streamed(body: Body, asking?: Asking) {
  const response = await post({ ...body, stream: true }, asking);
  const events = (await response.text()).split('\n\n');
  expect(events.slice(-2)).toEqual(['data: [DONE]', '']);
  const chunks = events.slice(0, -2).map((event) => {
    expect(event.startsWith('data: {')).toBe(true);
    return JSON.parse(event.slice('data: '.length));
  });
  const text = chunks.map((chunk) => chunk.choices[0]?.delta?.content ?? '').join('');
  const reasons = chunks.flatMap((chunk) => chunk.choices[0]?.finish_reason ?? []);
  return { chunks, text, reasons, last: chunks.at(-1) };
}

describe('a kept answer', () => {
  it('of a plain request is streamed, with usage where it is asked for, as a hit', async () => {
    const body = fresh();
    const first = await whole(body);
    const before = calls();
    const options = { stream_options: { include_usage: true } };
    const { chunks, text, reasons, last } = await streamed({ ...body, ...options });
    expect(calls()).toBe(before);
    expect([text, reasons]).toEqual([first.choices[0]?.message.content, ['stop']]);
    for (const chunk of chunks) expect(chunk.object).toBe('chat.completion.chunk');
    expect(chunks[0].choices[0].delta.role).toBe('assistant');
    expect(last.usage).toEqual(first.usage);
    expect(last.gw_routing.cache.status).toBe('hit');
    expect(last.gw_routing.cost_rub).toBeCloseTo(first.gw_routing.cost_rub / 10, 9);
    const without = await streamed(body);
    expect(without.chunks.every((chunk) => chunk.usage == null)).toBe(true);
  });

  it('of a stream is answered whole, as a hit; of another tenant it is none', async () => {
    const body = fresh();
    const first = await streamed(body);
    const before = calls();
    const answer = await whole(body);
    expect(calls()).toBe(before);
    expect(answer.choices[0]?.message.content).toBe(first.text);
    expect(answer.gw_routing.cache.status).toBe('hit');
    expect(answer.gw_routing.cost_rub).toBeCloseTo(first.last.gw_routing.cost_rub / 10, 9);
    expect(await status(body, { who: other })).toBe('miss');
  });

  it('says the same in either form, whatever its text', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('stop', 'length'), (content, finish_reason) => {
        const message = { role: 'assistant', content };
        const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
        const choices = [{ index: 0, message, logprobs: null, finish_reason }];
        const answer = {
          id: 'x',
          created: 1,
          model: 'm',
          object: 'chat.completion',
          choices,
          usage,
        };
        const stream = streamOf(Buffer.from(JSON.stringify(answer)));
        const back = stream && wholeOf(stream);
        expect(JSON.parse(String(back?.body))).toEqual(answer);
      }),
    );
  });

  it('has no other form where it calls tools or has several choices', () => {
    const chunk = (choice: Body) => ({
      events: Buffer.from(`data: ${JSON.stringify({ id: 'x', choices: [choice] })}\n\n`),
      usage: undefined,
    });
    expect(wholeOf(chunk({ index: 1, delta: { content: 'a' } }))).toBeUndefined();
    expect(wholeOf(chunk({ index: 0, delta: { tool_calls: [] } }))).toBeUndefined();
    expect(streamOf(Buffer.from('{"choices":[{},{}]}'))).toBeUndefined();
    expect(streamOf(Buffer.from('no json'))).toBeUndefined();
  });
});

describe('cache-control', () => {
  it('no-cache asks anew and keeps; no-store neither reads nor keeps', async () => {
    const body = fresh();
    const noStore = { headers: { 'cache-control': 'no-store' } };
    const noCache = { headers: { 'cache-control': 'no-cache, max-age=0' } };
    expect(await status(body, noStore)).toBe('closed');
    app.double.script('live', { text: 'первый' });
    expect(await status(body)).toBe('miss');
    app.double.script('live', { text: 'второй' });
    expect((await whole(body, noStore)).choices[0]?.message.content).toBe('второй');
    expect((await whole(body)).choices[0]?.message.content).toBe('первый');
    const anew = await whole(body, noCache);
    expect([anew.choices[0]?.message.content, anew.gw_routing.cache.status]).toEqual([
      'второй',
      'miss',
    ]);
    expect((await whole(body)).choices[0]?.message.content).toBe('второй');
  });

  it('is stated in metadata where there are no headers, in GraphQL as in REST', async () => {
    const body = fresh();
    await whole(body);
    const metadata = { cache_control: 'no-store' };
    expect(await status({ ...body, metadata })).toBe('closed');
    const mutation = `mutation ($input: ChatCompletionRequest!) {
      chatCompletionCreate(input: $input) }`;
    const asking = async (input: Body) =>
      (await graphql<{ chatCompletionCreate: Chat }>(app, mutation, { input }, customer.key)).data
        .chatCompletionCreate.gw_routing.cache.status;
    expect(await asking({ ...body, metadata })).toBe('closed');
    expect(await asking({ ...body, metadata: { cache_control: 'no-cache' } })).toBe('miss');
    expect(await asking(body)).toBe('hit');
  });

  it('is read as HTTP has it', () => {
    expect(cacheWish('max-age=0, No-Store')).toEqual({ isFresh: false, isApart: true });
    expect(cacheWish(undefined, 'no-cache')).toEqual({ isFresh: true, isApart: false });
    expect(cacheWish(7, 'public')).toEqual({ isFresh: false, isApart: false });
  });
});

it('answers are kept apart by client_id where the contract says so, else shared', async () => {
  const body = fresh();
  const of = (client_id: string | undefined, workload: string) =>
    status({ ...body, metadata: { workload, ...(client_id && { client_id }) } });
  expect([await of('a', 'apart'), await of('b', 'apart'), await of(undefined, 'apart')]).toEqual([
    'miss',
    'miss',
    'miss',
  ]);
  expect([await of('a', 'apart'), await of('b', 'apart')]).toEqual(['hit', 'hit']);
  expect([await of('a', 'default'), await of('b', 'default')]).toEqual(['miss', 'hit']);
});

describe('of equal requests at the same time', () => {
  it('the next one leads where the first leaves: twenty make two calls', async () => {
    for (const stream of [false, true]) {
      app.double.script('live', { delayMs: 1_000 });
      const body = fresh();
      const before = calls();
      const leaving = new AbortController();
      const first = post({ ...body, stream }, { signal: leaving.signal }).catch(() => 'left');
      await expect.poll(calls).toBe(before + 1);
      const others = Array.from({ length: 19 }, (_, at) =>
        at % 2 === 0 ? whole(body) : streamed(body),
      );
      leaving.abort();
      expect(await first).toBe('left');
      await Promise.all(others);
      expect(calls()).toBe(before + 2);
    }
  });

  it('the next one leads where the first fails, and the others have its answer', async () => {
    const body = fresh();
    app.double.script('live', { status: 400, delayMs: 1_500 });
    const before = calls();
    const first = post(body);
    await expect.poll(calls).toBe(before + 1);
    app.double.script('live', {});
    const others = Array.from({ length: 19 }, () => whole(body));
    expect((await first).status).toBe(400);
    await Promise.all(others);
    expect(calls()).toBe(before + 2);
  });
});
