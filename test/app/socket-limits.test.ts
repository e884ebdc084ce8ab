import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import WebSocket from 'ws';
import type { Place } from '../../rest-compat/arrival.js';
import type { Load } from '../../src/app/load/load.js';
import { type Customer, newCustomer, startApp, type TestApp } from '../support/app.js';

let app: TestApp;
let own: Customer;
let other: Customer;
beforeAll(async () => {
  app = await startApp({
    GW_TRUSTED_PROXIES: '1',
    GW_SOCKETS_PER_ADDRESS_MAX: '4',
    GW_SOCKETS_PER_CREDENTIAL_MAX: '2',
    GW_SOCKET_OPERATIONS_MAX: '2',
    GW_IN_FLIGHT_MAX: '10',
  });
  own = await newCustomer(app);
  other = await newCustomer(app);
});
afterAll(() => app.stop());

const opened: WebSocket[] = [];

function shake(address: string, headers: Record<string, string> = {}): WebSocket {
  const socket = new WebSocket(`${app.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
    headers: { 'x-forwarded-for': address, ...headers },
  });
  opened.push(socket);
  socket.on('error', () => {});
  return socket;
}

/** Opens a socket and shows a credential. @returns the first answer, or the code of the end */
async function open(address: string, key: string, authorization = `Bearer ${key}`) {
  const socket = shake(address);
  await once(socket, 'open');
  const payload = authorization === own.key ? { 'x-api-key': key } : { authorization };
  const answered = Promise.race([
    once(socket, 'message').then(([bytes]) => JSON.parse(String(bytes)).type as string),
    once(socket, 'close').then(([code]) => code as number),
  ]);
  socket.send(JSON.stringify({ type: 'connection_init', payload }));
  return { socket, answered: await answered };
}

async function closeAll() {
  for (const socket of opened.splice(0)) socket.terminate();
  await expect.poll(() => app.server.services.places.inFlight).toBe(0);
}

describe('sockets of one address', () => {
  it('are refused beyond their number with an error of the catalogue, others are not', async () => {
    const taken = Array.from({ length: 4 }, () => shake('203.0.113.1'));
    await Promise.all(taken.map((socket) => once(socket, 'open')));
    const refused = shake('203.0.113.1', { 'accept-language': 'ru' });
    const [, answer] = (await once(refused, 'unexpected-response')) as [unknown, IncomingMessage];
    const body = JSON.parse(String(Buffer.concat(await answer.toArray())));
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([429, '5']);
    expect(body.errors).toMatchObject([
      {
        message: expect.stringMatching(/^С этого адреса/),
        extensions: { code: 'too_many_sockets' },
      },
    ]);
    await once(shake('203.0.113.2'), 'open');
    taken[0]?.terminate();
    const again = async () => {
      const socket = shake('203.0.113.1');
      const seen = await Promise.race([
        once(socket, 'open').then(() => 'open'),
        once(socket, 'unexpected-response').then(() => 'refused'),
      ]);
      return seen;
    };
    await expect.poll(again).toBe('open');
    await closeAll();
  });
});

describe('sockets of one credential', () => {
  it('are closed beyond their number, from whichever addresses they come', async () => {
    const answers: unknown[] = [];
    for (const address of ['203.0.113.11', '203.0.113.12', '203.0.113.13']) {
      answers.push((await open(address, own.key)).answered);
    }
    answers.push((await open('203.0.113.11', other.key)).answered);
    expect(answers).toEqual(['connection_ack', 'connection_ack', 4429, 'connection_ack']);
    // However it is spelt, and by whichever of its secrets.
    for (const spelt of [`Bearer   ${own.key} `, `bEARER ${own.key}`, own.key]) {
      expect((await open('203.0.113.14', spelt, spelt)).answered).toBe(4429);
    }
    await closeAll();
    expect((await open('203.0.113.11', own.key)).answered).toBe('connection_ack');
    await closeAll();
  });

  it('run no more operations at once than they may', async () => {
    const { socket } = await open('203.0.113.21', own.key);
    const query = 'subscription { approvalEvents { cursor } }';
    const closed = once(socket, 'close');
    for (const id of ['1', '2', '3']) {
      socket.send(JSON.stringify({ id, type: 'subscribe', payload: { query } }));
    }
    expect((await closed)[0]).toBe(4429);
    await closeAll();
  });
});

describe('an operation on a socket', () => {
  it('takes a place of the node, and is refused alone where there is none', async () => {
    const load = app.server.services.places as Load;
    const { socket } = await open('203.0.113.31', own.key);
    const query = 'subscription { approvalEvents { cursor } }';
    socket.send(JSON.stringify({ id: 'feed', type: 'subscribe', payload: { query } }));
    await expect.poll(() => load.inFlight).toBe(1);
    const places: Place[] = [];
    for (let count = 0; count < 7; count += 1) {
      places.push(await load.admit('sign_in', `caller ${count}`));
    }
    const heard = once(socket, 'message');
    socket.send(JSON.stringify({ id: 'more', type: 'subscribe', payload: { query } }));
    const [message] = await heard;
    expect(JSON.parse(String(message))).toMatchObject({
      id: 'more',
      type: 'error',
      payload: [{ extensions: { code: 'overloaded' } }],
    });
    for (const place of places) place.leave();
    // The feed is at work until it has answered its first time.
    await expect.poll(() => [load.inFlight, load.atWork]).toEqual([1, 0]);
    socket.send(JSON.stringify({ id: 'feed', type: 'complete' }));
    await expect.poll(() => load.inFlight).toBe(0);
    await closeAll();
  });
});

describe('a socket that speaks against the protocol', () => {
  it('is closed, and nothing is told of it outside of the log', async () => {
    const told = vi.spyOn(console, 'error').mockImplementation(() => {});
    const ends: unknown[] = [];
    const two = { authorization: `Bearer ${own.key}`, 'x-api-key': other.key };
    const init = JSON.stringify({ type: 'connection_init', payload: two });
    for (const message of [init, 'x'.repeat(70_000), '{']) {
      const socket = shake('203.0.113.51');
      await once(socket, 'open');
      socket.send(message);
      ends.push((await once(socket, 'close'))[0]);
    }
    expect(ends).toEqual([4403, 1009, 4400]);
    expect(told.mock.calls).toEqual([]);
    told.mockRestore();
    await closeAll();
  });
});

describe('a socket that shows nothing', () => {
  it('is closed, also where its client does not answer the end', async () => {
    const socket = shake('203.0.113.41');
    await once(socket, 'open');
    const [code] = await once(socket, 'close');
    expect(code).toBe(4408);
  });

  it('is closed too where it begins without a credential, and serves what is public', async () => {
    const socket = shake('203.0.113.42');
    await once(socket, 'open');
    const said: { type: string; payload?: unknown }[] = [];
    socket.on('message', (bytes) => said.push(JSON.parse(String(bytes))));
    const query = '{ errorCatalogue { __typename } }';
    socket.send(JSON.stringify({ type: 'connection_init', payload: {} }));
    await expect.poll(() => said.length).toBe(1);
    socket.send(JSON.stringify({ id: 'one', type: 'subscribe', payload: { query } }));
    const [code] = await once(socket, 'close');
    expect([code, said[0]?.type, said.length > 1]).toEqual([4401, 'connection_ack', true]);
  });
});
