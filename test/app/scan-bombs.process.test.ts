import { writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import * as o200k from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Folder, newUsedFolder } from '../faults/providers.js';
import { newCustomer } from '../support/app.js';
import { type GatewayProcess, startGateway } from '../support/gateway-process.js';
import { BLOCKED_MS_MAX, blockedBy } from './bombs/blocked.js';
import { type Probe, probe } from './bombs/probe.js';
import { longTexts, shortMessages, type TextBomb } from './bombs/texts.js';

const MIB = 1_048_576;
const MODEL = 'wide/model';
const EMBED = 'wide/embed';

let folder: Folder;
let upstream: Server;
let gateway: GatewayProcess;
let beside: Probe;
let funded = '';
let poor = '';
/** What the upstream says next, and how often it was asked. */
let lie = '';
/** How much of it one event of a stream holds. */
let eventChars = MIB;
let asked = 0;

beforeAll(async () => {
  folder = await newUsedFolder();
  upstream = createServer((request, response) => {
    asked += 1;
    json(request)
      .then((body) => {
        if (request.url?.endsWith('/embeddings')) vector(response);
        else answer(response, (body as { stream?: boolean }).stream === true);
      })
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const { port } = upstream.address() as AddressInfo;
  const providers = join(folder.path, 'providers.json');
  writeFileSync(providers, JSON.stringify({ providers: [provider(port)] }));
  gateway = await startGateway({ GW_DATA_DIR: folder.path, GW_PROVIDERS_FILE: providers });
  const customer = await newCustomer(gateway, 1_000_000);
  funded = customer.key;
  poor = (await newCustomer(gateway)).key;
  beside = probe(gateway);
}, 240_000);
afterAll(async () => {
  await beside.stop();
  await gateway.terminate();
  upstream.closeAllConnections();
  upstream.close();
  folder.remove();
});

function provider(port: number) {
  return {
    id: 'wide',
    name: 'wide',
    operator: 'the test',
    base_url: `http://127.0.0.1:${port}/v1`,
    jurisdiction: 'rf',
    models: [
      {
        id: MODEL,
        upstream_name: 'wide',
        capabilities: ['text', 'streaming', 'tools', 'json'],
        context_window: 20_000_000,
        max_output_tokens: 5_000_000,
        prices: [{ effective_from: '2026-01-01', input: 1, output: 1 }],
      },
      {
        id: EMBED,
        upstream_name: 'embed',
        operation: 'embeddings',
        capabilities: ['text', 'embeddings'],
        context_window: 20_000_000,
        prices: [{ effective_from: '2026-01-01', input: 1 }],
      },
    ],
  };
}

const USAGE = { prompt_tokens: 10, completion_tokens: 1_000, total_tokens: 1_010 };

function vector(response: ServerResponse): void {
  const data = [{ object: 'embedding', index: 0, embedding: [0.5, 0.25] }];
  const usage = { prompt_tokens: 1, total_tokens: 1 };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ object: 'list', data, model: 'embed', usage }));
}

function answer(response: ServerResponse, isStream: boolean): void {
  const frame = { id: 'a', object: isStream ? 'chat.completion.chunk' : 'chat.completion' };
  const choice = { index: 0, finish_reason: 'stop' };
  if (!isStream) {
    const message = { role: 'assistant', content: lie || 'hello' };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ...frame, choices: [{ ...choice, message }], usage: USAGE }));
    return;
  }
  response.setHeader('content-type', 'text/event-stream');
  const write = (value: object) => response.write(`data: ${JSON.stringify(value)}\n\n`);
  const text = lie || 'hello';
  for (let from = 0; from < text.length; from += eventChars) {
    const delta = { content: text.slice(from, from + eventChars) };
    write({ ...frame, choices: [{ index: 0, delta, finish_reason: null }] });
  }
  write({ ...frame, choices: [{ ...choice, delta: {} }] });
  write({ ...frame, choices: [], usage: USAGE });
  response.end('data: [DONE]\n\n');
}

async function chat(key: string, messages: TextBomb['messages'], stream: boolean): Promise<string> {
  const answered = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: MODEL, messages, stream }),
  });
  return `${answered.status} ${await answered.text()}`;
}

const LONG = longTexts(MIB / 8);
/** As long as a body may be: 280,000 numbers of cards, each of which is masked. */
const WHOLE: readonly TextBomb[] = longTexts(4.8 * MIB).slice(0, 1);
const BOMBS = [...LONG, ...shortMessages(2_000)];

async function faultsOf(
  bombs: readonly TextBomb[],
  send: (bomb: TextBomb) => Promise<string>,
  status: string,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const bomb of bombs) {
    const { ms, answer: said } = await blockedBy(beside, () => send(bomb));
    if (ms > BLOCKED_MS_MAX) found.push(`${bomb.name}: /livez waited ${Math.round(ms)} ms`);
    if (!said.startsWith(status)) found.push(`${bomb.name}: ${said.slice(0, 200)}`);
  }
  return found;
}

describe('texts that are made to be long to scan', () => {
  it('keep nobody waiting and are answered, from an account with funds', async () => {
    const send = ({ messages }: TextBomb) => chat(funded, messages, false);
    expect(await faultsOf([...WHOLE, ...BOMBS], send, '200 ')).toEqual([]);
  }, 240_000);

  it('keep nobody waiting where their answers are streamed', async () => {
    const send = ({ messages }: TextBomb) => chat(funded, messages, true);
    expect(await faultsOf(LONG.slice(0, 3), send, '200 ')).toEqual([]);
  }, 120_000);

  it('keep nobody waiting, eight at once', async () => {
    const send = async ({ messages }: TextBomb) => {
      const all = Array.from({ length: 8 }, () => chat(funded, messages, false));
      return [...new Set((await Promise.all(all)).map((said) => said.slice(0, 4)))].join();
    };
    expect(await faultsOf(longTexts(MIB / 2).slice(0, 1), send, '200 ')).toEqual([]);
  }, 240_000);

  it.each([false, true])(
    'are not read from an account without funds, streamed: %s',
    async (on) => {
      const before = asked;
      const send = ({ messages }: TextBomb) => chat(poor, messages, on);
      expect(await faultsOf([...WHOLE, ...BOMBS], send, '402 ')).toEqual([]);
      expect(asked).toBe(before);
    },
    60_000,
  );
});

describe('a token array that is made to be long to read', () => {
  /** 4,096 tokens of 345,000 characters, nearly all of them spaces. */
  const SPACES = o200k.encode(`${' '.repeat(505)}a`.repeat(700)).slice(0, 4_096);
  const LETTERS = Array.from({ length: 8_192 }, (_, at) => 64 + ((at * at * 7) % 26));

  it('keeps nobody waiting, whatever its tokens are', async () => {
    const found: string[] = [];
    for (const input of [SPACES, LETTERS]) {
      const send = async () => {
        const answered = await fetch(`${gateway.url}/v1/embeddings`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${funded}` },
          body: JSON.stringify({ model: EMBED, input }),
        });
        return `${answered.status} ${await answered.text()}`;
      };
      // The tables of the encodings are loaded once.
      await send();
      const { ms, answer: said } = await blockedBy(beside, send);
      if (ms > BLOCKED_MS_MAX) found.push(`/livez waited ${Math.round(ms)} ms`);
      if (!said.startsWith('200 ')) found.push(said.slice(0, 200));
    }
    expect(found).toEqual([]);
  }, 120_000);
});

describe('a pack of texts that are made to be long to scan', () => {
  it('keeps nobody waiting while a context policy judges it', async () => {
    const post = async (path: string, body: object) => {
      const answered = await fetch(`${gateway.url}/v1/gw/context-policies${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${funded}` },
        body: JSON.stringify(body),
      });
      return { status: answered.status, text: await answered.text() };
    };
    const made = await post('', { name: 'pack', data_classes: ['C0'] });
    const { id } = JSON.parse(made.text) as { readonly id: string };
    const send = async ({ messages }: TextBomb) => {
      const items = messages.map(({ content }) => ({ text: content }));
      const { status, text } = await post(`/${id}/evaluate`, { items });
      return `${status} ${text}`;
    };
    const cards = longTexts(MIB / 2).slice(0, 1);
    expect(await faultsOf(cards, send, '200 ')).toEqual([]);
  }, 120_000);
});

describe('an answer that is made to be long to scan', () => {
  /** What a request says of which something is masked, so that its answer is rewritten. */
  const MASKED = [{ role: 'user', content: 'Карта 4111 1111 1111 1111' }] as const;

  it.each([
    ['whole', false, 'numbers of cards'],
    ['streamed', true, 'numbers of cards'],
    ['whole', false, 'digits without a space'],
    ['streamed', true, 'digits without a space'],
  ])(
    'keeps nobody waiting, %s: %#',
    async (_, stream, kind) => {
      lie = longTexts(2 * MIB).find(({ name }) => name === kind)?.messages[0]?.content ?? '';
      const bombs = [{ name: kind, messages: MASKED }];
      const send = ({ messages }: TextBomb) => chat(funded, messages, stream);
      expect(await faultsOf(bombs, send, '200 ')).toEqual([]);
      lie = '';
    },
    120_000,
  );

  /** What is relayed as it comes, and what is rewritten. */
  const PLAIN = [{ role: 'user', content: 'Здравствуйте' }] as const;

  it.each([
    ['relayed', PLAIN, 'numbers of cards'],
    ['rewritten', MASKED, 'numbers of cards'],
    ['relayed', PLAIN, 'digits without a space'],
    ['rewritten', MASKED, 'digits without a space'],
  ] as const)(
    'keeps nobody waiting where one event of 2 MiB holds all of it, %s: %#',
    async (_, messages, kind) => {
      lie = longTexts(2 * MIB).find(({ name }) => name === kind)?.messages[0]?.content ?? '';
      eventChars = 4 * MIB;
      const send = () => chat(funded, messages, true);
      expect(await faultsOf([{ name: kind, messages }], send, '200 ')).toEqual([]);
      lie = '';
      eventChars = MIB;
    },
    120_000,
  );

  it('ends as the failure of its provider where one event passes 4 MiB', async () => {
    lie = `${'a'.repeat(MIB)}${'b'.repeat(5 * MIB)}`;
    eventChars = 6 * MIB;
    const send = () => chat(funded, PLAIN, true);
    const { ms, answer: said } = await blockedBy(beside, send);
    expect([ms > BLOCKED_MS_MAX, said.includes('upstream_failed')]).toEqual([false, true]);
    lie = '';
    eventChars = MIB;
  }, 120_000);
});
