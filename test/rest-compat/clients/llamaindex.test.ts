import { OpenAI, OpenAIEmbedding } from '@llamaindex/openai';
import { tool } from 'llamaindex';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Customer, newCustomer } from '../../support/app.js';
import { callsAnswer, callsStream, packedAnswer, vectorsAnswer } from './answers.js';
import { type ClientUnderTest, itShowsFailures } from './failures.js';
import { booksOf, startWorld, USUAL_COST_RUB, USUAL_TEXT, type World } from './world.js';

let world: World;
let customer: Customer;
let llm: OpenAI;
beforeAll(async () => {
  world = await startWorld();
  customer = await newCustomer(world.app, 100);
  llm = new OpenAI({ ...settings(), model: 'main/chat' });
});
afterAll(() => world?.stop());

function settings() {
  return { apiKey: customer.key, baseURL: world.baseUrl, maxRetries: 0 };
}

const MESSAGES = [{ role: 'user' as const, content: 'Какая погода в Казани?' }];
const CALL = { name: 'weather', arguments: { city: 'Казань' } };
const weather = tool({
  name: 'weather',
  description: 'The weather of a city.',
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => `${city}: +5`,
});

describe('chat', () => {
  it('answers whole, and charges the price of the usage', async () => {
    await world.script('main', {});
    const answer = await llm.chat({ messages: MESSAGES });
    expect(answer.message.content).toBe(USUAL_TEXT);
    expect((await booksOf(world, customer)).charges).toEqual([USUAL_COST_RUB]);
  });

  it('streams the same text', async () => {
    await world.script('main', {});
    let text = '';
    for await (const chunk of await llm.chat({ messages: MESSAGES, stream: true })) {
      text += chunk.delta;
    }
    expect(text).toBe(USUAL_TEXT);
    expect((await booksOf(world, customer)).charges[0]).toBe(USUAL_COST_RUB);
  });

  it('a stream that breaks is an error for the client, and what came is charged', async () => {
    await world.script('main', { cutAfter: 4 });
    const before = await booksOf(world, customer);
    const read = async () => {
      const stream = await llm.chat({ messages: MESSAGES, stream: true });
      for await (const chunk of stream) expect(chunk).toBeDefined();
    };
    await expect(read()).rejects.toThrow('The stream was cut');
    const after = await booksOf(world, customer);
    expect(after.charges).toHaveLength(before.charges.length + 1);
    expect(after.held).toBe(0);
  });
});

describe('tools', () => {
  it('an automatic call is run and its result is sent back', async () => {
    await world.script('main', callsAnswer(CALL), {});
    const { newMessages, toolCalls } = await llm.exec({ messages: MESSAGES, tools: [weather] });
    expect(toolCalls).toMatchObject([{ name: 'weather', input: CALL.arguments }]);
    const answer = await llm.exec({ messages: [...MESSAGES, ...newMessages], tools: [weather] });
    expect(answer.newMessages.at(-1)?.content).toBe(USUAL_TEXT);
    const [, second] = await world.bodies('main');
    expect((second?.messages as unknown[] | undefined)?.at(-1)).toEqual({
      role: 'tool',
      tool_call_id: 'call_0',
      content: 'Казань: +5',
    });
  });

  it('a forced call comes through a stream', async () => {
    await world.script('main', callsStream(CALL));
    const tool_choice = { type: 'function' as const, function: { name: 'weather' } };
    const stream = await llm.chat({
      messages: MESSAGES,
      stream: true,
      tools: [weather],
      additionalChatOptions: { tool_choice },
    });
    let called: unknown;
    for await (const chunk of stream) called = chunk.options ?? called;
    expect(called).toMatchObject({ toolCall: [{ name: 'weather', input: CALL.arguments }] });
    const [sent] = await world.bodies('main');
    expect(sent?.tool_choice).toEqual(tool_choice);
  });
});

describe('structured output', () => {
  const responseFormat = z.object({ city: z.string(), degrees: z.number() });
  const WEATHER = { city: 'Казань', degrees: 5 };

  it('is asked for by schema', async () => {
    await world.script('main', { text: JSON.stringify(WEATHER) });
    const answer = await llm.chat({ messages: MESSAGES, responseFormat });
    expect(JSON.parse(String(answer.message.content))).toEqual(WEATHER);
    const [sent] = await world.bodies('main');
    expect(sent?.response_format).toMatchObject({ type: 'json_schema' });
  });

  it('is asked for by a tool, as the executor does it', async () => {
    await world.script('main', callsAnswer({ name: 'format_output', arguments: WEATHER }));
    const answer = await llm.exec({ messages: MESSAGES, responseFormat });
    expect(answer.object).toEqual(WEATHER);
  });
});

it('embeddings are equal by the default base64, whatever the provider sends', async () => {
  const rounded = [0.1, -0.25, 1e-7].map(Math.fround);
  for (const answer of [vectorsAnswer, packedAnswer]) {
    await world.script('main', answer(rounded, [1, 0, 0]));
    const embedding = new OpenAIEmbedding({ ...settings(), model: 'main/embed' });
    const vectors = await embedding.getTextEmbeddings(['один', 'два']);
    expect(vectors.map((vector) => [...vector])).toEqual([rounded, [1, 0, 0]]);
    expect(await world.bodies('main')).toMatchObject([{ encoding_format: 'base64' }]);
  }
});

const llamaIndex: ClientUnderTest = {
  async ask({ baseUrl, key, model, retries, temperature, fetch }) {
    const asking = new OpenAI({
      apiKey: key,
      baseURL: baseUrl,
      model,
      maxRetries: retries,
      temperature,
      additionalSessionOptions: { fetch },
    });
    return String((await asking.chat({ messages: MESSAGES })).message.content);
  },
  seen(error) {
    const { status, code } = error as { status?: unknown; code?: unknown };
    return { status, code };
  },
};

describe('failures', () => itShowsFailures(llamaIndex, () => world));
