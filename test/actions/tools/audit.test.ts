import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { graphql, newCustomer, startApp, type TestApp } from '../../support/app.js';
import { belongingsOf, callsOf } from './samples.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app?.stop());

interface Event {
  readonly action: string;
  readonly actorId: string;
  readonly subject: string;
  readonly subjectId: string;
  readonly afterHash: string | null;
}

async function trail(token: string): Promise<readonly Event[]> {
  const query =
    '{ auditEvents(first: 50) { nodes { action actorId subject subjectId afterHash } } }';
  const { data } = await graphql<{ auditEvents: { nodes: readonly Event[] } }>(
    app,
    query,
    {},
    token,
  );
  return data.auditEvents.nodes;
}

/** Deciding about a call is deciding about its approval. */
const RECORDED_AS: Readonly<Record<string, string>> = {
  toolCallApprove: 'approvalApprove',
  toolCallReject: 'approvalReject',
};

const MUTATIONS = [
  'toolRegister',
  'toolSigningSecretRotate',
  'toolCallExecute',
  'toolCallApprove',
  'toolCallReject',
  'toolCallRollback',
];

describe('the audit trail of tools', () => {
  it.each(MUTATIONS)('has exactly one event of a %s', async (mutation) => {
    const customer = await newCustomer(app);
    await callsOf(app)[mutation]?.(customer);
    const action = RECORDED_AS[mutation] ?? mutation;
    const events = (await trail(customer.token)).filter((event) => event.action === action);
    expect(events).toEqual([
      {
        action,
        actorId: customer.userId,
        subject: expect.stringMatching(/^(Tool|ToolCall|Approval)$/),
        subjectId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        afterHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ]);
  });

  it('names the contract and the call that were written', async () => {
    const customer = await newCustomer(app);
    const { Tool, ToolCall } = await belongingsOf(app, customer);
    const events = await trail(customer.token);
    const idOf = (action: string) => events.find((event) => event.action === action)?.subjectId;
    expect([idOf('toolRegister'), idOf('toolCallExecute')]).toEqual([Tool, ToolCall]);
  });

  it('has no event of a preview or of what was refused', async () => {
    const customer = await newCustomer(app);
    const before = await trail(customer.token);
    const text = 'mutation { toolRegister(input: { toolKey: "A", verbs: [] }) { id } }';
    await graphql(app, text, {}, customer.token);
    expect(await trail(customer.token)).toEqual(before);
  });
});
