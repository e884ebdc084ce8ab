import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadTokenizer } from '../../../src/catalog/providers/tokenizer.js';
import { countChatInput } from '../../../src/inference/upstream/tokens.js';
import { type Customer, graphql, newCustomer, rest } from '../../support/app.js';
import {
  ask,
  type Body,
  type Chat,
  lastSent,
  NARROW,
  prose,
  QUESTION,
  startWindowWorld,
  WIDE,
  WINDOWS,
  type WindowWorld,
} from './world.js';

let app: WindowWorld;
let customer: Customer;
let other: Customer;
beforeAll(async () => {
  app = await startWindowWorld();
  customer = await newCustomer(app, 10_000);
  other = await newCustomer(app, 10_000);
});
afterAll(() => app?.stop());
beforeEach(async () => {
  for (const lane of ['narrow', 'wide', 'abroad']) await app.double.script(lane, {});
});

async function sentTokens(): Promise<number> {
  const { messages } = await lastSent(app);
  return countChatInput(await loadTokenizer(), messages);
}

describe('blocks that all fit', () => {
  it('become one message before the last one of the user, and the receipt says so', async () => {
    const blocks = [
      { id: 'a', text: 'Первый пункт.', priority: 'MUST' },
      { id: 'b', text: 'Второй пункт.', priority: 'COULD' },
    ];
    const { body } = await ask(app, customer, { blocks });
    const sent = await lastSent(app);
    expect(sent.messages).toEqual([
      QUESTION[0],
      { role: 'system', content: 'Первый пункт.\n\nВторой пункт.' },
      QUESTION[1],
    ]);
    expect(sent).not.toHaveProperty('gw_context');
    expect(body.gw_context).toEqual({
      verdict: 'COMPILED',
      objective: 'every_must_then_most_value',
      window_model: NARROW,
      window_tokens: WINDOWS.narrow,
      output_tokens: 200,
      safety_tokens: 168,
      prompt_tokens: expect.any(Number),
      room_tokens: expect.any(Number),
      tokens_before: body.gw_context.tokens_after,
      tokens_after: expect.any(Number),
      value: 11,
      kept: ['a', 'b'],
      dropped: [],
    });
  });

  it('stand where and as whom the request says', async () => {
    const blocks = [{ id: 'a', text: 'Пункт.', priority: 'MUST' }];
    await ask(app, customer, { blocks, role: 'user', position: 'start' });
    expect((await lastSent(app)).messages[0]).toEqual({ role: 'user', content: 'Пункт.' });
    const messages = [{ role: 'assistant', content: 'Я здесь.' }];
    await ask(app, customer, { blocks }, { messages });
    expect((await lastSent(app)).messages.map(({ role }) => role)).toEqual(['assistant', 'system']);
  });
});

describe('blocks that do not all fit', () => {
  const blocks = [
    { id: 'small', text: prose(300), priority: 'COULD' },
    { id: 'must', text: prose(1_500), priority: 'MUST' },
    { id: 'huge', text: prose(6_000), priority: 'SHOULD' },
    { id: 'dear', text: prose(1_000), priority: 'COULD', value: 9 },
    { id: 'worth less', text: prose(1_000), priority: 'COULD' },
  ];

  it('are dropped by worth, each with its reason, and the sent body is in the window', async () => {
    const { body, status } = await ask(app, customer, { blocks });
    expect(status).toBe(200);
    expect(body.gw_context.kept).toEqual(['small', 'must', 'dear']);
    expect(body.gw_context.dropped).toEqual([
      { id: 'huge', tokens: expect.any(Number), reason: 'WINDOW' },
      { id: 'worth less', tokens: expect.any(Number), reason: 'WORTH_LESS' },
    ]);
    const { tokens_after: after, room_tokens: room } = body.gw_context;
    expect(after).toBeLessThanOrEqual(room);
    expect((await sentTokens()) + 200).toBeLessThanOrEqual(WINDOWS.narrow);
  });

  it('are the same over a stream and over GraphQL, whole and streamed', async () => {
    const whole = (await ask(app, customer, { blocks })).body.gw_context;
    const response = await fetch(`${app.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${customer.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: NARROW,
        messages: QUESTION,
        max_tokens: 200,
        stream: true,
        gw_context: { blocks },
      }),
    });
    const events = (await response.text()).split('\n\n').filter((one) => one.startsWith('data: {'));
    const last = JSON.parse(events.at(-1)?.slice('data: '.length) ?? '{}') as Chat;
    expect(last.gw_context).toEqual(whole);
    const input = {
      model: NARROW,
      maxTokens: 200,
      messages: QUESTION.map(({ role, content }) => ({ role, parts: [{ text: content }] })),
      context: { blocks, tokensMax: 100_000, role: 'system', position: 'before_last_user' },
    };
    const { data, errors } = await graphql<{ chatComplete: { gwContext: Body } }>(
      app,
      `mutation($input: ChatInput!) { chatComplete(input: $input) { gwContext {
        windowModel tokensBefore tokensAfter roomTokens kept dropped { id reason } } } }`,
      { input },
      customer.key,
    );
    expect(errors).toBeUndefined();
    expect(data.chatComplete.gwContext).toEqual({
      windowModel: NARROW,
      tokensBefore: whole.tokens_before,
      tokensAfter: whole.tokens_after,
      roomTokens: whole.room_tokens,
      kept: whole.kept,
      dropped: whole.dropped.map(({ id, reason }) => ({ id, reason })),
    });
  });

  it('are held to tokens_max as well', async () => {
    const { body } = await ask(app, customer, { blocks: blocks.slice(0, 2), tokens_max: 1_700 });
    expect(body.gw_context.kept).toEqual(['must']);
    expect(body.gw_context.dropped).toEqual([
      { id: 'small', tokens: expect.any(Number), reason: 'COMPONENT_BUDGET' },
    ]);
  });

  it('are refused where MUST blocks do not fit: named and unsent, in both voices', async () => {
    const must = [
      { id: 'first', text: prose(3_000), priority: 'MUST' },
      { id: 'second', text: prose(3_000), priority: 'MUST' },
    ];
    const before = (await app.double.received('narrow')).length;
    const { status, body } = await ask(app, customer, { blocks: must });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({
      code: 'context_cannot_compile',
      param: 'gw_context.blocks',
      gw_context: {
        verdict: 'CANNOT_COMPILE',
        must: [
          { id: 'first', tokens: expect.any(Number) },
          { id: 'second', tokens: expect.any(Number) },
        ],
      },
    });
    expect(body.error.message).toMatch(/first \(\d+\), second \(\d+\)/);
    const input = {
      model: NARROW,
      maxTokens: 200,
      messages: [{ role: 'user', content: 'Что?' }],
      context: { blocks: must },
    };
    const { errors } = await graphql(
      app,
      'mutation($input: ChatInput!) { chatComplete(input: $input) { id } }',
      { input },
      customer.key,
    );
    expect(errors?.[0]?.extensions).toMatchObject({
      code: 'context_cannot_compile',
      param: 'input.context.blocks',
    });
    expect(await app.double.received('narrow')).toHaveLength(before);
  });
});

describe('the window', () => {
  it('of gw:auto is the widest that any data may go to; only what fits answers', async () => {
    const blocks = [
      { id: 'long', text: prose(10_000), priority: 'SHOULD' },
      { id: 'longer', text: prose(30_000), priority: 'SHOULD' },
    ];
    const { body } = await ask(app, customer, { blocks }, { model: 'gw:auto' });
    expect(body.model).toBe(WIDE);
    expect(body.gw_context).toMatchObject({ window_model: WIDE, kept: ['long'] });
    const few = await ask(
      app,
      customer,
      { blocks: [{ id: 's', text: prose(9), priority: 'COULD' }] },
      {
        model: 'gw:auto',
      },
    );
    expect(few.body.model).toBe(NARROW);
  });

  it('of an alias is that of the model that it stands for', async () => {
    const alias = { alias: 'gpt-4o', target: NARROW };
    await rest(app, 'POST', '/v1/gw/model-aliases', { credential: customer.token, body: alias });
    const blocks = [{ id: 'long', text: prose(10_000), priority: 'SHOULD' }];
    const { body } = await ask(app, customer, { blocks }, { model: 'gpt-4o' });
    expect(body.gw_context).toMatchObject({ window_model: NARROW, kept: [] });
    expect((await lastSent(app)).messages).toEqual(QUESTION);
    expect((await ask(app, other, { blocks }, { model: 'gpt-4o' })).status).toBe(404);
  });

  it('that the messages alone pass is refused as without blocks', async () => {
    const messages = [{ role: 'user', content: prose(5_000) }];
    const blocks = [{ id: 'a', text: 'Пункт.', priority: 'COULD' }];
    const { body } = await ask(app, customer, { blocks }, { messages });
    expect(body.error).toMatchObject({ code: 'context_length_exceeded' });
  });
});

describe('a malformed gw_context', () => {
  it('is refused with every fault named, in both voices', async () => {
    const blocks = [
      { id: 'a', text: 'x', priority: 'MUST' },
      { id: 'a', text: '', priority: 'NICE', value: 11 },
      { text: 5 },
    ];
    const { status, body } = await ask(app, customer, { blocks, role: 'tool', tokens_max: 0 });
    expect(status).toBe(400);
    expect(body.error.faults?.map(({ path }) => path)).toEqual([
      'gw_context.blocks.1.text',
      'gw_context.blocks.1.priority',
      'gw_context.blocks.1.value',
      'gw_context.blocks.2.text',
      'gw_context.blocks.2.id',
      'gw_context.blocks.2.priority',
      'gw_context.role',
      'gw_context.tokens_max',
      'gw_context.blocks.1.id',
    ]);
    const input = {
      model: NARROW,
      messages: [{ role: 'user', content: 'Что?' }],
      context: {
        blocks: [
          { id: 'a', text: 'x', priority: 'MUST' },
          { id: 'a', text: 'y', priority: 'MUST', value: 0 },
        ],
      },
    };
    const { errors } = await graphql<Body>(
      app,
      'mutation($input: ChatInput!) { chatComplete(input: $input) { id } }',
      { input },
      customer.key,
    );
    const faults = errors?.[0]?.extensions.faults as { path: string }[];
    expect(faults.map(({ path }) => path)).toEqual([
      'input.context.blocks.1.value',
      'input.context.blocks.1.id',
    ]);
  });
});

it('nothing stays held', async () => {
  const { rows } = await app.owner.pool.query(
    'SELECT DISTINCT held_micro::int AS held FROM account',
  );
  expect(rows).toEqual([{ held: 0 }]);
});
