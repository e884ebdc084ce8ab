import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import {
  type Body,
  latest,
  MODEL,
  type MoneyWorld,
  startMoneyWorld,
} from '../inference/money/world.js';
import { type Customer, newCustomer } from '../support/app.js';

let world: MoneyWorld;
let customer: Customer;
/** What the connections of the gateway take for the time, in milliseconds. */
let clockMs = 0;

beforeAll(async () => {
  world = await startMoneyWorld();
  world.server.connections.nowMs = () => clockMs;
  customer = await newCustomer(world, 10_000);
});
afterAll(() => world.stop());

const EVENT = {
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta: { content: 'a' } }],
  padding: 'x'.repeat(50_000),
};
/** More than the system takes for a reader that takes nothing. The text of a stream is bounded. */
const LONG = {
  whole: { text: 'много слов '.repeat(700_000) },
  streamed: { insertAfter: 2, insert: `data: ${JSON.stringify(EVENT)}\n\n`.repeat(260) },
} as const;

const INPUT = { model: MODEL, messages: [{ role: 'user', content: 'Здравствуйте' }] };
const PLAIN = `mutation Ask($input: ChatCompletionRequest!) {
  answer: chatCompletionCreate(input: $input) }`;
const STREAM = `subscription Ask($input: ChatCompletionRequest!) {
  answer: chatCompletionStream(input: $input) }`;

/** Sends a request, reads nothing of the answer, and tells when the connection is gone. */
async function stalledOver(path: string, body: Body, accept = '*/*'): Promise<Socket> {
  const socket = connect(world.server.port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  const text = JSON.stringify(body);
  const head = [
    `POST ${path} HTTP/1.1`,
    'host: test',
    'content-type: application/json',
    `accept: ${accept}`,
    `authorization: Bearer ${customer.key}`,
    `content-length: ${Buffer.byteLength(text)}`,
  ];
  socket.pause();
  socket.write(`${head.join('\r\n')}\r\n\r\n${text}`);
  return socket;
}

const OVER_HTTP: readonly (readonly [string, keyof typeof LONG, () => Promise<Socket>])[] = [
  [
    'REST, streamed',
    'streamed',
    () => stalledOver('/v1/chat/completions', { ...INPUT, stream: true }),
  ],
  ['REST, plain', 'whole', () => stalledOver('/v1/chat/completions', INPUT)],
  [
    'GraphQL, server-sent events',
    'streamed',
    () =>
      stalledOver('/graphql', { query: STREAM, variables: { input: INPUT } }, 'text/event-stream'),
  ],
  [
    'GraphQL, plain',
    'whole',
    () => stalledOver('/graphql', { query: PLAIN, variables: { input: INPUT } }),
  ],
];

/** Lets half a minute pass as often as it takes. */
async function untilNobodyIsServed(): Promise<void> {
  const { connections, services } = world.server;
  await expect.poll(() => connections.unread, { timeout: 20_000 }).toBe(1);
  const passed = () => {
    clockMs += 30_000;
    connections.look();
    return [connections.unread, services.places.inFlight];
  };
  await expect.poll(passed, { timeout: 20_000 }).toEqual([0, 0]);
}

describe('a reader that takes nothing for half a minute', () => {
  it.each(OVER_HTTP)('is ended and its request settled: %s', async (_name, form, ask) => {
    await world.double.script('own', LONG[form]);
    const socket = await ask();
    await untilNobodyIsServed();
    await expect.poll(async () => (await latest(world, customer)).state).not.toBe('held');
    socket.resume();
    if (!socket.closed) await once(socket, 'close');
  });

  it('is ended and its request settled: a socket', async () => {
    await world.double.script('own', LONG.streamed);
    const socket = new WebSocket(
      `${world.url.replace('http', 'ws')}/graphql`,
      'graphql-transport-ws',
    );
    socket.on('error', () => {});
    await once(socket, 'open');
    const payload = { authorization: `Bearer ${customer.key}` };
    socket.send(JSON.stringify({ type: 'connection_init', payload }));
    await once(socket, 'message');
    const asked = { query: STREAM, variables: { input: INPUT } };
    socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: asked }));
    await once(socket, 'message');
    socket.pause();
    await untilNobodyIsServed();
    await expect.poll(async () => (await latest(world, customer)).state).not.toBe('held');
    socket.resume();
    if (socket.readyState !== WebSocket.CLOSED) await once(socket, 'close');
  });
});

describe('a reader that takes a little now and then', () => {
  it('gets all of its answer, however long it takes', async () => {
    await world.double.script('own', LONG.whole);
    const socket = await stalledOver('/v1/chat/completions', INPUT);
    let bytes = 0;
    let told = '';
    socket.on('data', (part) => {
      bytes += part.length;
      told = part.toString('latin1').slice(-20);
      socket.pause();
    });
    const { connections } = world.server;
    const taken = async () => {
      const before = bytes;
      // So much that the next part has left the gateway before it looks again.
      while (bytes < before + 4_000_000 && !told.endsWith('}')) {
        socket.resume();
        await new Promise(setImmediate);
      }
      clockMs += 29_000;
      connections.look();
      return [bytes > 13_000_000, told.endsWith('}')];
    };
    await expect.poll(taken, { timeout: 30_000, interval: 5 }).toEqual([true, true]);
    expect(socket.closed).toBe(false);
    socket.destroy();
  });
});

describe('a connection that says nothing', () => {
  it('is closed after ten seconds, and one that has spoken is not', async () => {
    const { connections } = world.server;
    const silent = connect(world.server.port, '127.0.0.1');
    const spoken = connect(world.server.port, '127.0.0.1');
    silent.on('error', () => {});
    await Promise.all([once(silent, 'connect'), once(spoken, 'connect')]);
    spoken.write('GET /livez HTTP/1.1\r\nhost: test\r\n\r\n');
    await once(spoken, 'data');
    const closed = once(silent, 'close');
    clockMs += 10_000;
    connections.look();
    await closed;
    spoken.write('GET /livez HTTP/1.1\r\nhost: test\r\n\r\n');
    const [answer] = await once(spoken, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1.1 200 /);
    spoken.destroy();
  });
});
