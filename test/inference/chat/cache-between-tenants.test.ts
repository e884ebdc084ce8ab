import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkInvariants } from '../../../src/money/ledger/invariants.js';
import { type Customer, graphql, newCustomer, rest } from '../../support/app.js';
import { LIVE, type LiveApp, startLiveApp } from '../../support/live-app.js';
import { subscribed } from '../wire/world.js';

let app: LiveApp;
let customers: Customer[];
beforeAll(async () => {
  app = await startLiveApp();
  customers = [await newCustomer(app, 1_000), await newCustomer(app, 1_000)];
  for (const who of customers) {
    const contract = {
      contract_key: 'default',
      exact_cache_enabled: true,
      exact_cache_seconds: 600,
    };
    const answer = await rest(app, 'POST', '/v1/gw/workloads/contracts', {
      credential: who.token,
      body: contract,
    });
    expect(answer.status).toBe(200);
  }
});
afterAll(() => app.stop());

const PROMPTS = ['Привет', 'Сколько будет дважды два?', 'Hello', ' Привет', 'привет'];

/** How a request is made; each gives the text of the answer and what the cache did. */
const VOICES = {
  async whole(who: Customer, content: string) {
    const { body } = await rest<Record<string, never>>(app, 'POST', '/v1/chat/completions', {
      credential: who.key,
      body: { model: LIVE, max_tokens: 100, messages: [{ role: 'user', content }] },
    });
    const { choices, gw_routing: routing } = body as unknown as {
      choices: { message: { content: string } }[];
      gw_routing: { cache: { status: string } };
    };
    return { text: choices[0]?.message.content, status: routing.cache.status };
  },
  async stream(who: Customer, content: string) {
    const response = await fetch(`${app.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${who.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: LIVE,
        max_tokens: 100,
        messages: [{ role: 'user', content }],
        stream: true,
      }),
    });
    const chunks = dataOf(await response.text());
    const text = chunks.map(({ choices }) => choices[0]?.delta?.content ?? '').join('');
    return { text, status: chunks.at(-1)?.gw_routing?.cache.status };
  },
  async typed(who: Customer, content: string) {
    const { data } = await graphql<{ chatComplete: Typed }>(
      app,
      `mutation ($input: ChatInput!) { chatComplete(input: $input) {
        choices { message { content } } gwRouting { cache { status } } } }`,
      { input: inputOf(content) },
      who.key,
    );
    const { choices, gwRouting } = data.chatComplete;
    return { text: choices[0]?.message?.content, status: gwRouting?.cache.status };
  },
  async subscription(who: Customer, content: string) {
    const { text: events } = await subscribed(
      app,
      who.key,
      `subscription ($input: ChatInput!) { chatStream(input: $input) {
        choices { delta { content } } gwRouting { cache { status } } } }`,
      { input: inputOf(content) },
    );
    const pieces = dataOf<{ data: { chatStream: Typed } }>(events).map(
      ({ data }) => data.chatStream,
    );
    const text = pieces.map(({ choices }) => choices[0]?.delta?.content ?? '').join('');
    return { text, status: pieces.at(-1)?.gwRouting?.cache.status };
  },
};

interface Typed {
  readonly choices: readonly {
    readonly message?: { readonly content: string };
    readonly delta?: { readonly content: string | null } | null;
  }[];
  readonly gwRouting: { readonly cache: { readonly status: string } } | null;
}

interface Chunk {
  readonly choices: readonly { readonly delta?: { readonly content?: string } }[];
  readonly gw_routing?: { readonly cache: { readonly status: string } };
}

function dataOf<T = Chunk>(events: string): T[] {
  return [...events.matchAll(/^data: (\{.*)$/gm)].map(([, line]) => JSON.parse(line ?? '') as T);
}

function inputOf(text: string) {
  return { model: LIVE, maxTokens: 100, messages: [{ role: 'user', parts: [{ text }] }] };
}

it('never crosses organizations, whoever asks what in whichever voice and order', async () => {
  const steps = fc.sample(
    fc.record({
      who: fc.nat({ max: 1 }),
      prompt: fc.nat({ max: PROMPTS.length - 1 }),
      voice: fc.constantFrom('whole', 'stream', 'typed', 'subscription'),
    }),
    { numRuns: 160, seed: 7 },
  );
  let hits = 0;
  for (const [index, { who, prompt, voice }] of steps.entries()) {
    // What the provider would say now is said for this organization alone.
    app.double.script('live', { text: `organization ${who} step ${index}` });
    const [customer, content] = [customers[who] as Customer, PROMPTS[prompt] as string];
    const { text, status } = await VOICES[voice as keyof typeof VOICES](customer, content);
    expect(text).toMatch(new RegExp(`^organization ${who} step \\d+$`));
    if (status === 'hit') hits += 1;
    else expect(text).toBe(`organization ${who} step ${index}`);
  }
  // Two organizations, five prompts and two forms of answer are asked for at first.
  expect(hits).toBeGreaterThan(100);
});

it('nothing stays held, and the books hold', async () => {
  expect(await checkInvariants(app.owner.pool)).toEqual([]);
});
