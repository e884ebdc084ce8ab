import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expireApprovals } from '../../../src/records/approvals/queue.js';
import { newKey, newMember, outcome } from '../../journeys/people.js';
import { type Customer, graphql, newCustomer, startApp, type TestApp } from '../../support/app.js';
import { type Receiver, startReceiver } from './receiver.js';
import {
  type CallBody,
  DESK,
  decide,
  execute,
  REFUND,
  receiptOf,
  register,
  tools,
} from './world.js';

let app: TestApp;
let endpoint: Receiver;
beforeAll(async () => {
  app = await startApp({ GW_WEBHOOK_ALLOW: '127.0.0.1' });
  endpoint = await startReceiver();
});
afterAll(async () => {
  await app?.stop();
  await endpoint?.close();
});

/** A customer whose refunds wait, with one that does. */
async function waiting(): Promise<Customer & { readonly call: CallBody }> {
  const customer = await newCustomer(app);
  await register(app, customer, { ...DESK, endpoint_url: endpoint.url });
  const { body: call } = await execute(app, customer.key, REFUND);
  return { ...customer, call };
}

function callsTo(id: string): number {
  return endpoint.received.filter(({ headers }) => headers['webhook-id'] === id).length;
}

describe('a call that waits', () => {
  it('stands in the one queue with what it is about, and for how long', async () => {
    const { token, call, keyId } = await waiting();
    const { status, body } = await tools<{ data: object[] }>(app, token, 'GET', '/approvals');
    expect(status).toBe(200);
    expect(body.data).toEqual([
      {
        id: call.approval_id,
        kind: 'tool_call',
        call_id: call.id,
        summary: 'desk: refund (the risk of refund is high)',
        shown: {
          call_id: call.id,
          tool_key: 'desk',
          contract_version: 1,
          connector: 'http_webhook',
          endpoint_url: endpoint.url,
          verb: 'refund',
          verb_origin: 'published',
          risk: 'high',
          arguments: { amount_rub: '150.00' },
          blast_radius: {
            records: 1,
            records_basis: 'declared_by_verb',
            amount_micro: '150000000',
            amount_basis: 'declared_in_arguments',
            destructive: false,
            reversible: true,
            compensating_verb: 'charge_back',
          },
          reasons: call.reasons,
          bound_hash: call.bound_hash,
          requested_by: { kind: 'api_key', id: keyId, role: 'service' },
          reason: null,
          session_id: null,
        },
        shown_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        status: 'pending',
        requested_by: keyId,
        decided_by: null,
        erased: false,
        self_approved: false,
        reason: null,
        execution: 'none',
        expires_at: expect.any(String),
        decided_at: null,
        created_at: expect.any(String),
      },
    ]);
    const filtered = (query: string) => tools(app, token, 'GET', `/approvals${query}`);
    expect((await filtered('?kind=budget_exception')).body).toMatchObject({ data: [] });
    expect((await filtered('?status=approved&kind=tool_call')).body).toMatchObject({ data: [] });
    expect(callsTo(call.id)).toBe(0);
  });

  it('is executed when approved; the receipt says by whom, and that it was alone', async () => {
    const { token, userId, call } = await waiting();
    const { status, body } = await decide(app, token, call.id, 'approve', { reason: 'Agreed.' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: call.id,
      status: 'executed',
      approval_status: 'approved',
      simulated: false,
      result: { status_code: 200, text: '{"ok":true}' },
    });
    expect(callsTo(call.id)).toBe(1);
    const { body: receipt } = await receiptOf(app, token, call.id);
    expect(receipt).toMatchObject({
      sealed: true,
      status: 'executed',
      connector: 'http_webhook',
      simulated: false,
      approval: {
        approval_id: call.approval_id,
        decided_by: userId,
        self_approved: true,
        reason: 'Agreed.',
      },
      result: { status_code: 200 },
    });
  });

  it('is not self-approved when another member who may decide approves it', async () => {
    const { token, call } = await waiting();
    const security = await newMember(app, token, 'security');
    expect(outcome(await decide(app, token, call.id, 'approve'))).toBe(
      '403 approval_self_forbidden',
    );
    await decide(app, security.token, call.id, 'approve');
    const { body } = await receiptOf(app, token, call.id);
    expect(body.approval).toMatchObject({ decided_by: security.userId, self_approved: false });
  });

  it('is never self-approved in an organization that requires four eyes', async () => {
    const { token, call, tenantId } = await waiting();
    await app.owner.prisma.tenant.update({
      where: { id: tenantId },
      data: { fourEyesAlways: true },
    });
    expect(outcome(await decide(app, token, call.id, 'approve'))).toBe(
      '403 approval_self_forbidden',
    );
    expect(callsTo(call.id)).toBe(0);
  });

  it('is rejected once, and then never executed', async () => {
    const { token, call } = await waiting();
    const { body } = await decide(app, token, call.id, 'reject', { reason: 'Too much.' });
    expect(body).toMatchObject({ status: 'rejected', approval_status: 'rejected', result: null });
    for (const verb of ['approve', 'reject']) {
      const again = await decide(app, token, call.id, verb);
      expect(outcome(again)).toBe('422 approval_already_decided');
    }
    expect(callsTo(call.id)).toBe(0);
    const { body: receipt } = await receiptOf(app, token, call.id);
    expect(receipt).toMatchObject({
      sealed: true,
      status: 'rejected',
      approval: { reason: 'Too much.' },
      rollback: { available: false, reason: 'the call is rejected' },
    });
  });

  it('is decided by owner, admin and security, and by no other role and no key', async () => {
    const { token, call } = await waiting();
    const refused = [];
    for (const role of ['developer', 'finance', 'viewer'] as const) {
      refused.push((await newMember(app, token, role)).token);
    }
    for (const type of ['standard', 'service', 'agent']) {
      refused.push((await newKey(app, token, type)).key);
    }
    for (const credential of refused) {
      const answers = ['approve', 'reject'].map((verb) => decide(app, credential, call.id, verb));
      expect((await Promise.all(answers)).map(outcome)).toEqual(
        Array(2).fill('403 permission_denied'),
      );
    }
    const admin = await newMember(app, token, 'admin');
    expect((await decide(app, admin.token, call.id, 'approve')).body.status).toBe('executed');
  });

  it('expires, and then is neither approved nor executed', async () => {
    const { token, call } = await waiting();
    await app.owner.pool.query(
      "UPDATE approval SET expires_at = clock_timestamp() - interval '1 second' WHERE id = $1",
      [call.approval_id],
    );
    await expireApprovals(app.server.services);
    expect(outcome(await decide(app, token, call.id, 'approve'))).toBe(
      '422 approval_already_decided',
    );
    const { body } = await receiptOf(app, token, call.id);
    expect(body).toMatchObject({
      sealed: true,
      status: 'expired',
      approval_status: 'expired',
      approval: { decided_by: null },
    });
    expect(callsTo(call.id)).toBe(0);
  });

  it('is executed once, however many approve it at the same time', async () => {
    const { token, call } = await waiting();
    const mutation = 'mutation($id: ID!) { toolCallApprove(id: $id) { status } }';
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, racer) => {
        if (racer % 2 === 0) return outcome(await decide(app, token, call.id, 'approve'));
        const { errors } = await graphql(app, mutation, { id: call.id }, token);
        return errors?.[0] ? `422 ${errors[0].extensions.code}` : '200';
      }),
    );
    expect(answers.filter((answer) => answer === '200')).toHaveLength(1);
    expect(answers.filter((answer) => answer === '422 approval_already_decided')).toHaveLength(19);
    expect(callsTo(call.id)).toBe(1);
    const receipts = await app.owner.prisma.sealedReceipt.findMany({
      where: { kind: 'tool_call', sealKey: call.id },
    });
    expect(receipts).toHaveLength(1);
  });

  it('is decided about exactly what was shown', async () => {
    const { token, call } = await waiting();
    const shown_hash = '0'.repeat(64);
    const answer = await decide(app, token, call.id, 'approve', { shown_hash });
    expect(outcome(answer)).toBe('400 invalid_request');
    expect((await receiptOf(app, token, call.id)).body.status).toBe('pending');
  });

  it('is refused a decision with a reason that is too long', async () => {
    const { token, call } = await waiting();
    const answer = await decide(app, token, call.id, 'approve', { reason: 'x'.repeat(1_001) });
    expect(outcome(answer)).toBe('400 invalid_request');
  });

  it('whose endpoint fails has a receipt that says so, and is not lost', async () => {
    const { token, call } = await waiting();
    endpoint.reply = () => ({ status: 422, body: '{"error":"no such order"}' });
    const { body } = await decide(app, token, call.id, 'approve');
    endpoint.reply = () => ({ status: 200 });
    expect(body).toMatchObject({
      status: 'failed',
      approval_status: 'approved',
      failure: 'status_refused',
      result: { status_code: 422, text: '{"error":"no such order"}' },
    });
    const { body: receipt } = await receiptOf(app, token, call.id);
    expect(receipt).toMatchObject({
      sealed: true,
      status: 'failed',
      failure: 'status_refused',
      rollback: { available: false, reason: 'the call is failed' },
    });
  });
});

describe('an approval is bound to what was shown: the call is voided, not executed, when', () => {
  async function voided(change: (owner: Awaited<ReturnType<typeof waiting>>) => Promise<unknown>) {
    const owner = await waiting();
    await change(owner);
    const { status, body } = await decide(app, owner.token, owner.call.id, 'approve');
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'voided', failure: 'decision_outdated', result: null });
    expect(callsTo(owner.call.id)).toBe(0);
    const { body: receipt } = await receiptOf(app, owner.token, owner.call.id);
    expect(receipt).toMatchObject({ sealed: true, status: 'voided', failure: 'decision_outdated' });
  }

  it('the contract was registered again', () =>
    voided((owner) =>
      register(app, owner, { ...DESK, endpoint_url: endpoint.url, name: 'Another desk' }),
    ));

  it('the verb is blocked by now', () =>
    voided((owner) =>
      register(app, owner, { tool_key: 'desk', verbs: ['read'], endpoint_url: endpoint.url }),
    ));

  it('the signing secret was rotated', () =>
    voided(({ token }) =>
      graphql(app, 'mutation { toolSigningSecretRotate(toolKey: "desk") { id } }', {}, token),
    ));

  it.each([
    ['arguments', `arguments_sealed = NULL, arguments = '{"amount_rub": "150000.00"}'`],
    ['the verb', `verb = 'charge_back'`],
    ['the requester', `requested_by_role = 'agent'`],
    ['the hash', `bound_hash = sha256('x')`],
  ])('%s of the row was edited', (_what, change) =>
    voided(({ call }) =>
      app.owner.pool.query(`UPDATE tool_call SET ${change} WHERE id = $1`, [call.id]),
    ),
  );
});

describe('a call that never waited', () => {
  it('is neither approved nor rejected', async () => {
    const customer = await newCustomer(app);
    await register(app, customer, DESK);
    const { body: done } = await execute(app, customer.token, { tool_key: 'desk', verb: 'read' });
    const { body: refused } = await execute(app, customer.token, {
      tool_key: 'desk',
      verb: 'send',
    });
    for (const { id } of [done, refused]) {
      for (const verb of ['approve', 'reject']) {
        const answer = await decide(app, customer.token, id, verb);
        expect(outcome(answer)).toBe('422 tool_call_without_approval');
      }
    }
  });
});
