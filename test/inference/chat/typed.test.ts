import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { customerUnder } from '../../journeys/people.js';
import { type Customer, graphql, newCustomer, rest } from '../../support/app.js';
import { startWireWorld, subscribed, type WireWorld } from '../wire/world.js';

let app: WireWorld;
let customer: Customer;
beforeAll(async () => {
  app = await startWireWorld();
  customer = await newCustomer(app, 1_000);
});
afterAll(() => app?.stop());

const RECEIPTS = `
  gwRouting {
    requestedModel model provider simulated strategy costRub usageSource
    usage { inputUncached outputText } candidates { model chosen }
  }
  gwSlo { slaClass met }
  gwFirewall {
    verdict dataClass findings { class count } masked { class } answer { findings { class } }
  }
  gwPrompt { promptKey }`;
const ANSWER = `
  id created model
  choices { index finishReason message { role content refusal toolCalls { id } } }
  usage { promptTokens completionTokens totalTokens cachedTokens reasoningTokens }
  ${RECEIPTS} wire`;
const COMPLETE = `mutation($input: ChatInput!) { chatComplete(input: $input) { ${ANSWER} } }`;
const STREAM = `subscription($input: ChatInput!) { chatStream(input: $input) {
  model choices { index finishReason delta { role content } } usage { totalTokens } ${RECEIPTS}
} }`;

const INPUT = {
  model: 'main/chat',
  messages: [{ role: 'user', parts: [{ text: 'Привет' }] }],
  maxTokens: 50,
  metadata: { feature: 'typed-feature' },
};

interface Complete {
  readonly chatComplete: Record<string, unknown> & { readonly wire: Record<string, unknown> };
}

function complete(input: Record<string, unknown>, credential = customer.key) {
  return graphql<Complete>(app, COMPLETE, { input }, credential);
}

async function usageOf(of: Customer) {
  const { body } = await rest<{ data: Record<string, unknown>[] }>(app, 'GET', '/usage', {
    credential: of.token,
  });
  return body.data;
}

describe('chatComplete', () => {
  it('answers with types what REST answers on the wire, receipts included', async () => {
    const { data, errors } = await complete(INPUT);
    expect(errors).toBeUndefined();
    const { wire, ...typed } = data.chatComplete;
    expect(typed).toEqual({
      id: 'chatcmpl-double',
      created: 1_700_000_000,
      model: 'main/chat',
      choices: [
        {
          index: 0,
          finishReason: 'stop',
          message: {
            role: 'assistant',
            content: expect.stringContaining('Привет'),
            refusal: null,
            toolCalls: [],
          },
        },
      ],
      usage: {
        promptTokens: 11,
        completionTokens: 7,
        totalTokens: 18,
        cachedTokens: 0,
        reasoningTokens: 0,
      },
      gwRouting: {
        requestedModel: 'main/chat',
        model: 'main/chat',
        provider: 'main',
        simulated: false,
        strategy: 'requested_model',
        costRub: '0.0018',
        usageSource: 'upstream',
        usage: { inputUncached: 11, outputText: 7 },
        candidates: [{ model: 'main/chat', chosen: true }],
      },
      gwSlo: { slaClass: expect.any(String), met: true },
      gwFirewall: {
        verdict: 'pass',
        dataClass: 'C0',
        findings: [],
        masked: [],
        answer: { findings: [] },
      },
      gwPrompt: null,
    });
    expect(wire).toMatchObject({ object: 'chat.completion', gw_routing: { cost_rub: 0.0018 } });
  });

  it('sends the wire’s body, without metadata, and bills it under its feature', async () => {
    const other = await newCustomer(app, 10);
    const since = app.double.received('main').length;
    await complete(INPUT, other.key);
    const bodies = app.double
      .received('main')
      .slice(since)
      .map(({ body }) => JSON.parse(body));
    expect(bodies).toEqual([
      {
        model: 'chat-upstream',
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Привет' }] }],
        max_tokens: 50,
      },
    ]);
    expect(await usageOf(other)).toMatchObject([{ feature: 'typed-feature', amount_rub: 0.0018 }]);
  });

  it('is masked by the firewall as every chat is', async () => {
    const since = app.double.received('main').length;
    const masking = await customerUnder(app, { firewall: { card: 'mask' } });
    const messages = [{ role: 'user', content: 'Карта 4111 1111 1111 1111' }];
    const { data } = await complete({ model: 'main/chat', messages }, masking.key);
    expect(data.chatComplete.gwFirewall).toMatchObject({ verdict: 'masked' });
    expect(app.double.received('main').at(since)?.body).not.toContain('4111');
  });

  it('is given again under its idempotency key and billed once', async () => {
    const other = await newCustomer(app, 10);
    const ask = () =>
      rest(app, 'POST', '/graphql', {
        credential: other.key,
        headers: { 'idempotency-key': 'typed-1' },
        body: { query: COMPLETE, variables: { input: INPUT } },
      });
    const [first, second] = [await ask(), await ask()];
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(await usageOf(other)).toHaveLength(1);
  });

  it('never fails for what a provider writes into an answer that was charged', async () => {
    const raw = {
      id: 5,
      created: 'yesterday',
      choices: [{ index: 1.5, message: { content: ['a'], tool_calls: 'none' } }],
      usage: { prompt_tokens: 1, completion_tokens: 1 },
    };
    app.double.script('main', { raw: JSON.stringify(raw) });
    const { data, errors } = await complete(INPUT);
    app.double.script('main', {});
    expect(errors).toBeUndefined();
    expect(data.chatComplete).toMatchObject({
      id: null,
      created: null,
      choices: [{ index: null, message: { content: null, toolCalls: [] } }],
      usage: { totalTokens: 2 },
    });
  });

  it('names every fault where it stands in the typed request', async () => {
    const calls = app.double.log.length;
    const { errors } = await complete({
      messages: [
        { role: 'tool', content: 'a' },
        { role: 'user', parts: [] },
      ],
      temperature: 3,
      more: { seed: 'a' },
    });
    const faults = errors?.[0]?.extensions.faults as { path: string; message: string }[];
    expect(errors?.[0]?.extensions.code).toBe('invalid_request');
    expect(faults.map(({ path }) => path).sort()).toEqual([
      'input.messages.0.toolCallId',
      'input.messages.1.content',
      'input.model',
      'input.seed',
      'input.temperature',
    ]);
    for (const { path, message } of faults) expect(message.startsWith(path)).toBe(true);
    expect(app.double.log.length).toBe(calls);
  });

  it('takes exactly one kind of a part', async () => {
    const parts = [{ text: 'a', refusal: 'b' }];
    const { errors } = await complete({ model: 'main/chat', messages: [{ role: 'user', parts }] });
    expect(errors?.[0]?.message).toMatch(/ChatPartInput/);
  });

  it('needs a credential and funds', async () => {
    const poor = await newCustomer(app);
    const refused = await complete(INPUT, poor.key);
    expect(refused.errors?.[0]?.extensions.code).toBe('insufficient_balance');
    const unknown = await graphql(app, COMPLETE, { input: INPUT });
    expect(unknown.errors?.[0]?.extensions.code).toBe('missing_credential');
  });
});

describe('chatStream', () => {
  it('answers in pieces with types; the last one has usage and receipts', async () => {
    const since = app.double.received('main').length;
    const { code, text } = await subscribed(app, customer.key, STREAM, { input: INPUT });
    expect(code).toBeUndefined();
    const chunks = [...text.matchAll(/^data: (\{.*)$/gm)].map(
      ([, line]) => (JSON.parse(line ?? '') as { data: { chatStream: Chunk } }).data.chatStream,
    );
    const said = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta?.content ?? ''));
    expect(said.join('')).toBe('Привет, this is the double speaking 🙂 and it ends here.');
    expect(chunks.at(-1)).toMatchObject({
      model: 'main/chat',
      choices: [],
      usage: { totalTokens: 18 },
      gwRouting: { costRub: '0.0018', model: 'main/chat' },
      gwSlo: { met: true },
      gwFirewall: { verdict: 'pass' },
    });
    expect(JSON.parse(app.double.received('main').at(since)?.body ?? '')).toMatchObject({
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it('names every fault where it stands in the typed request', async () => {
    const input = { ...INPUT, n: 0, more: { stop: 5 } };
    const answer = await subscribed(app, customer.key, STREAM, { input });
    expect(answer.code).toBe('invalid_request');
    expect(answer.text).toContain('input.stop');
    expect(answer.text).toContain('input.n');
  });
});

interface Chunk {
  readonly choices: readonly { readonly delta: { readonly content: string | null } | null }[];
}
