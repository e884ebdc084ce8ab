import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type Customer, newCustomer, startApp, type TestApp } from '../support/app.js';

let app: TestApp;
let customer: Customer;
beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app, 100);
});
afterAll(() => app?.stop());

/** The headers by which the client of Java offers HTTP/2 with its first request. */
const OFFER = [
  'Connection: Upgrade, HTTP2-Settings',
  'HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
  'Upgrade: h2c',
];

const BODY = JSON.stringify({
  model: 'sandbox/gw-mini',
  messages: [{ role: 'user', content: 'Скажи «привет»' }],
});

function head(first: string, lines: readonly string[] = []): string {
  return [first, 'Host: 127.0.0.1', ...lines, '', ''].join('\r\n');
}

function chatHead(lines: readonly string[]): string {
  return head('POST /v1/chat/completions HTTP/1.1', [
    ...lines,
    `Authorization: Bearer ${customer.key}`,
    'Content-Type: application/json',
  ]);
}

const WHOLE = `Content-Length: ${Buffer.byteLength(BODY)}`;

/** The statuses of what a server has said on a connection so far. */
function answersOn(socket: Socket): () => string[] {
  let text = '';
  socket.on('error', () => {});
  socket.on('data', (part) => {
    text += part.toString();
  });
  return () => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status ?? '');
}

async function opened(): Promise<Socket> {
  const socket = connect(app.server.port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

describe('a request that offers another protocol', () => {
  it.each([
    ['with its body in one piece', [...OFFER, WHOLE], BODY],
    ['with its body in chunks', [...OFFER, 'Transfer-Encoding: chunked'], inChunks(BODY)],
    ['of a name that nobody knows', ['Connection: upgrade', 'Upgrade: x/1', WHOLE], BODY],
  ])('is answered as if it offered none, %s', async (_what, lines, body) => {
    const socket = await opened();
    socket.write(chatHead(lines) + body);
    await expect.poll(answersOn(socket)).toEqual(['200']);
    socket.destroy();
  });

  it('is answered where its body comes later, and so is one after the other', async () => {
    const warned: string[] = [];
    const keep = ({ name }: Error) => warned.push(name);
    process.on('warning', keep);
    const socket = await opened();
    const answers = answersOn(socket);
    socket.write(chatHead([...OFFER, WHOLE]));
    for (const part of [BODY.slice(0, 10), BODY.slice(10)]) {
      await new Promise((written) => socket.write(part, written));
    }
    for (let count = 1; count <= 15; count += 1) {
      await expect.poll(answers).toEqual(Array(count).fill('200'));
      socket.write(head('GET /readyz HTTP/1.1', OFFER));
    }
    await expect.poll(answers).toHaveLength(16);
    process.off('warning', keep);
    expect(warned).toEqual([]);
    socket.destroy();
  });

  it('loses the connection where it does not wait for the answer before', async () => {
    const socket = await opened();
    const closed = once(socket, 'close');
    const answers = answersOn(socket);
    socket.write(chatHead([WHOLE]) + BODY + head('GET /readyz HTTP/1.1', OFFER));
    await closed;
    expect(answers().length).toBeLessThan(2);
  });

  it('is refused as any other without a credential', async () => {
    const socket = await opened();
    socket.write(head('POST /v1/chat/completions HTTP/1.1', [...OFFER, WHOLE]) + BODY);
    await expect.poll(answersOn(socket)).toEqual(['401']);
    socket.destroy();
  });
});

it('a socket is opened where GraphQL is, and nowhere else', async () => {
  const address = app.url.replace('http', 'ws');
  const socket = new WebSocket(`${address}/graphql`, 'graphql-transport-ws');
  await once(socket, 'open');
  socket.close();
  const other = new WebSocket(`${address}/v1/models`, 'graphql-transport-ws');
  const [error] = await once(other, 'error');
  expect(String(error)).toContain('400');
});

function inChunks(text: string): string {
  const bytes = Buffer.from(text);
  return `${bytes.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
}
