import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createLog } from '../../src/platform/log.js';
import { loggableError } from '../../src/platform/loggable-error.js';
import { type Folder, newFolder, writeProviders } from '../faults/providers.js';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../support/app.js';
import { startUpstreamDouble, type UpstreamDouble } from '../support/upstream-double.mjs';

const MARKER = 'КРАСНЫЙСЛОН';
const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

let double: UpstreamDouble;
let folder: Folder;
let app: TestApp;
let own: Customer;
const lines: string[] = [];
beforeAll(async () => {
  double = await startUpstreamDouble();
  folder = newFolder();
  const lanes = [{ lane: 'own', model: 'own/model' }];
  app = await startApp({
    GW_SANDBOX: 'off',
    GW_PROVIDERS_FILE: writeProviders(folder, double.origin, lanes),
  });
  own = await newCustomer(app, 1_000);
  // The log of the app, with every level on, into memory.
  const heard = createLog('trace', { write: (line) => lines.push(line) });
  const { log } = app.server.services;
  for (const level of LEVELS) Object.assign(log, { [level]: heard[level].bind(heard) });
});
afterAll(async () => {
  await app?.stop();
  await double?.close();
  folder?.remove();
});

const send = (path: string, body: string, accept = 'application/json') =>
  fetch(app.url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${own.key}`,
      accept,
    },
    body,
  }).then((response) => response.text().then((text) => [response.status, text] as const));

const MESSAGES = [{ role: 'user', content: MARKER }];
const chat = (stream: boolean, more = {}) =>
  send(
    '/v1/chat/completions',
    JSON.stringify({ model: 'own/model', messages: MESSAGES, stream, ...more }),
  );
const CHAT = `mutation ($body: ChatCompletionRequest!) {
  chatCompletionCreate(input: $body) { id } }`;
const STREAM = `subscription ($body: ChatCompletionRequest!) {
  chatCompletionStream(input: $body) { id } }`;
const graphqlChat = (query: string, accept?: string) => {
  const variables = { body: { model: 'own/model', messages: MESSAGES } };
  return send('/graphql', JSON.stringify({ query, variables }), accept);
};

const FAILURES = [
  ['an answer that is no JSON', { raw: `{"choices": ${MARKER}` }],
  ['an answer of another form', { raw: JSON.stringify({ choices: MARKER }) }],
  ['an error that repeats the prompt', { status: 500, message: `wrong: ${MARKER}` }],
  ['a refusal that repeats the prompt', { status: 400, message: `wrong: ${MARKER}` }],
  ['an event that is no JSON', { text: MARKER, insertAfter: 1, insert: `data: {"${MARKER}\n\n` }],
  ['an answer that is cut', { text: MARKER, repeat: 4, cutAfter: 2 }],
  ['an error amid an answer', { text: MARKER, repeat: 4, errorAfter: 2 }],
] as const;

describe('no line of the log holds text of a prompt or an answer', () => {
  it.each(FAILURES)('after %s, whole and streamed, in both voices', async (_name, behaviour) => {
    double.script('own', behaviour);
    await chat(false);
    await chat(true);
    await graphqlChat(CHAT);
    await graphqlChat(STREAM, 'text/event-stream');
    expect(double.received('own').length).toBeGreaterThanOrEqual(4);
    expect(lines.join('')).not.toContain(MARKER);
  });

  it('after bodies that are not understood', async () => {
    double.script('own', {});
    const answers = [
      await send('/v1/chat/completions', `{"messages": [${MARKER}`),
      await send('/v1/chat/completions', `"${MARKER}"`),
      await chat(false, { temperature: MARKER, tools: MARKER, response_format: { type: MARKER } }),
      await send('/graphql', `{"query": ${MARKER}`),
      await send('/graphql', JSON.stringify({ query: `{ ${MARKER} "` })),
      await send('/graphql', JSON.stringify({ query: CHAT, variables: { body: MARKER } })),
      await send('/graphql', JSON.stringify({ query: CHAT, variables: MARKER })),
    ];
    expect(answers.filter(([status]) => status >= 500)).toEqual([]);
    expect(lines.join('')).not.toContain(MARKER);
  });

  it('after a failure of the database that shows the row', async () => {
    await app.owner.pool.query(
      `ALTER TABLE contract_version ADD CONSTRAINT planted
       CHECK (body::text NOT LIKE '%${MARKER}%') NOT VALID`,
    );
    const before = lines.length;
    const { status } = await rest(app, 'POST', '/v1/gw/price-book/plans', {
      credential: own.key,
      body: { plan: 'own', platform_fee_rub: 1, price_book_version: MARKER },
    });
    const logged = lines.slice(before).join('');
    expect([status, logged]).toEqual([500, expect.stringContaining('internal error')]);
    expect(logged).toContain('23514');
    expect(logged).not.toContain(MARKER);
  });
});

describe('an error in the log', () => {
  const thrown = (call: () => unknown): unknown => {
    try {
      return call();
    } catch (error) {
      return error;
    }
  };

  it.each([
    ['of a parser of JSON', thrown(() => JSON.parse(`{"a": "b", ${MARKER} "c"}`))],
    ['of a short text', thrown(() => JSON.parse(MARKER))],
    ['of a schema', z.object({ a: z.literal('b') }).safeParse({ a: MARKER }).error],
    ['of an address', thrown(() => new URL(MARKER))],
    ['with a cause', new Error('outer', { cause: thrown(() => JSON.parse(MARKER)) })],
    ['with members', Object.assign(new Error('row'), { detail: MARKER, code: '23514' })],
    ['in quotes', new Error(`the value "${MARKER} and more" is wrong`)],
    ['that is text', MARKER],
  ])('%s says what it is and where, and quotes nothing', (_name, error) => {
    const logged = loggableError(error);
    expect(JSON.stringify(logged)).not.toContain(MARKER);
    expect(logged.type).not.toBe('');
    if (error instanceof Error && error.stack?.includes('\n    at ')) {
      expect(logged.stack).toMatch(/^ {4}at /);
    }
  });
});
