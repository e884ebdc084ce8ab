import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Customer, newCustomer } from '../../support/app.js';
import { callsAnswer, callsStream, packedAnswer, vectorsAnswer } from './answers.js';
import { type ClientUnderTest, itShowsFailures } from './failures.js';
import { booksOf, startWorld, USUAL_COST_RUB, USUAL_TEXT, type World } from './world.js';

let world: World;
let customer: Customer;
let chat: ChatOpenAI;
beforeAll(async () => {
  world = await startWorld();
  customer = await newCustomer(world.app, 100);
  chat = new ChatOpenAI({
    model: 'main/chat',
    apiKey: customer.key,
    configuration: { baseURL: world.baseUrl },
    maxRetries: 0,
  });
});
afterAll(() => world?.stop());

const PROMPT = 'Какая погода в Казани?';
const CALL = { name: 'weather', arguments: { city: 'Казань' } };
const weather = tool(({ city }: { city: string }) => `${city}: +5`, {
  name: 'weather',
  description: 'The weather of a city.',
  schema: z.object({ city: z.string() }),
});

describe('chat', () => {
  it('answers whole with usage, and charges the price of the usage', async () => {
    await world.script('main', {});
    const answer = await chat.invoke(PROMPT);
    expect(answer.content).toBe(USUAL_TEXT);
    expect(answer.usage_metadata).toMatchObject({ input_tokens: 11, output_tokens: 7 });
    expect((await booksOf(world, customer)).charges).toEqual([USUAL_COST_RUB]);
  });

  it('streams the same text with usage', async () => {
    await world.script('main', {});
    let text = '';
    let tokens = 0;
    for await (const chunk of await chat.stream(PROMPT)) {
      text += chunk.content;
      tokens = chunk.usage_metadata?.total_tokens ?? tokens;
    }
    expect(text).toBe(USUAL_TEXT);
    expect(tokens).toBe(18);
  });

  it('a stream that breaks is an error for the client, and what came is charged', async () => {
    await world.script('main', { cutAfter: 4 });
    const before = await booksOf(world, customer);
    const read = async () => {
      for await (const chunk of await chat.stream(PROMPT)) expect(chunk).toBeDefined();
    };
    await expect(read()).rejects.toThrow('The stream was cut');
    const after = await booksOf(world, customer);
    expect(after.charges).toHaveLength(before.charges.length + 1);
    expect(after.held).toBe(0);
  });
});

describe('tools', () => {
  it('an automatic call is made and its result is sent back', async () => {
    await world.script('main', callsAnswer(CALL), {});
    const bound = chat.bindTools([weather]);
    const question = new HumanMessage(PROMPT);
    const called = await bound.invoke([question]);
    expect(called.tool_calls).toMatchObject([{ name: 'weather', args: CALL.arguments }]);
    const result = new ToolMessage({ tool_call_id: 'call_0', content: 'Казань: +5' });
    expect((await bound.invoke([question, called, result])).content).toBe(USUAL_TEXT);
    const [, second] = await world.bodies('main');
    expect((second?.messages as unknown[] | undefined)?.at(-1)).toEqual({
      role: 'tool',
      tool_call_id: 'call_0',
      content: 'Казань: +5',
    });
  });

  it('a forced call comes through a stream', async () => {
    await world.script('main', callsStream(CALL));
    const bound = chat.bindTools([weather], { tool_choice: 'weather' });
    let whole: Awaited<ReturnType<typeof bound.invoke>> | undefined;
    for await (const chunk of await bound.stream(PROMPT)) whole = whole?.concat(chunk) ?? chunk;
    expect(whole?.tool_calls).toMatchObject([{ name: 'weather', args: CALL.arguments }]);
    const [sent] = await world.bodies('main');
    expect(sent?.tool_choice).toEqual({ type: 'function', function: { name: 'weather' } });
  });
});

it('structured output is asked for by schema and parsed', async () => {
  await world.script('main', { text: '{"city":"Казань","degrees":5}' });
  const schema = z.object({ city: z.string(), degrees: z.number() });
  const structured = chat.withStructuredOutput(schema, { method: 'jsonSchema' });
  expect(await structured.invoke(PROMPT)).toEqual({ city: 'Казань', degrees: 5 });
  const [sent] = await world.bodies('main');
  expect(sent?.response_format).toMatchObject({ type: 'json_schema' });
});

it('embeddings are equal by the default base64 and by float', async () => {
  const rounded = [0.1, -0.25, 1e-7].map(Math.fround);
  for (const encodingFormat of [undefined, 'float'] as const) {
    for (const answer of [vectorsAnswer, packedAnswer]) {
      await world.script('main', answer(rounded, [1, 0, 0]));
      const embeddings = new OpenAIEmbeddings({
        model: 'main/embed',
        apiKey: customer.key,
        configuration: { baseURL: world.baseUrl },
        encodingFormat,
      });
      const vectors = await embeddings.embedDocuments(['один', 'два']);
      expect(vectors.map((vector) => [...vector])).toEqual([rounded, [1, 0, 0]]);
    }
  }
});

const langchain: ClientUnderTest = {
  async ask({ baseUrl, key, model, retries, temperature, fetch }) {
    const asking = new ChatOpenAI({
      model,
      apiKey: key,
      configuration: { baseURL: baseUrl, fetch },
      maxRetries: retries,
      temperature,
    });
    return String((await asking.invoke(PROMPT)).content);
  },
  seen(error) {
    const { status, code } = error as { status?: unknown; code?: unknown };
    return { status, code };
  },
};

describe('failures', () => itShowsFailures(langchain, () => world));
