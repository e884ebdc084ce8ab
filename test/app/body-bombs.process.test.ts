import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Folder, newUsedFolder } from '../faults/providers.js';
import { newCustomer } from '../support/app.js';
import { type GatewayProcess, startGateway } from '../support/gateway-process.js';
import { BLOCKED_MS_MAX, blockedBy } from './bombs/blocked.js';
import { type Probe, probe } from './bombs/probe.js';

let folder: Folder;
let gateway: GatewayProcess;
let beside: Probe;
let key = '';
beforeAll(async () => {
  folder = await newUsedFolder();
  gateway = await startGateway({ GW_DATA_DIR: folder.path });
  key = (await newCustomer(gateway, 10_000)).key;
  beside = probe(gateway);
});
afterAll(async () => {
  await beside.stop();
  await gateway.terminate();
  folder.remove();
});

const MIB = 1_048_576;

function repeated(count: number, item: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => item(index)).join(',');
}

/** What stands in a body where a client may write anything. */
const BOMBS: Readonly<Record<string, string>> = {
  'lists side by side': `[${repeated(3_000_000, () => '[]')}]`,
  'lists in lists': `${'['.repeat(4_900_000)}${']'.repeat(4_900_000)}`,
  'objects in objects': `${'{"a":'.repeat(800_000)}1${'}'.repeat(800_000)}`,
  'names of members': `{${repeated(800_000, (index) => `"k${index}":1`)}}`,
  'objects of other shapes': `[${repeated(700_000, (index) => `{"${index}":1}`)}]`,
  texts: `[${repeated(1_000_000, (index) => `"${index}"`)}]`,
  'empty texts': `[${repeated(3_300_000, () => '""')}]`,
  numbers: `[${repeated(5_000_000, () => '1')}]`,
  escapes: `"${'\\"'.repeat(4_900_000)}"`,
  backslashes: `"${'\\\\'.repeat(4_900_000)}"`,
  'a text without an end': `"${'\\"'.repeat(4_900_000)}`,
  'the same name': `{${repeated(1_000_000, () => '"a":1')}}`,
};

const VOICES = {
  'GraphQL without a credential': ['/graphql', () => '', graphql],
  'GraphQL with an invented key': ['/graphql', () => 'gw_live_invented', graphql],
  'GraphQL with a key': ['/graphql', () => key, graphql],
  'chat with a key': ['/v1/chat/completions', () => key, chat],
  'embeddings with a key': ['/v1/embeddings', () => key, embeddings],
  'a preview with a key': ['/v1/gw/tools/preview', () => key, preview],
} as const;

function graphql(bomb: string): string {
  return `{"query":"{ __typename }","variables":{"a":${bomb}}}`;
}

function chat(bomb: string): string {
  const messages = '[{"role":"user","content":"hello"}]';
  return `{"model":"echo","messages":${messages},"response_format":${bomb}}`;
}

function embeddings(bomb: string): string {
  return `{"model":"lab/embedder","input":${bomb}}`;
}

function preview(bomb: string): string {
  return `{"verb":"crm.read","arguments":${bomb}}`;
}

function post(path: string, credential: string, body: string) {
  return fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(credential && { authorization: `Bearer ${credential}` }),
    },
    body,
  });
}

/** A gateway that refuses before it has read closes the connection, which a client may meet. */
async function answered(path: string, credential: string, body: string): Promise<string> {
  try {
    const answer = await post(path, credential, body);
    return `${answer.status} ${await answer.text()}`;
  } catch (error) {
    return `closed ${String((error as Error).cause)}`;
  }
}

describe.each(Object.entries(VOICES))('a body that is made to be large, as %s', (_, voice) => {
  const [path, credential, bodyOf] = voice;

  it('keeps nobody waiting, and is refused by the catalogue', async () => {
    const found: string[] = [];
    for (const [name, bomb] of Object.entries(BOMBS)) {
      const send = () => answered(path, credential(), bodyOf(bomb));
      const { ms, answer } = await blockedBy(beside, send);
      if (ms > BLOCKED_MS_MAX) found.push(`${name}: /livez waited ${Math.round(ms)} ms`);
      if (!/^(4\d\d|closed)|^200/.test(answer) || answer.includes('internal_error')) {
        found.push(`${name}: ${answer.slice(0, 200)}`);
      }
    }
    expect(found).toEqual([]);
    expect(gateway.logs()).not.toContain('internal error');
  }, 120_000);
});

/** The answer to a body that is announced and not sent: nothing is cut while it is written. */
async function announced(credential: string, bytes: number): Promise<string> {
  const headers = {
    'content-type': 'application/json',
    'content-length': String(bytes),
    ...(credential && { authorization: `Bearer ${credential}` }),
  };
  const asked = request(`${gateway.url}/graphql`, { method: 'POST', headers });
  // The gateway closes the connection behind its answer.
  asked.on('error', () => undefined);
  asked.flushHeaders();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  const { errors } = (await json(answer)) as { errors: { extensions: { code: string } }[] };
  asked.destroy();
  return `${answer.statusCode} ${errors[0]?.extensions.code}`;
}

describe('the body of an operation of GraphQL', () => {
  it('has at most 64 KiB without a credential that is known, however it is shown', async () => {
    for (const shown of ['', 'gw_live_invented', 'abc']) {
      expect(await announced(shown, 65_537)).toBe('413 body_too_large');
    }
    expect(await announced(key, 11 * MIB)).toBe('413 body_too_large');
    const padded = (bytes: number) => '{"query":"{ __typename }"}'.padEnd(bytes);
    const answer = /^200 {"data":{"__typename":"Query"}/;
    expect(await answered('/graphql', '', padded(65_536))).toMatch(answer);
    expect(await answered('/graphql', key, padded(2 * MIB))).toMatch(answer);
  });
});
