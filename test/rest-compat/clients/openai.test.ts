import OpenAI, { APIError } from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Customer, newCustomer } from '../../support/app.js';
import { callsAnswer, callsStream, packedAnswer, vectorsAnswer } from './answers.js';
import { type ClientUnderTest, itShowsFailures } from './failures.js';
import { booksOf, startWorld, USUAL_COST_RUB, USUAL_TEXT, type World } from './world.js';

let world: World;
let customer: Customer;
let client: OpenAI;
beforeAll(async () => {
  world = await startWorld();
  customer = await newCustomer(world.app, 100);
  client = new OpenAI({ apiKey: customer.key, baseURL: world.baseUrl, maxRetries: 0 });
});
afterAll(() => world?.stop());

const MESSAGES = [{ role: 'user' as const, content: 'Какая погода в Казани?' }];
const TOOL = {
  type: 'function' as const,
  function: {
    name: 'weather',
    description: 'The weather of a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};
const CALL = { name: 'weather', arguments: { city: 'Казань' } };
/** 12 uncached at 100, 8 cached at 30 and 5 out at 200 micro-rubles. */
const SCRIPTED_COST_RUB = 0.00244;

describe('chat', () => {
  it('answers whole, with usage and receipts, and charges the price of the usage', async () => {
    await world.script('main', {});
    const before = await booksOf(world, customer);
    const answer = await client.chat.completions.create({ model: 'main/chat', messages: MESSAGES });
    expect(answer.choices[0]?.message).toEqual({
      role: 'assistant',
      content: USUAL_TEXT,
      refusal: null,
    });
    expect(answer.model).toBe('main/chat');
    expect(answer.usage).toEqual({
      prompt_tokens: 11,
      completion_tokens: 7,
      total_tokens: 18,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    });
    expect(answer).toMatchObject({
      gw_routing: { provider: 'main', cost_rub: USUAL_COST_RUB },
      gw_slo: { met: true },
      gw_firewall: { verdict: 'pass' },
    });
    const after = await booksOf(world, customer);
    expect(after.charges[0]).toBe(USUAL_COST_RUB);
    expect(after.balance).toBeCloseTo(before.balance - USUAL_COST_RUB, 6);
    expect(await world.bodies('main')).toEqual([{ model: 'chat', messages: MESSAGES }]);
  });

  it('streams the same text with usage, by the iterator and by the helper', async () => {
    await world.script('main', {});
    const stream = await client.chat.completions.create({
      model: 'main/chat',
      messages: MESSAGES,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = '';
    let usage: unknown;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      usage = chunk.usage ?? usage;
    }
    expect(text).toBe(USUAL_TEXT);
    expect(usage).toMatchObject({ prompt_tokens: 11, completion_tokens: 7 });
    const helper = client.chat.completions.stream({ model: 'main/chat', messages: MESSAGES });
    expect((await helper.finalMessage()).content).toBe(USUAL_TEXT);
    expect((await booksOf(world, customer)).charges.slice(0, 2)).toEqual([
      USUAL_COST_RUB,
      USUAL_COST_RUB,
    ]);
  });

  it('a stream that breaks is an error for the client, and what came is charged', async () => {
    await world.script('main', { cutAfter: 4 });
    const before = await booksOf(world, customer);
    const stream = client.chat.completions.stream({ model: 'main/chat', messages: MESSAGES });
    await expect(stream.finalMessage()).rejects.toThrow(APIError);
    const after = await booksOf(world, customer);
    expect(after.charges).toHaveLength(before.charges.length + 1);
    expect(after.held).toBe(0);
  });
});

describe('tools', () => {
  for (const choice of ['auto', { type: 'function', function: { name: 'weather' } }] as const) {
    const kind = choice === 'auto' ? 'automatic' : 'forced';

    it(`a call by ${kind} choice comes through, whole and streamed`, async () => {
      await world.script('main', callsAnswer(CALL), callsStream(CALL));
      const body = { model: 'main/chat', messages: MESSAGES, tools: [TOOL], tool_choice: choice };
      const whole = await client.chat.completions.create(body);
      expect(whole.choices[0]).toMatchObject({
        finish_reason: 'tool_calls',
        message: { tool_calls: [{ id: 'call_0', function: { name: 'weather' } }] },
      });
      const streamed = await client.chat.completions.stream(body).finalMessage();
      expect(streamed.tool_calls).toMatchObject([
        { id: 'call_0', function: { name: 'weather', arguments: '{"city":"Казань"}' } },
      ]);
      const sent = { ...body, model: 'chat' };
      const streamOptions = { stream: true, stream_options: { include_usage: true } };
      expect(await world.bodies('main')).toEqual([sent, { ...sent, ...streamOptions }]);
      expect((await booksOf(world, customer)).charges.slice(0, 2)).toEqual([
        SCRIPTED_COST_RUB,
        SCRIPTED_COST_RUB,
      ]);
    });
  }

  it('the helper runs a tool and sends its result back', async () => {
    await world.script('main', callsAnswer(CALL), {});
    const runner = client.chat.completions.runTools({
      model: 'main/chat',
      messages: MESSAGES,
      tools: [
        {
          type: 'function',
          function: {
            ...TOOL.function,
            parse: JSON.parse,
            function: ({ city }: { city: string }) => `${city}: +5`,
          },
        },
      ],
    });
    expect(await runner.finalContent()).toBe(USUAL_TEXT);
    const [, second] = await world.bodies('main');
    expect((second?.messages as unknown[] | undefined)?.at(-1)).toEqual({
      role: 'tool',
      tool_call_id: 'call_0',
      content: 'Казань: +5',
    });
  });
});

it('structured output is asked for by schema and parsed', async () => {
  const answer = z.object({ city: z.string(), degrees: z.number() });
  await world.script('main', { text: '{"city":"Казань","degrees":5}' });
  const parsed = await client.chat.completions.parse({
    model: 'main/chat',
    messages: MESSAGES,
    response_format: zodResponseFormat(answer, 'weather'),
  });
  expect(parsed.choices[0]?.message.parsed).toEqual({ city: 'Казань', degrees: 5 });
  const [sent] = await world.bodies('main');
  expect(sent?.response_format).toMatchObject({
    type: 'json_schema',
    json_schema: { name: 'weather', strict: true },
  });
});

describe('embeddings', () => {
  const VECTOR = [0.1, -0.25, 1e-7, 0];
  const ROUNDED = VECTOR.map(Math.fround);

  it('are equal by the default base64 and by float, whatever the provider sends', async () => {
    const request = { model: 'main/embed', input: ['один', 'два'] };
    const float = { ...request, encoding_format: 'float' as const };
    for (const answer of [vectorsAnswer, packedAnswer]) {
      await world.script('main', answer(VECTOR, ROUNDED));
      const packed = await client.embeddings.create(request);
      const plain = await client.embeddings.create(float);
      expect(packed.data.map(({ embedding }) => embedding.map(Number))).toEqual([ROUNDED, ROUNDED]);
      expect(plain.data.map(({ embedding }) => embedding.map(Math.fround))).toEqual([
        ROUNDED,
        ROUNDED,
      ]);
      expect(packed).toMatchObject({ model: 'main/embed', usage: { prompt_tokens: 6 } });
      expect((await booksOf(world, customer)).charges[0]).toBe(0.0006);
    }
  });

  it('token arrays reach the provider as they are', async () => {
    await world.script('main', vectorsAnswer([1], [0]));
    const input = [
      [1, 2],
      [3, 4],
    ];
    await client.embeddings.create({ model: 'main/embed', input, encoding_format: 'float' });
    expect(await world.bodies('main')).toEqual([
      { model: 'embed', input, encoding_format: 'float' },
    ]);
  });
});

it('models are listed and found by ids with slashes and colons', async () => {
  const ids: string[] = [];
  for await (const model of client.models.list()) ids.push(model.id);
  expect(ids).toEqual(expect.arrayContaining(['gw:auto', 'main/chat', 'main/embed']));
  for (const id of ['gw:auto', 'main/chat']) {
    expect(await client.models.retrieve(id)).toMatchObject({ id, object: 'model' });
  }
});

const openai: ClientUnderTest = {
  async ask({ baseUrl, key, model, retries, temperature, fetch }) {
    const asking = new OpenAI({ apiKey: key, baseURL: baseUrl, maxRetries: retries, fetch });
    const body = { model, messages: MESSAGES, temperature };
    const answer = await asking.chat.completions.create(body);
    return answer.choices[0]?.message.content ?? '';
  },
  seen(error) {
    if (!(error instanceof APIError)) throw error;
    return { status: error.status, code: error.code };
  },
};

describe('failures', () => itShowsFailures(openai, () => world));
