import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  APICallError,
  embedMany,
  generateText,
  Output,
  RetryError,
  stepCountIs,
  streamText,
  tool,
} from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Customer, newCustomer } from '../../support/app.js';
import { callsAnswer, callsStream, packedAnswer, vectorsAnswer } from './answers.js';
import { type ClientUnderTest, itShowsFailures } from './failures.js';
import { booksOf, startWorld, USUAL_COST_RUB, USUAL_TEXT, type World } from './world.js';

let world: World;
let customer: Customer;
let provider: ReturnType<typeof providerFor>;
beforeAll(async () => {
  world = await startWorld();
  customer = await newCustomer(world.app, 100);
  provider = providerFor(world.baseUrl, customer.key);
});
afterAll(() => world?.stop());

function providerFor(baseURL: string, apiKey: string, fetch?: typeof globalThis.fetch) {
  const settings = { name: 'gateway', includeUsage: true, supportsStructuredOutputs: true };
  return createOpenAICompatible({ ...settings, baseURL, apiKey, fetch });
}

const PROMPT = 'Какая погода в Казани?';
const CALL = { name: 'weather', arguments: { city: 'Казань' } };
const weather = tool({
  description: 'The weather of a city.',
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => `${city}: +5`,
});

describe('chat', () => {
  it('answers whole with usage, and charges the price of the usage', async () => {
    await world.script('main', {});
    const answer = await generateText({ model: provider('main/chat'), prompt: PROMPT });
    expect(answer.text).toBe(USUAL_TEXT);
    expect(answer.usage).toMatchObject({ inputTokens: 11, outputTokens: 7, totalTokens: 18 });
    expect((await booksOf(world, customer)).charges).toEqual([USUAL_COST_RUB]);
  });

  it('streams the same text with usage', async () => {
    await world.script('main', {});
    const errors: unknown[] = [];
    const answer = streamText({
      model: provider('main/chat'),
      prompt: PROMPT,
      onError: ({ error }) => void errors.push(error),
    });
    expect(await answer.text).toBe(USUAL_TEXT);
    expect(await answer.usage).toMatchObject({ inputTokens: 11, outputTokens: 7 });
    expect(await answer.finishReason).toBe('stop');
    expect(errors).toEqual([]);
  });

  it('a stream that breaks is an error for the client, and what came is charged', async () => {
    await world.script('main', { cutAfter: 4 });
    const before = await booksOf(world, customer);
    const kinds: string[] = [];
    const answer = streamText({
      model: provider('main/chat'),
      prompt: PROMPT,
      onError: () => undefined,
    });
    for await (const part of answer.fullStream) kinds.push(part.type);
    expect(kinds).toContain('text-delta');
    expect(kinds).toContain('error');
    const after = await booksOf(world, customer);
    expect(after.charges).toHaveLength(before.charges.length + 1);
    expect(after.held).toBe(0);
  });
});

describe('tools', () => {
  it('an automatic call is run and its result is sent back', async () => {
    await world.script('main', callsAnswer(CALL), {});
    const answer = await generateText({
      model: provider('main/chat'),
      prompt: PROMPT,
      tools: { weather },
      stopWhen: stepCountIs(2),
    });
    expect(answer.text).toBe(USUAL_TEXT);
    expect(answer.steps[0]?.toolCalls).toMatchObject([
      { toolName: 'weather', input: CALL.arguments },
    ]);
    const [first, second] = await world.bodies('main');
    expect(first).toMatchObject({ model: 'chat', tool_choice: 'auto' });
    expect((second?.messages as unknown[] | undefined)?.at(-1)).toEqual({
      role: 'tool',
      tool_call_id: 'call_0',
      content: 'Казань: +5',
    });
  });

  it('a forced call comes through a stream', async () => {
    await world.script('main', callsStream(CALL));
    const answer = streamText({
      model: provider('main/chat'),
      prompt: PROMPT,
      tools: { weather },
      toolChoice: { type: 'tool', toolName: 'weather' },
    });
    expect(await answer.toolCalls).toMatchObject([{ toolName: 'weather', input: CALL.arguments }]);
    const [sent] = await world.bodies('main');
    expect(sent?.tool_choice).toEqual({ type: 'function', function: { name: 'weather' } });
  });
});

it('structured output is asked for by schema and parsed', async () => {
  await world.script('main', { text: '{"city":"Казань","degrees":5}' });
  const schema = z.object({ city: z.string(), degrees: z.number() });
  const answer = await generateText({
    model: provider('main/chat'),
    prompt: PROMPT,
    output: Output.object({ schema }),
  });
  expect(answer.output).toEqual({ city: 'Казань', degrees: 5 });
  const [sent] = await world.bodies('main');
  expect(sent?.response_format).toMatchObject({ type: 'json_schema' });
});

it('embeddings are what the provider said, in whichever encoding it said it', async () => {
  const rounded = [0.1, -0.25, 1e-7].map(Math.fround);
  for (const answer of [vectorsAnswer, packedAnswer]) {
    await world.script('main', answer(rounded, [1, 0, 0]));
    const { embeddings, usage } = await embedMany({
      model: provider.embeddingModel('main/embed'),
      values: ['один', 'два'],
    });
    expect(embeddings).toEqual([rounded, [1, 0, 0]]);
    expect(usage).toEqual({ tokens: 6 });
    expect((await booksOf(world, customer)).charges[0]).toBe(0.0006);
  }
});

const aiSdk: ClientUnderTest = {
  async ask({ baseUrl, key, model, retries, temperature, fetch }) {
    const asked = providerFor(baseUrl, key, fetch)(model);
    const prompt = PROMPT;
    return (await generateText({ model: asked, prompt, temperature, maxRetries: retries })).text;
  },
  seen(error) {
    const last = RetryError.isInstance(error) ? error.lastError : error;
    if (!APICallError.isInstance(last)) throw last;
    const { error: said } = JSON.parse(last.responseBody ?? '{}');
    return { status: last.statusCode, code: said.code };
  },
};

describe('failures', () => itShowsFailures(aiSdk, () => world));
