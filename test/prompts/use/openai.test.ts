import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Customer, newCustomer, startApp, type TestApp } from '../../support/app.js';
import { freshPromptKey, writePrompt } from './prompts.js';

let app: TestApp;
let customer: Customer;
let client: OpenAI;
let key: string;

beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app, 100);
  client = new OpenAI({ apiKey: customer.key, baseURL: `${app.url}/v1`, maxRetries: 0 });
  key = freshPromptKey();
  await writePrompt(app, customer, key, {
    template: '[user]\nGreet {{ name }}.',
    variables: ['name'],
    modelVariants: ['sandbox/gw-mini'],
    status: 'production',
  });
});
afterAll(() => app.stop());

/** What the client's own types do not know, as its users pass it. */
function asked() {
  return {
    model: 'sandbox/gw-pro',
    messages: [],
    gw_prompt: { key, variables: { name: 'Anna' } },
  };
}

describe('the official client', () => {
  it('uses a prompt in a whole answer', async () => {
    const answer = await client.chat.completions.create(asked());
    expect(answer.choices[0]?.message.content).toBe('Simulated answer. You wrote: Greet Anna.');
    expect(answer).toMatchObject({ gw_prompt: { prompt_key: key, version: 1, variant: null } });
  });

  it('uses a prompt in a stream', async () => {
    const stream = await client.chat.completions.create({ ...asked(), stream: true });
    let text = '';
    let last: unknown;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      last = chunk;
    }
    expect(text).toBe('Simulated answer. You wrote: Greet Anna.');
    expect(last).toMatchObject({ gw_prompt: { prompt_key: key, version: 1, schema_valid: null } });
  });
});
