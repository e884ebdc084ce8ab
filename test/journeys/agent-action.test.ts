import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from 'graphql-ws';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { encodeCursor, FEED_START } from '../../src/records/feed.rules.js';
import { newCustomer, startApp, type TestApp } from '../support/app.js';
import { newKey, newMember } from './people.js';
import { comparable, graphqlVoice, type Json, restVoice, Story, type Voice } from './voices.js';

/** A helpdesk that takes only what is signed. */
interface Helpdesk {
  readonly server: Server;
  readonly url: string;
  /** The secret of the tool that it serves. */
  secret: string;
  readonly taken: Json[];
}

let app: TestApp;
let desk: Helpdesk;
beforeAll(async () => {
  app = await startApp({ GW_WEBHOOK_ALLOW: '127.0.0.1' });
  desk = await openHelpdesk();
});
afterAll(async () => {
  desk.server.close();
  await app.stop();
});

function openHelpdesk(): Promise<Helpdesk> {
  const taken: Json[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const headers = request.headers as Record<string, string>;
      // Throws where the signature, the time or the body is not right.
      const message = new Webhook(opened.secret).verify(Buffer.concat(chunks), headers);
      taken.push({ ...(message as Json), webhook_id: headers['webhook-id'] });
      response.setHeader('content-type', 'application/json');
      response.end('{"closed":true}');
    });
  });
  const opened = { server, url: '', secret: '', taken };
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      resolve(Object.assign(opened, { url: `http://127.0.0.1:${port}/actions` }));
    });
  });
}

interface ApprovalEvent {
  readonly type: string;
  readonly payload: { readonly approvalId: string; readonly subjectId: string };
}

/** Follows the approvals over a socket; `next` waits for an event of a type. */
function follow(credential: string) {
  const client = createClient({
    url: `${app.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${credential}` },
  });
  const events = client.iterate<{ approvalEvents: ApprovalEvent }>({
    query: `subscription($after: String) {
      approvalEvents(after: $after) { type payload { approvalId subjectId } }
    }`,
    // From the beginning of the feed, so that nothing depends on who is faster.
    variables: { after: encodeCursor(FEED_START) },
  });
  return {
    async next(): Promise<ApprovalEvent> {
      const { value } = await events.next();
      return value.data.approvalEvents;
    },
    async end() {
      await events.return?.();
      await client.dispose();
    },
  };
}

const ACTION = {
  tool_key: 'helpdesk.tickets',
  verb: 'delete',
  arguments: { ticket_id: 'T-1' },
  reason: 'The customer asked to be forgotten.',
};

/** An agent asks for something destructive; security approves it live; the receiver verifies. */
async function agentAction(voice: Voice): Promise<Json> {
  const owner = await newCustomer(app);
  const security = await newMember(app, owner.token, 'security');
  const agent = (await newKey(app, owner.token, 'agent')).key;
  const other = (await newKey(app, owner.token, 'agent')).key;
  const story = new Story(voice);
  const tool = await story.step(
    'register',
    'RegisterTool',
    {
      tool_key: 'helpdesk.tickets',
      verbs: ['read', { verb: 'delete', compensating_verb: 'restore' }, 'restore'],
      endpoint_url: desk.url,
    },
    owner.token,
  );
  desk.secret = String(tool.signing_secret);
  desk.taken.length = 0;
  const live = follow(security.token);
  const preview = await story.step('preview', 'PreviewToolCall', ACTION, agent);
  const asked = await story.step('execute', 'ExecuteToolCall', ACTION, agent);
  expect(asked).toMatchObject({ status: 'pending', decision: preview.decision });
  const requested = await live.next();
  expect([requested.type, requested.payload.subjectId]).toEqual(['requested', asked.id]);
  const id = asked.id;
  await story.step('queue', 'ListToolApprovals', {}, security.token);
  await story.refused('agent approves', 'ApproveToolCall', { id }, agent);
  await story.refused('another agent reads', 'GetToolCallReceipt', { id }, other);
  expect(desk.taken).toEqual([]);
  await story.step('approve', 'ApproveToolCall', { id, reason: 'agreed' }, security.token);
  const types = [(await live.next()).type, (await live.next()).type];
  await live.end();
  await story.refused('approve twice', 'ApproveToolCall', { id }, security.token);
  await story.refused('reject late', 'RejectToolCall', { id }, security.token);
  await story.step('receipt', 'GetToolCallReceipt', { id }, agent);
  await story.step('log', 'ListToolCalls', {}, agent);
  return { ...story.told, types, received: [...desk.taken] };
}

describe('an agent that asks for a destructive action', () => {
  it('is the same story through REST and through GraphQL', async () => {
    const told = comparable(await agentAction(restVoice(app))) as Json;
    expect(comparable(await agentAction(graphqlVoice(app)))).toEqual(told);
    expect(told).toMatchObject({
      preview: { decision: 'needs_approval', guard: 'destructive' },
      execute: { status: 'pending', approval_status: 'pending', simulated: false },
      queue: { nodes: [{ kind: 'tool_call', status: 'pending' }] },
      'agent approves': 'permission_denied',
      'another agent reads': 'not_found',
      approve: { status: 'executed', approval_status: 'approved', result: { status_code: 200 } },
      'approve twice': 'approval_already_decided',
      'reject late': 'approval_already_decided',
      receipt: { sealed: true, status: 'executed', approval: { self_approved: false } },
      types: ['approved', 'executed'],
    });
    const { received, execute } = told as { received: Json[]; execute: Json };
    expect(received).toEqual([
      expect.objectContaining({
        type: 'tool.call',
        id: execute.id,
        webhook_id: execute.id,
        verb: 'delete',
        arguments: ACTION.arguments,
      }),
    ]);
  });
});
