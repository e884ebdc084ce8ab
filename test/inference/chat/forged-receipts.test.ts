import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Customer, newCustomer, rest } from '../../support/app.js';
import { LIVE, LIVE_EMBEDDINGS, type LiveApp, startLiveApp } from '../../support/live-app.js';
import type { Behaviour } from '../../support/upstream-double.mjs';
import { type Body, VOICES } from '../money/world.js';

let app: LiveApp;
let customer: Customer;
let other: Customer;
let masked: Customer;
beforeAll(async () => {
  app = await startLiveApp();
  customer = await newCustomer(app, 1_000);
  other = await newCustomer(app, 1_000);
  masked = await newCustomer(app, 1_000);
  const policy = { name: 'own', firewall: { email: 'mask' } };
  await rest(app, 'POST', '/v1/gw/policies', { credential: masked.token, body: policy });
});
afterAll(() => app.stop());
beforeEach(() => app.double.script('live', {}));

/** What a provider would like clients to read, in the spellings of JSON. */
const FORGED = [
  '"gw_routing":{"cost_rub":0,"model":"forged"}',
  '"gw_firewall":{"verdict":"forged"}',
  '"\\u0067w_prompt":"forged"',
  '"g\\u0077_context":["forged"]',
  '"gw\\u005Funknown":"forged"',
].join(',');

/** Says the name of a receipt itself, which is its text and stays. */
const SAYS = 'gw_routing is "gw_routing": {}';
const WORDS = JSON.stringify(SAYS);
const USAGE = '"prompt_tokens":5,"completion_tokens":7,"total_tokens":12';

/** An answer as its provider writes it, with members before those of each level. */
const whole = (own: string) =>
  `{${own}"id":"a","object":"chat.completion","created":1,"model":"model","choices":[{${own}` +
  `"index":0,"message":{${own}"role":"assistant","content":${WORDS}},"finish_reason":"stop"}],` +
  `"usage":{${own}${USAGE}}}`;
const chunk = (own: string, delta: string, finish: string, more = '') =>
  `data: {${own}"id":"a","object":"chat.completion.chunk","created":1,"model":"model","choices":` +
  `[{${own}"index":0,"delta":{${own}${delta}},"finish_reason":${finish}}]${more}}\n\n`;
const stream = (own: string) =>
  chunk(own, '"role":"assistant","content":""', 'null') +
  chunk(own, `"content":${WORDS}`, 'null', ',"usage":null') +
  chunk(own, '"content":""', '"stop"') +
  `data: {${own}"id":"a","choices":[],"usage":{${own}${USAGE}}}\n\n` +
  'data: [DONE]\n\n';

const WHOLE = { 'content-type': 'application/json' };
const STREAM = { 'content-type': 'text/event-stream' };
const answering = (own: string, streamed: boolean): Behaviour =>
  streamed ? { raw: stream(own), headers: STREAM } : { raw: whole(own), headers: WHOLE };

/** Where names of the gateway stand in an answer, at any depth outside of its own receipts. */
function ownNames(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const isOwn = name.startsWith('gw_');
    return isOwn ? [`${path}${name}`] : ownNames(inner, `${path}${name}.`);
  });
}

const RECEIPTS = ['gw_routing', 'gw_slo', 'gw_firewall'];

let asked = 0;
function fresh(more: Body = {}): Body {
  asked += 1;
  const content = `Вопрос ${asked}?`;
  return { model: LIVE, max_tokens: 100, messages: [{ role: 'user', content }], ...more };
}

const textOf = (chunks: readonly Body[]) =>
  (chunks as { choices: { delta?: Body; message?: Body }[] }[])
    .map(({ choices: [choice] }) => choice?.delta?.content ?? choice?.message?.content ?? '')
    .join('');

describe.each(VOICES)('what a provider writes under names of the gateway, %s', (name, voice) => {
  const streamed = name.endsWith('streamed');

  it('never reaches a client, who reads the receipts alone and all that was said', async () => {
    app.double.script('live', answering(`${FORGED},`, streamed));
    for (const { key } of [customer, other]) {
      const body = fresh(streamed ? { stream_options: { include_usage: true } } : {});
      const { chunks, failure } = await voice(app, key, body);
      expect([failure, textOf(chunks)]).toEqual([undefined, SAYS]);
      expect(JSON.stringify(chunks)).not.toContain('forged');
      const [last, ...before] = [...chunks].reverse();
      expect([before.flatMap((each) => ownNames(each)), ownNames(last)]).toEqual([[], RECEIPTS]);
      expect(last?.gw_routing).toMatchObject({ model: LIVE, provider: 'live' });
    }
  });

  it('never reaches one whose answers are rewritten', async () => {
    const { raw = '', headers } = answering(`${FORGED},`, streamed);
    app.double.script('live', { raw: raw.replace('gw_routing is', 'ivan@corp.ru'), headers });
    const { chunks } = await voice(app, masked.key, fresh());
    expect(JSON.stringify(chunks)).not.toContain('forged');
    expect(textOf(chunks)).toBe(SAYS.replace('gw_routing is', '[email]'));
  });
});

async function bytes(body: Body): Promise<string> {
  const response = await fetch(`${app.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return response.text();
}

describe('an honest provider', () => {
  it('has its bytes relayed as they came, though it says such names', async () => {
    const delta = '"role":"assistant", "content":"gw_"';
    const raw = chunk('', delta, 'null', ',  "note":{"gw_kept":1}');
    app.double.script('live', { raw: `${raw}${stream('')}`, headers: STREAM });
    const relayed = raw.replace('"model":"model"', `"model":"${LIVE}"`);
    expect((await bytes(fresh({ stream: true }))).startsWith(relayed)).toBe(true);
    const message = `{"role":"assistant", "content":${WORDS},"refusal":null, "more":{"gw_a":1}}`;
    const said =
      `{ "id":"gw_a","model":"${LIVE}","choices":[{"index":0,"message":${message},"logprobs":null` +
      `,"finish_reason":"stop"}],"usage":{${USAGE},"prompt_tokens_details":{"cached_tokens":0},` +
      '"completion_tokens_details":{"reasoning_tokens":0}}';
    app.double.script('live', { raw: `${said}}`, headers: WHOLE });
    expect((await bytes(fresh())).startsWith(`${said},"gw_routing":`)).toBe(true);
  });
});

describe('a stream that is cut at odd places', () => {
  it.each([1, 7, 64])('loses forged members all the same, in pieces of %i', async (splitBytes) => {
    const insert = chunk(`${FORGED},`, '"content":"ложь "', 'null');
    app.double.script('live', { insertAfter: 2, insert, splitBytes });
    const told = await bytes(fresh({ stream: true }));
    expect(told).toContain('ложь ');
    expect(told).not.toContain('forged');
    expect(told.match(/gw_routing/g)).toHaveLength(1);
  });
});

describe('an answer that is kept', () => {
  it.each([true, false])('is kept without forged members: streamed first %s', async (first) => {
    const kept = { contract_key: 'default', exact_cache_enabled: true, exact_cache_seconds: 600 };
    const path = '/v1/gw/workloads/contracts';
    await rest(app, 'POST', path, { credential: customer.token, body: kept });
    const body = fresh();
    app.double.script('live', answering(`${FORGED},`, first));
    const before = app.double.received('live').length;
    for (const streamed of [first, first, !first]) {
      const told = await bytes({ ...body, stream: streamed });
      expect(told).toContain('gw_routing is ');
      expect(told).not.toContain('forged');
    }
    expect(app.double.received('live')).toHaveLength(before + 1);
  });
});

describe('embeddings', () => {
  it('come without forged members', async () => {
    const raw =
      `{${FORGED},"object":"list","model":"embed","data":[{${FORGED},"object":"embedding",` +
      `"index":0,"embedding":[1,0.5]}],"usage":{${FORGED},"prompt_tokens":1,"total_tokens":1}}`;
    app.double.script('live', { raw, headers: WHOLE });
    const body = { model: LIVE_EMBEDDINGS, input: 'a' };
    const answer = await rest(app, 'POST', '/v1/embeddings', { credential: customer.key, body });
    expect(ownNames(answer.body)).toEqual(RECEIPTS);
    expect(JSON.stringify(answer.body)).not.toContain('forged');
    expect(answer.body.data).toEqual([{ object: 'embedding', index: 0, embedding: [1, 0.5] }]);
  });
});
