import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkFully } from '../../../src/money/books/full.js';
import { type Receiver, type Reply, startReceiver } from '../../actions/tools/receiver.js';
import { newScanned } from '../../delivery/migration/steps.js';
import { type Folder, newFolder, writeProviders } from '../../faults/providers.js';
import { readSealedRows } from '../../faults/sealed-rows.js';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../../support/app.js';
import {
  type Behaviour,
  startUpstreamDouble,
  type UpstreamDouble,
} from '../../support/upstream-double.mjs';
import { brokenBodies, formsOf, newMarker, ODD_SHAPES, ODD_TEXTS } from './odd-texts.js';

const ROWS_MIN = 200;

let double: UpstreamDouble;
let receiver: Receiver;
let folder: Folder;
let app: TestApp;
let own: Customer;
let promptId: string;
const markers: string[] = [];

beforeAll(async () => {
  double = await startUpstreamDouble();
  receiver = await startReceiver();
  folder = newFolder();
  app = await startApp({
    GW_WEBHOOK_ALLOW: '127.0.0.1',
    GW_PROVIDERS_FILE: writeProviders(folder, double.origin, [{ lane: 'own', model: 'own/model' }]),
  });
  own = await newCustomer(app, 1_000);
  const { token: credential } = own;
  const post = (path: string, body: object) =>
    rest<{ id: string }>(app, 'POST', path, { credential, body });
  const verbs = [
    'close',
    { verb: 'refund', amount_field: '/amount_rub', compensating_verb: 'close' },
  ];
  await post('/v1/gw/tools/register', { tool_key: 'desk', verbs });
  await post('/v1/gw/tools/register', {
    tool_key: 'outside',
    verbs: ['close'],
    endpoint_url: receiver.url,
  });
  promptId = (await post('/v1/gw/prompts', { prompt_key: 'letters', use_case: 'a test' })).body.id;
});
afterAll(async () => {
  await app?.stop();
  await receiver?.close();
  await double?.close();
  folder?.remove();
});

function marker(): string {
  const made = newMarker();
  markers.push(made);
  return made;
}

interface Sent {
  readonly status: number;
  readonly text: string;
}

async function send(
  path: string,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): Promise<Sent> {
  const response = await fetch(app.url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${own.token}`,
      ...headers,
    },
    body: new Uint8Array(Buffer.from(body)),
  });
  return { status: response.status, text: await response.text() };
}

/** Where a literal of JSON goes into a request, in both voices. */
const PLACES: Readonly<Record<string, (literal: string) => readonly [path: string, body: string]>> =
  {
    'arguments of a call': (odd) => [
      '/v1/gw/tools/execute',
      `{"tool_key":"desk","verb":"close","arguments":{"id":${odd}}}`,
    ],
    'arguments of a previewed call': (odd) => [
      '/v1/gw/tools/preview',
      `{"tool_key":"desk","verb":"close","arguments":{"id":${odd}}}`,
    ],
    'arguments of a call to an endpoint': (odd) => [
      '/v1/gw/tools/execute',
      `{"tool_key":"outside","verb":"close","arguments":{"id":${odd}}}`,
    ],
    'arguments of a call that waits': (odd) => [
      '/v1/gw/tools/execute',
      `{"tool_key":"desk","verb":"refund","arguments":{"amount_rub":"1.00","id":${odd}}}`,
    ],
    'arguments of a call by GraphQL': (odd) => [
      '/graphql',
      `{"query":"mutation($i: ToolActionInput!) { toolCallExecute(input: $i) { id arguments } }",
        "variables":{"i":{"toolKey":"desk","verb":"close","arguments":{"id":${odd}}}}}`,
    ],
    'a record of an integration': (odd) => [
      '/v1/gw/integrations/actions/preview',
      `{"connector":"bitrix24","action":"contact.update","record_id":"one",
        "record":{"company":${odd}},"changes":{"company":${odd}}}`,
    ],
    'samples of a prompt': (odd) => [
      `/v1/gw/prompts/${promptId}/versions`,
      `{"template":"Hello","sample_variables":{"name":${odd}},"sample_outputs":[${odd}]}`,
    ],
    'a context pack of a prompt by GraphQL': (odd) => [
      '/graphql',
      `{"query":"mutation($p: ID!, $i: PromptVersionCreateInput!) {
          promptVersionCreate(promptId: $p, input: $i) { version } }","variables":{
          "p":"${promptId}","i":{"template":"Hello","contextPack":{"items":[{"text":${odd}}]},
               "sampleVariables":{"name":${odd}}}}}`.replaceAll('\n', ' '),
    ],
    'the input of a blueprint': (odd) => [
      '/v1/gw/blueprints/support-ticket-triage/run',
      `{"input":{"subject":${odd},"body":${odd},"queues":["Tills"]}}`,
    ],
    'messages of a chat': (odd) => [
      '/v1/chat/completions',
      `{"model":"own/model","messages":[{"role":"user","content":${odd}}]}`,
    ],
    'messages of a chat by GraphQL': (odd) => [
      '/graphql',
      `{"query":"mutation($b: ChatCompletionRequest!) { chatCompletionCreate(input: $b) }",
        "variables":{"b":{"model":"own/model","messages":[{"role":"user","content":${odd}}]}}}`,
    ],
  };

/** What of these keeps what it is given. */
const KEEPS_NOTHING = /preview|chat/;

/** The columns of every table in which one of the markers stands, in any form. */
async function inTheClear(): Promise<string[]> {
  const { rows: tables } = await app.owner.pool.query<{ name: string }>(
    `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
  );
  const found = new Set<string>();
  const forms = markers.flatMap(formsOf);
  let rowCount = 0;
  for (const { name } of tables) {
    const { rows } = await app.owner.pool.query<{ row: Record<string, unknown> }>(
      `SELECT to_jsonb(t) AS row FROM ${name} t`,
    );
    rowCount += rows.length;
    for (const { row } of rows) {
      for (const [column, value] of Object.entries(row)) {
        const text = JSON.stringify(value);
        if (forms.some((form) => text.includes(form))) found.add(`${name}.${column}`);
      }
    }
  }
  expect(rowCount).toBeGreaterThan(ROWS_MIN);
  return [...found];
}

/** All that is sealed, as it was given. */
async function sealedTexts(): Promise<string> {
  const { readable, faults } = await readSealedRows(app.owner.pool);
  expect(faults).toEqual([]);
  return readable.map(({ text }) => text).join('\n');
}

/** An answer that no input and no upstream may lead to. */
function isFault({ status, text }: Sent): boolean {
  return status === 500 || text.includes('internal_error');
}

function told({ status, text }: Sent): string {
  return `${status} ${text.slice(0, 200)}`;
}

describe('odd texts', () => {
  it.each(Object.keys(PLACES))('as %s are kept as they are or refused', async (place) => {
    const request = PLACES[place];
    const faults: string[] = [];
    const taken: { readonly name: string; readonly text: string }[] = [];
    for (const { name, literal } of [...ODD_TEXTS, ...ODD_SHAPES]) {
      const odd = literal(marker());
      const [path, body] = request?.(odd) ?? ['', ''];
      const answer = await send(path, body, { 'idempotency-key': newMarker() });
      if (answer.status >= 500 || isFault(answer)) faults.push(`${name}: ${told(answer)}`);
      const isTaken = answer.status === 200 && !answer.text.includes('"errors"');
      if (isTaken) taken.push({ name, text: JSON.stringify(JSON.parse(odd)) });
    }
    const mark = marker();
    const [path, body] = request?.(`"${mark}"`) ?? ['', ''];
    for (const bytes of brokenBodies(body, mark)) {
      const answer = await send(path, bytes);
      expect(answer.status, told(answer)).toBe(400);
    }
    expect(faults).toEqual([]);
    expect(taken.length).toBeGreaterThanOrEqual(ODD_TEXTS.length / 2);
    expect(taken.map(({ name }) => name)).not.toContain('beside no figure');
    const kept = await sealedTexts();
    const lost = taken.filter(({ text }) => !kept.includes(text)).map(({ name }) => name);
    if (!KEEPS_NOTHING.test(place)) expect(lost).toEqual([]);
  });

  it('as items of an evaluation are run or refused, and kept nowhere', async () => {
    const id = await newScanned(app, own);
    const path = `/v1/gw/migration/projects/${id}/compare`;
    const answers: number[] = [];
    for (const { literal } of [...ODD_TEXTS, ...ODD_SHAPES]) {
      const odd = literal(marker());
      const items = `[{"input":${odd},"expect":{"contains":${odd}},"source_output":${odd}}]`;
      const body = `{"source_cost_per_1m_rub":120,"model":"own/model","evaluation_set":${items}}`;
      const answer = await send(path, body);
      expect([answer.status < 500, answer.text]).toEqual([
        true,
        expect.not.stringContaining('internal_error'),
      ]);
      answers.push(answer.status);
    }
    expect(new Set(answers)).toEqual(new Set([200, 400]));
  });
});

/** What an endpoint of a tool may answer, with bytes that no text has. */
const REPLIES: readonly ((mark: string) => Reply)[] = [
  ...[...ODD_TEXTS, ...ODD_SHAPES].map(({ literal }) => (mark: string) => ({
    status: 200,
    body: `{"ok":true,"note":${literal(mark)}}`,
  })),
  (mark) => ({ status: 200, body: `{"ok":true,"note":"${mark}` }),
  (mark) => ({ status: 200, body: Buffer.concat([Buffer.from(mark), Buffer.of(0, 0xff, 0xfe)]) }),
  (mark) => ({ status: 200, body: `${mark}\u0000`.repeat(20_000) }),
  (mark) => ({ status: 422, body: `{"error":"${mark}"}` }),
  (mark) => ({ status: 500, body: `<html>${mark}\u0000</html>` }),
];

describe('what an endpoint of a tool answers', () => {
  it('is sealed whatever it is, and the call has its outcome in both voices', async () => {
    const close = { tool_key: 'outside', verb: 'close', arguments: {} };
    const read = 'query($id: ID!) { toolCall(id: $id) { status result { text } } }';
    for (const reply of REPLIES) {
      const mark = marker();
      receiver.reply = () => reply(mark);
      const call = await send('/v1/gw/tools/execute', JSON.stringify(close));
      expect(call.status, call.text).toBe(200);
      const { id, status, result } = JSON.parse(call.text);
      expect(['executed', 'failed']).toContain(status);
      const query = JSON.stringify({ query: read, variables: { id } });
      const { data } = JSON.parse((await send('/graphql', query)).text);
      expect(data.toolCall).toEqual({ status, result: result && { text: result.text } });
      if (result) expect(result.text).toContain(mark);
    }
    receiver.reply = () => ({ status: 200 });
  });
});

/** A completion with a literal of JSON as its text, and in the arguments of a call. */
function completion(odd: string): string {
  const call = `{"id":"c","type":"function","function":{"name":"close","arguments":${odd}}}`;
  const message = `{"role":"assistant","content":${odd},"tool_calls":[${call}]}`;
  return `{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,
    "message":${message},"finish_reason":"stop"}],"usage":${USAGE}}`;
}

const USAGE = '{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18}';

/** The same as a stream. */
function events(odd: string): string {
  const chunk = (choice: string) =>
    `data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m",${choice}}\n\n`;
  const part = `"choices":[{"index":0,"delta":{"role":"assistant","content":${odd}}}]`;
  const end = `"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]`;
  const usage = `"choices":[],"usage":${USAGE}`;
  return `${chunk(part)}${chunk(end)}${chunk(usage)}data: [DONE]\n\n`;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const STREAM_TYPE = { 'content-type': 'text/event-stream' };

/** How an upstream lies or fails, with a marker in what it says. */
const LIES: readonly ((mark: string, isStream: boolean) => Behaviour)[] = [
  ...[...ODD_TEXTS, ...ODD_SHAPES].map(({ literal }) => (mark: string, isStream: boolean) => {
    const raw = isStream ? events(literal(mark)) : completion(literal(mark));
    return { raw, headers: isStream ? STREAM_TYPE : JSON_TYPE };
  }),
  (mark, isStream) => {
    const whole = (isStream ? events : completion)(`"${mark}"`);
    const raw = whole.replaceAll(/"(x|m|stop|c|function)"/g, `"${mark}"`);
    return { raw, headers: isStream ? STREAM_TYPE : JSON_TYPE };
  },
  (mark) => ({ text: `${mark} щ`, latin: true }),
  (mark) => ({ text: mark, cutAfter: 1 }),
  (mark) => ({ text: mark, errorAfter: 2 }),
  (mark) => ({ text: mark, withoutFinish: true, withoutDone: true, usage: null }),
  (mark) => ({ text: mark, usage: { prompt_tokens: mark, completion_tokens: -1 } }),
  (mark) => ({ text: mark, usage: { prompt_tokens: 1, completion_tokens: 1, [mark]: { a: 1 } } }),
  (mark) => ({ raw: `{"choices":"${mark}"}`, headers: JSON_TYPE }),
  (mark) => ({ raw: `<html>${mark}\u0000` }),
  (mark) => ({
    status: 400,
    raw: JSON.stringify({ error: { message: mark, type: mark, code: mark, param: mark } }),
    headers: JSON_TYPE,
  }),
  (mark) => ({ status: 400, message: `no ${mark}\u0000` }),
  (mark) => ({ status: 500, message: mark }),
];

const CHAT = 'mutation($b: ChatCompletionRequest!) { chatCompletionCreate(input: $b) }';

describe('what an upstream answers', () => {
  it.each(['plain', 'streamed', 'by GraphQL'])(
    '%s is kept for a repeated request as it was given',
    async (voice) => {
      const isStream = voice === 'streamed';
      let repeated = 0;
      for (const [index, lie] of LIES.entries()) {
        const lane = `${voice.replace(' ', '')}-${index}`;
        const mark = marker();
        double.script('own', lie(mark, isStream));
        const messages = [{ role: 'user', content: `${lane} ${mark}` }];
        const chat = { model: 'own/model', messages };
        const [path, body] =
          voice === 'by GraphQL'
            ? ['/graphql', { query: CHAT, variables: { b: chat } }]
            : ['/v1/chat/completions', { ...chat, stream: isStream }];
        const key = { 'idempotency-key': lane };
        const first = await send(path, JSON.stringify(body), key);
        const again = await send(path, JSON.stringify(body), key);
        expect([isFault(first), isFault(again)], told(first)).toEqual([false, false]);
        const isWhole = first.status === 200 && !/"errors?":/.test(first.text);
        if (isWhole) expect(again.text).toBe(first.text);
        if (isWhole && first.text.includes(mark)) repeated += 1;
      }
      expect(repeated).toBeGreaterThanOrEqual(ODD_TEXTS.length / 2);
    },
  );
});

describe('all of the above', () => {
  it('stands in the clear in no column of any table', async () => {
    expect(await inTheClear()).toEqual([]);
    expect(await checkFully(app.server.services.platformPool)).toEqual([]);
  });
});
