import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import type { SettleOp } from '../../../src/money/ledger/ledger.js';
import { type Customer, newCustomer } from '../../support/app.js';
import { type Body, latest, MODEL, type MoneyWorld, startMoneyWorld, VOICES } from './world.js';

let world: MoneyWorld;
let customer: Customer;
/** What the ledger was told of charges, in order. */
const told: string[] = [];

beforeAll(async () => {
  world = await startMoneyWorld();
  const { ledger } = world.server.services;
  const { settle, delivered } = ledger;
  ledger.settle = (op: SettleOp) => {
    told.push(op.delivered ? 'charged for good' : 'charged');
    return settle(op);
  };
  ledger.delivered = (...ref) => {
    told.push('delivered');
    delivered(...ref);
  };
});

afterAll(async () => {
  await world.stop();
});

beforeEach(async () => {
  await world.double.script('own', {});
  customer = await newCustomer(world, 100);
  told.length = 0;
});

const INPUT = { model: MODEL, messages: [{ role: 'user', content: 'Здравствуйте' }] };
const PLAIN = `mutation Ask($input: ChatCompletionRequest!) {
  answer: chatCompletionCreate(input: $input) }`;
const STREAM = `subscription Ask($input: ChatCompletionRequest!) {
  answer: chatCompletionStream(input: $input) }`;

describe('a charge is final when the last byte of its answer has left', () => {
  it.each(VOICES)('over %s', async (_name, ask) => {
    expect((await ask(world, customer.key, INPUT)).failure).toBeUndefined();
    await expect.poll(() => told).toEqual(['charged', 'delivered']);
  });

  it.each([
    ['a mutation', PLAIN],
    ['a subscription', STREAM],
  ])('over a socket, for %s', async (_name, query) => {
    const client = createClient({
      url: `${world.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { authorization: `Bearer ${customer.key}` },
      retryAttempts: 0,
    });
    const answers: unknown[] = [];
    for await (const answer of client.iterate({ query, variables: { input: INPUT } })) {
      answers.push(answer.data);
    }
    expect(answers.length).toBeGreaterThan(0);
    await expect.poll(() => told).toEqual(['charged', 'delivered']);
    await client.dispose();
    await expect.poll(async () => (await latest(world, customer)).state).toBe('delivered');
  });

  it('and not before: a reader that stops keeps it open', async () => {
    await world.double.script('own', { text: 'много слов '.repeat(400_000) });
    const socket = connect(Number(new URL(world.url).port), '127.0.0.1');
    await ask(socket, { query: PLAIN, variables: { input: INPUT } });
    await expect.poll(() => told, { timeout: 20_000 }).toEqual(['charged']);
    await expect.poll(async () => (await latest(world, customer)).state).toBe('finalized');
    expect(told).toEqual(['charged']);
    socket.resume();
    await expect.poll(() => told, { timeout: 20_000 }).toEqual(['charged', 'delivered']);
    await expect.poll(async () => (await latest(world, customer)).state).toBe('delivered');
    socket.destroy();
  });
});

describe('a socket', () => {
  it('is not closed for operations that were refused and are over', async () => {
    const client = createClient({
      url: `${world.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { authorization: `Bearer ${customer.key}` },
      retryAttempts: 0,
      lazy: false,
    });
    const run = async (query: string) => {
      const told: unknown[] = [];
      for await (const answer of client.iterate({ query, variables: { input: INPUT } })) {
        told.push(answer.data);
      }
      return told;
    };
    for (let refused = 0; refused < 25; refused += 1) {
      await expect(run('{ nothing }')).rejects.toMatchObject([
        { message: expect.stringContaining('Cannot query field "nothing"') },
      ]);
    }
    expect(await run(PLAIN)).toHaveLength(1);
    await client.dispose();
  });
});

/** Sends a request and reads nothing. */
async function ask(socket: Socket, body: Body): Promise<void> {
  await once(socket, 'connect');
  const text = JSON.stringify(body);
  socket.pause();
  socket.write(
    [
      'POST /graphql HTTP/1.1',
      'host: test',
      'content-type: application/json',
      `authorization: Bearer ${customer.key}`,
      `content-length: ${Buffer.byteLength(text)}`,
      '',
      text,
    ].join('\r\n'),
  );
}
