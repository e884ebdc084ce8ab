import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { type Folder, newUsedFolder } from '../faults/providers.js';
import { type GatewayProcess, startGateway } from '../support/gateway-process.js';
import { BLOCKED_MS_MAX, blockedBy } from './bombs/blocked.js';
import { type Bomb, bombs } from './bombs/documents.js';
import { type Probe, probe } from './bombs/probe.js';

const ANSWER_MS_MAX = 10_000;

let folder: Folder;
let gateway: GatewayProcess;
let beside: Probe;
beforeAll(async () => {
  folder = await newUsedFolder();
  gateway = await startGateway({ GW_DATA_DIR: folder.path });
  beside = probe(gateway);
});
afterAll(async () => {
  await beside.stop();
  await gateway.terminate();
  folder.remove();
});

type Send = (bomb: Bomb) => Promise<string>;

const signal = () => AbortSignal.timeout(ANSWER_MS_MAX);

function posting(headers: Record<string, string>): Send {
  return async ({ query, variables }) => {
    const answer = await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query, variables }),
      signal: signal(),
    });
    return `${answer.status} ${await answer.text()}`;
  };
}

/** Addresses are bounded by Node itself, so that long documents are refused with 431. */
const getting: Send = async ({ query, variables = {} }) => {
  const search = new URLSearchParams({ query, variables: JSON.stringify(variables) });
  const answer = await fetch(`${gateway.url}/graphql?${search}`, { signal: signal() });
  return `${answer.status} ${await answer.text()}`;
};

const overSocket: Send = (bomb) =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/graphql`, [
      'graphql-transport-ws',
    ]);
    const { query, variables } = bomb;
    const late = setTimeout(() => reject(new Error('no answer')), ANSWER_MS_MAX);
    const end = (text: string) => {
      clearTimeout(late);
      socket.terminate();
      resolve(text);
    };
    socket.on('open', () => socket.send('{"type":"connection_init"}'));
    socket.on('error', (error) => end(`closed ${error.message}`));
    socket.on('close', (code) => end(`closed ${code}`));
    socket.on('message', (data) => {
      const text = String(data);
      if (text.includes('connection_ack')) {
        socket.send(JSON.stringify({ id: 'a', type: 'subscribe', payload: { query, variables } }));
      } else end(`200 ${text}`);
    });
  });

const VOICES: readonly (readonly [string, Send])[] = [
  ['posted', posting({})],
  ['posted for a response of GraphQL', posting({ accept: 'application/graphql-response+json' })],
  ['posted for events', posting({ accept: 'text/event-stream' })],
  ['in an address', getting],
  ['over a socket', overSocket],
];

describe.each(VOICES)('a document that is made to be large, %s', (_, send) => {
  it('keeps nobody waiting, and is answered or refused by the catalogue', async () => {
    const found: string[] = [];
    for (const bomb of bombs()) {
      const { ms, answer } = await blockedBy(beside, () => send(bomb));
      if (ms > BLOCKED_MS_MAX) found.push(`${bomb.name}: /livez waited ${Math.round(ms)} ms`);
      if (!/^(200|400|405|413|431|closed)/.test(answer) || answer.includes('internal_error')) {
        found.push(`${bomb.name}: ${answer.slice(0, 200)}`);
      }
    }
    expect(found).toEqual([]);
    expect(gateway.logs()).not.toContain('internal error');
  }, 180_000);
});
