import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chat, customerUnder, type ErrorBody, outcome } from '../../journeys/people.js';
import { INSIDE, type RoutedApp, startRoutedApp } from '../../journeys/providers.js';
import { freshPromptKey, writePrompt } from '../../prompts/use/prompts.js';
import { type Customer, graphql, rest } from '../../support/app.js';

let app: RoutedApp;
let masked: Customer;
let blocked: Customer;

beforeAll(async () => {
  app = await startRoutedApp();
  masked = await customerUnder(app, { hybrid: 'rf_only', firewall: { phone: 'mask' } });
  blocked = await customerUnder(app, { hybrid: 'rf_only', firewall: { phone: 'block' } });
});
afterAll(() => app.stop());

const PHONE = '+79123456789';
const said = (members: object) => [
  { role: 'user', content: 'a' },
  { role: 'assistant', content: '', ...members },
];
const parts = (...content: object[]) => [{ role: 'user', content }];
const called = (call: object) => said({ tool_calls: [{ id: '1', type: 'function', ...call }] });

/** Members of a chat request in which a number leaves. */
const CASES: Readonly<Record<string, object>> = {
  'the reasoning of an answer before': { messages: said({ reasoning_content: PHONE }) },
  'an input_text part': { messages: parts({ type: 'input_text', text: PHONE }) },
  'a tool_result part': { messages: parts({ type: 'tool_result', content: PHONE }) },
  'the name of a file': {
    messages: parts({ type: 'file', file: { file_id: 'a', filename: PHONE } }),
  },
  'the address of an image': {
    messages: parts({ type: 'text', text: 'a' }, { type: 'image', url: `https://a.b/${PHONE}` }),
  },
  'the id of a call': { messages: called({ id: PHONE, function: { name: 'f', arguments: '{}' } }) },
  'arguments given as an object': {
    messages: called({ type: 'vendor', arguments: { [PHONE]: { phone: 79123456789 } } }),
  },
  'a name of a vendor': { vendor_options: { [PHONE]: 'x' } },
  'a property of a schema': {
    tools: [{ type: 'function', function: { name: 'f', parameters: { required: [PHONE] } } }],
  },
  'the user and the stop words': { user: PHONE, stop: [PHONE] },
  'JSON in JSON': {
    messages: [
      { role: 'user', content: JSON.stringify({ a: JSON.stringify({ b: `\n${PHONE}` }) }) },
    ],
  },
};

const bodyOf = (members: object) => ({
  model: INSIDE,
  messages: [{ role: 'user', content: 'a' }],
  ...members,
});

const CREATE = 'mutation($input: ChatCompletionRequest!) { chatCompletionCreate(input: $input) }';

function received(): string {
  return app.double.received('inside').at(-1)?.body ?? '';
}

describe.each(Object.entries(CASES))('a number in %s', (_place, members) => {
  it('refuses the request over REST and GraphQL, and nothing is called', async () => {
    const calls = app.double.log.length;
    const body = bodyOf(members);
    const answer = await rest<ErrorBody>(app, 'POST', '/v1/chat/completions', {
      credential: blocked.key,
      body,
    });
    const asked = await graphql(app, CREATE, { input: body }, blocked.key);
    expect({
      rest: outcome(answer),
      graphql: asked.errors?.map(({ extensions }) => extensions.code),
      called: app.double.log.length - calls,
    }).toEqual({ rest: '403 firewall_blocked', graphql: ['firewall_blocked'], called: 0 });
  });

  it('never reaches the provider when it is masked', async () => {
    const body = bodyOf(members);
    const answer = await rest<{ gw_firewall: object }>(app, 'POST', '/v1/chat/completions', {
      credential: masked.key,
      body,
    });
    expect(answer.body.gw_firewall).toMatchObject({ verdict: 'masked', data_class: 'C3' });
    const overRest = received();
    await graphql(app, CREATE, { input: body }, masked.key);
    for (const sent of [overRest, received()]) {
      expect(sent).not.toContain('9123456789');
      expect(sent).toContain('[[GW_PHONE_1]]');
    }
  });
});

describe('a number in the variables of a prompt', () => {
  it('is read in the text that they fill', async () => {
    const statuses = [];
    for (const customer of [masked, blocked]) {
      const key = freshPromptKey();
      await writePrompt(app, customer, key, {
        template: '[user]\nCall {{ whom }}',
        variables: [{ name: 'whom' }],
        status: 'production',
      });
      const answer = await rest<ErrorBody>(app, 'POST', '/v1/chat/completions', {
        credential: customer.key,
        body: { model: INSIDE, gw_prompt: { key, variables: { whom: PHONE } } },
      });
      statuses.push(outcome(answer));
    }
    expect(statuses).toEqual(['200', '403 firewall_blocked']);
    expect(JSON.parse(received()).messages).toEqual([
      { role: 'user', content: 'Call [[GW_PHONE_1]]' },
    ]);
  });
});

describe('a number in what is embedded', () => {
  it('refuses the request in texts, and is no number in tokens', async () => {
    const ask = (input: unknown) =>
      rest<ErrorBody>(app, 'POST', '/v1/embeddings', {
        credential: blocked.key,
        body: { model: 'gw:auto', input },
      });
    expect(outcome(await ask(['a', PHONE]))).toBe('403 firewall_blocked');
    expect(outcome(await ask([7912, 3456789]))).not.toBe('403 firewall_blocked');
  });
});

describe('a body that is nested without end', () => {
  it('is refused over GraphQL before anything reads it, as over REST', async () => {
    const deep = JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`);
    const { errors } = await graphql(app, CREATE, { input: bodyOf({ deep }) }, masked.key);
    const message = 'The body is not valid JSON: more than 64 levels.';
    expect(errors).toMatchObject([{ message, extensions: { code: 'invalid_json' } }]);
    const answer = await rest<ErrorBody>(app, 'POST', '/v1/chat/completions', {
      credential: masked.key,
      body: bodyOf({ deep }),
    });
    expect(outcome(answer)).toBe('400 invalid_json');
    expect(answer.body.error.message).toBe(message);
  });
});

describe('what a parser drops', () => {
  const TAIL = '"messages":[{"role":"user","content":"a"}]';

  it.each([
    [
      'an earlier member of the same name',
      `{"model":"${INSIDE}","user":"${PHONE}","user":"b",${TAIL}}`,
    ],
    [
      'earlier messages',
      `{"model":"${INSIDE}","messages":[{"role":"user","content":"${PHONE}"}],${TAIL}}`,
    ],
    ['the digits of a long number', `{"model":"${INSIDE}","x":2202200022002200216,${TAIL}}`],
    ['the form of a number', `{"model":"${INSIDE}","x":79123456789e-9,${TAIL}}`],
  ])('does not leave unread: %s', async (_what, body) => {
    const { status } = await fetch(`${app.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${masked.key}`, 'content-type': 'application/json' },
      body,
    });
    const { model: _named, ...judged } = JSON.parse(body) as Record<string, unknown>;
    const { model, ...left } = JSON.parse(received()) as Record<string, unknown>;
    expect({ status, model, left }).toEqual({ status: 200, model: 'model', left: judged });
    expect(received()).toBe(JSON.stringify(JSON.parse(received())));
    expect(received()).not.toContain('79123456789');
    expect(received()).not.toContain('2202200022002200216');
  });
});

describe('the way back', () => {
  const HELD = '[[GW_PHONE_1]]';
  const message = (value: string) => ({
    role: 'assistant',
    content: `Звоню ${value}`,
    refusal: null,
    reasoning_content: `Номер ${value}`,
    function_call: { name: 'call', arguments: JSON.stringify({ to: value }) },
    tool_calls: [
      {
        id: `call ${value}`,
        type: 'function',
        function: { name: 'f', arguments: `{"${value}":1}` },
      },
    ],
    annotations: [{ type: 'url_citation', url_citation: { title: value } }],
    audio: { id: 'a', transcript: value },
  });
  const token = (text: string) => ({
    token: text,
    bytes: [...Buffer.from(text)],
    logprob: -1,
    top_logprobs: [],
  });
  const choice = (value: string, logprobs: object) => ({
    index: 0,
    message: message(value),
    logprobs,
    finish_reason: 'stop',
  });

  it('of a whole answer gives each member the own value of the client', async () => {
    const content = ['Звоню ', '[[', 'GW_PHONE_1', ']]'].map(token);
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const body = { id: 'c', model: 'model', choices: [choice(HELD, { content })], usage };
    const headers = { 'content-type': 'application/json' };
    app.double.script('inside', { raw: JSON.stringify(body), headers });
    const answer = await chat(app, masked.key, `Мой номер ${PHONE}`);
    app.double.script('inside', {});
    const joined = { ...token(PHONE), logprob: -3 };
    expect(answer.body.choices).toEqual([choice(PHONE, { content: [token('Звоню '), joined] })]);
    expect(JSON.stringify(answer.body)).not.toContain('GW_PHONE');
  });

  it.each([1, 5, 100_000])('of a stream in pieces of %i bytes does so too', async (splitBytes) => {
    const deltas = (['reasoning_content', 'content'] as const).flatMap((name) =>
      ['о [', '[GW_PH', 'ONE_1', ']', '] и всё'].map((piece) => ({ [name]: piece })),
    );
    const calls = ['{"[[GW_', 'PHONE_1]]', '":1}'].map((piece) => ({
      tool_calls: [{ index: 0, function: { arguments: piece } }],
    }));
    const events = [...deltas, ...calls, {}].map((delta, index, all) => {
      const finish_reason = index === all.length - 1 ? 'stop' : null;
      const piece = (delta as { content?: string }).content;
      const logprobs = piece === undefined ? null : { content: [token(piece)], refusal: null };
      const chunk = {
        id: 'c',
        model: 'model',
        choices: [{ index: 0, delta, logprobs, finish_reason }],
      };
      return `data: ${JSON.stringify(chunk)}\n\n`;
    });
    const raw = `${events.join('')}data: [DONE]\n\n`;
    const headers = { 'content-type': 'text/event-stream' };
    app.double.script('inside', { raw, headers, splitBytes });
    const answer = await chat(app, masked.key, `Мой номер ${PHONE}`, {
      stream: true,
      model: INSIDE,
    });
    app.double.script('inside', {});
    const text = String(answer.body as unknown);
    const read = (pattern: RegExp) =>
      [...text.matchAll(pattern)].map((match) => JSON.parse(`"${match[1]}"`)).join('');
    expect(text).not.toContain('GW_PHONE');
    expect({
      content: read(/"content":"((?:[^"\\]|\\.)*)"/g),
      reasoning: read(/"reasoning_content":"((?:[^"\\]|\\.)*)"/g),
      called: read(/"arguments":"((?:[^"\\]|\\.)*)"/g),
      tokens: read(/"token":"((?:[^"\\]|\\.)*)"/g),
    }).toEqual({
      content: `о ${PHONE} и всё`,
      reasoning: `о ${PHONE} и всё`,
      called: `{"${PHONE}":1}`,
      tokens: `о ${PHONE} и всё`,
    });
  });

  it('holds for the words in which a provider refuses', async () => {
    app.double.script('inside', { status: 400, message: `Invalid name ${HELD}` });
    const answer = await chat(app, masked.key, `Мой номер ${PHONE}`);
    app.double.script('inside', {});
    expect(outcome(answer)).toBe('400 upstream_rejected');
    expect(answer.body.error.message).toContain(`Invalid name ${PHONE}`);
  });
});

describe('what a provider says of others while it refuses', () => {
  const OTHERS = '+79261234500';
  const said = (number: string) => `No model for ${number}, you are ${number}.`;

  afterAll(() => app.double.script('inside', {}));

  it.each([400, 404])('is masked as in an answer, in both voices, at status %i', async (status) => {
    const open = await customerUnder(app, { hybrid: 'rf_only', firewall: { phone: 'detect' } });
    const words = [];
    for (const { key } of [masked, open]) {
      app.double.script('inside', { status, message: said(OTHERS) });
      const answer = await chat(app, key, 'a');
      const { errors } = await graphql(app, CREATE, { input: bodyOf({}) }, key);
      words.push(answer.body.error.message, errors?.[0]?.message);
    }
    expect(words).toEqual([said('[phone]'), said('[phone]'), said(OTHERS), said(OTHERS)]);
  });
});
