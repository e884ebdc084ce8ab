import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Customer, newCustomer, rest } from '../../support/app.js';
import { packedAnswer, vectorsAnswer } from '../clients/answers.js';
import { booksOf, startWorld, usageOf, type World } from '../clients/world.js';

let world: World;
let customer: Customer;
beforeAll(async () => {
  world = await startWorld();
  customer = await newCustomer(world.app, 100);
});
afterAll(() => world?.stop());

function post<T = Record<string, unknown>>(path: string, body: unknown) {
  return rest<T>(world.app, 'POST', path, { credential: customer.key, body });
}

const CHAT = '/v1/chat/completions';
const PIXEL = 'data:image/png;base64,iVBORw0KGgo=';

/** Every field of the wire that clients send, and two that nobody knows. */
const WHOLE_BODY = {
  model: 'main/chat',
  messages: [
    { role: 'developer', content: 'Отвечай кратко.' },
    { role: 'system', content: [{ type: 'text', text: 'Будь вежлив.' }] },
    {
      role: 'user',
      name: 'ivan',
      content: [
        { type: 'text', text: 'Что на снимке? "model":"не то" 🙂' },
        { type: 'image_url', image_url: { url: PIXEL, detail: 'low' } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'see', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'кот' },
  ],
  max_completion_tokens: 50,
  tools: [
    { type: 'function', function: { name: 'see', parameters: { type: 'object' }, strict: true } },
  ],
  tool_choice: 'auto',
  parallel_tool_calls: false,
  response_format: { type: 'json_object' },
  reasoning_effort: 'low',
  stop: ['\n\n', 'КОНЕЦ'],
  seed: 7,
  logit_bias: { 50256: -100 },
  logprobs: true,
  top_logprobs: 2,
  n: 1,
  user: 'u-1',
  service_tier: 'auto',
  metadata: { feature: 'vision', client_id: 'acme', own: 'value' },
  temperature: 0,
  top_p: 0.5,
  presence_penalty: -1,
  frequency_penalty: 0.25,
  unknown_field: { deep: [1, null, 'x'] },
  store: false,
};

/** The same as a provider gets to see it: metadata is the gateway's. */
const { metadata: _metadata, ...TOLD_BODY } = WHOLE_BODY;

describe('a request reaches the provider as it was sent, under the name of its model', () => {
  it('with every field and unknown ones', async () => {
    await world.script('main', {});
    const answer = await post(CHAT, WHOLE_BODY);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-gw-ignored-fields')).toBe(null);
    expect(await world.bodies('main')).toEqual([{ ...TOLD_BODY, model: 'chat' }]);
  });

  it('with text that the database would not take', async () => {
    await world.script('main', {});
    const messages = [{ role: 'user', content: 'a\u0000b' }];
    expect((await post(CHAT, { model: 'main/chat', messages })).status).toBe(200);
    expect(await world.bodies('main')).toEqual([{ model: 'chat', messages }]);
  });

  it('as a stream, with usage asked for', async () => {
    await world.script('main', {});
    await post(CHAT, { ...WHOLE_BODY, stream: true });
    const added = { stream: true, stream_options: { include_usage: true } };
    expect(await world.bodies('main')).toEqual([{ ...TOLD_BODY, ...added, model: 'chat' }]);
  });

  it('with max_tokens under its own name, and without the key of the customer', async () => {
    await world.script('main', {});
    await post(CHAT, { model: 'main/chat', messages: WHOLE_BODY.messages, max_tokens: 9 });
    const [request] = await world.received('main');
    expect(JSON.parse(request?.body ?? '')).toMatchObject({ model: 'chat', max_tokens: 9 });
    expect(request?.headers).not.toHaveProperty('authorization');
    expect(JSON.stringify(request)).not.toContain(customer.key);
  });

  it('embeddings, with every form of input', async () => {
    const inputs = ['один', ['один', 'два'], [1, 2, 3], [[1], [2, 3]]];
    for (const input of inputs) {
      const count = Array.isArray(input) && typeof input[0] !== 'number' ? input.length : 1;
      await world.script('main', vectorsAnswer(...Array.from({ length: count }, () => [1, 0])));
      const body = { model: 'main/embed', input, dimensions: 2, user: 'u-1', unknown_field: 1 };
      const answer = await post<{ data: unknown[] }>('/v1/embeddings', body);
      expect(answer.body.data).toHaveLength(count);
      expect(await world.bodies('main')).toEqual([{ ...body, model: 'embed' }]);
    }
  });
});

describe('embeddings come in the encoding that was asked for', () => {
  const VECTOR = [0.5, -0.25, 1e-7, 3.4e38];
  const bytes = Buffer.alloc(16);
  VECTOR.forEach((value, index) => {
    bytes.writeFloatLE(value, index * 4);
  });
  const BASE64 = bytes.toString('base64');

  it.each([
    ['floats', vectorsAnswer],
    ['base64', packedAnswer],
  ])('of a provider that answers %s', async (_name, answer) => {
    await world.script('main', answer(VECTOR));
    const forms = [undefined, 'float', 'base64'].map(async (encoding_format) => {
      const body = { model: 'main/embed', input: 'один', encoding_format };
      const { body: said } = await post<{ data: { embedding: unknown }[] }>('/v1/embeddings', body);
      return said.data[0]?.embedding;
    });
    const [unsaid, float, base64] = await Promise.all(forms);
    expect(base64).toBe(BASE64);
    expect(unsaid).toEqual(float);
    expect((float as number[]).map(Math.fround)).toEqual(VECTOR.map(Math.fround));
  });
});

describe('usage is what the provider says', () => {
  it('a zero is a zero and costs nothing', async () => {
    const usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
    await world.script('main', { usage });
    for (const stream of [false, true]) {
      const before = await booksOf(world, customer);
      const answer = await post(CHAT, {
        model: 'main/chat',
        messages: WHOLE_BODY.messages,
        stream,
      });
      expect(answer.status).toBe(200);
      if (!stream) expect(answer.body.usage).toMatchObject(usage);
      const [row] = await usageOf(world, customer);
      expect(row).toMatchObject({ usage_source: 'upstream', amount_rub: 0, status: 'complete' });
      expect((await booksOf(world, customer)).balance).toBe(before.balance);
    }
  });

  it.each([
    ['cached inside the input', { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }],
    ['cached beside the input', { prompt_tokens: 60, completion_tokens: 10, total_tokens: 110 }],
  ])('%s is the same vector and the same price', async (_name, figures) => {
    const usage = {
      ...figures,
      prompt_tokens_details: { cached_tokens: 40 },
      completion_tokens_details: { reasoning_tokens: 4 },
    };
    await world.script('main', { usage });
    const answer = await post<{ usage: unknown }>(CHAT, {
      model: 'main/chat',
      messages: WHOLE_BODY.messages,
    });
    expect(answer.body.usage).toMatchObject({ prompt_tokens: 100, total_tokens: 110 });
    const [row] = await usageOf(world, customer);
    expect(row?.tokens).toEqual({
      input_uncached: 60,
      input_cached: 40,
      cache_write: 0,
      output_text: 6,
      output_reasoning: 4,
    });
    // 60 at 100, 40 at 30, 6 at 200 and 4 at 150 micro-rubles.
    expect(row?.amount_rub).toBe(0.009);
  });

  it('none at all is counted here and said to be an estimate', async () => {
    await world.script('main', { usage: null });
    const answer = await post(CHAT, { model: 'main/chat', messages: WHOLE_BODY.messages });
    expect(answer.body.gw_routing).toMatchObject({ usage_source: 'estimated' });
    const [row] = await usageOf(world, customer);
    expect(row).toMatchObject({ usage_source: 'estimated', status: 'complete' });
    expect(row?.amount_rub).toBeGreaterThan(0);
  });
});
