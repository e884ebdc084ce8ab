import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { resumeToolCalls } from '../../../src/actions/tools/execution.js';
import { resumeApprovals } from '../../../src/records/approvals/execution.js';
import { type Customer, graphql, newCustomer, startApp, type TestApp } from '../../support/app.js';
import { type Receiver, type Reply, startReceiver } from './receiver.js';
import { type CallBody, decide, execute, receiptOf, register } from './world.js';

let app: TestApp;
let endpoint: Receiver;
beforeAll(async () => {
  app = await startApp({ GW_WEBHOOK_ALLOW: '127.0.0.1' });
  endpoint = await startReceiver();
});
afterEach(() => {
  endpoint.reply = () => ({ status: 200 });
});
afterAll(async () => {
  await app?.stop();
  await endpoint?.close();
});

const UPDATE = { tool_key: 'hook', verb: 'update', arguments: { id: 'Ж-1' } };
const DELETE = { tool_key: 'hook', verb: 'delete', arguments: { id: 'Ж-1' } };

async function hooked(change: object = {}): Promise<Customer & { readonly secret: string }> {
  const customer = await newCustomer(app);
  const contract = { tool_key: 'hook', verbs: ['update', 'delete'], endpoint_url: endpoint.url };
  const { body } = await register(app, customer, { ...contract, ...change });
  return { ...customer, secret: body.signing_secret ?? '' };
}

function callsTo(id: string) {
  return endpoint.received.filter(({ headers }) => headers['webhook-id'] === id);
}

function stored(id: string) {
  return app.owner.prisma.toolCall.findUniqueOrThrow({ where: { id } });
}

function sql(text: string, ...values: unknown[]) {
  return app.owner.pool.query(text, values);
}

/** Moves the end of a lease into the past, as if its process had died long ago. */
function agedLease(table: 'approval' | 'tool_call', id: string) {
  const past = "clock_timestamp() - interval '1 second'";
  return sql(`UPDATE ${table} SET execute_after = ${past} WHERE id = $1`, id);
}

/** An endpoint that takes its time: `arrived` when it was called, `release` lets it answer. */
function slowEndpoint() {
  let arrive = () => {};
  let release = (_reply: Reply) => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const reply = new Promise<Reply>((resolve) => {
    release = resolve;
  });
  endpoint.reply = () => {
    arrive();
    return reply;
  };
  return { arrived, release: (status: number) => release({ status }) };
}

describe('http_webhook', () => {
  it('calls the endpoint with a body that its secret verifies, and keeps the answer', async () => {
    const { token, tenantId, secret } = await hooked();
    const { body: call } = await execute(app, token, { ...UPDATE, session_id: 'run-7' });
    const [received] = callsTo(call.id);
    if (!received) throw new Error('the endpoint was not called');
    const headers = received.headers as Record<string, string>;
    const message = new Webhook(secret).verify(received.text, headers);
    expect(message).toEqual({
      id: call.id,
      type: 'tool.call',
      timestamp: call.created_at,
      tenant_id: tenantId,
      tool_key: 'hook',
      contract_version: 1,
      verb: 'update',
      arguments: { id: 'Ж-1' },
      session_id: 'run-7',
      rollback_of: null,
    });
    expect(() => new Webhook(secret).verify(`${received.text} `, headers)).toThrow();
    expect(call).toMatchObject({
      status: 'executed',
      simulated: false,
      latency_ms: expect.any(Number),
      result: {
        status_code: 200,
        content_type: 'application/json',
        text: '{"ok":true}',
        truncated: false,
      },
    });
  });

  it('signs with the new secret after a rotation, and with the old one not', async () => {
    const { token, secret } = await hooked();
    const { data } = await graphql<{ toolSigningSecretRotate: { signingSecret: string } }>(
      app,
      'mutation { toolSigningSecretRotate(toolKey: "hook") { signingSecret } }',
      {},
      token,
    );
    const { body: call } = await execute(app, token, UPDATE);
    const [received] = callsTo(call.id);
    const headers = received?.headers as Record<string, string>;
    const verify = (of: string) => new Webhook(of).verify(received?.text ?? '', headers);
    expect(verify(data.toolSigningSecretRotate.signingSecret)).toMatchObject({ id: call.id });
    expect(() => verify(secret)).toThrow();
  });

  it('tries again with the same id, and says in the end that it was executed', async () => {
    const { token } = await hooked();
    endpoint.reply = (received) => ({
      status: callsTo(String(received.headers['webhook-id'])).length === 1 ? 503 : 200,
    });
    const { body: call } = await execute(app, token, UPDATE);
    expect(call).toMatchObject({ status: 'executed', attempts: 1 });
    expect(callsTo(call.id).map(({ text }) => text)).toEqual(
      Array(2).fill(callsTo(call.id)[0]?.text),
    );
  });

  it('leaves a failed call with its receipt when the endpoint cannot be reached', async () => {
    const { token } = await hooked({ endpoint_url: 'http://127.0.0.1:9/hook', timeout_ms: 1_000 });
    const { status, body: call } = await execute(app, token, UPDATE);
    expect(status).toBe(200);
    expect(call).toMatchObject({ status: 'failed', result: null });
    expect(['connection_failed', 'timeout']).toContain(call.failure);
    const { body: receipt } = await receiptOf(app, token, call.id);
    expect(receipt).toMatchObject({ sealed: true, status: 'failed', failure: call.failure });
  });

  it('keeps at most 16 KiB of an answer and says that there was more', async () => {
    const { token } = await hooked();
    endpoint.reply = () => ({ status: 200, body: `"\u0000${'я'.repeat(20_000)}"` });
    const { body: call } = await execute(app, token, UPDATE);
    expect(Buffer.byteLength(call.result?.text ?? '')).toBeLessThanOrEqual(16_384 + 2);
    expect(call.result).toMatchObject({ truncated: true });
    expect(call.status).toBe('executed');
  });
});

describe('a crash', () => {
  it('between approval and execution neither loses nor repeats the action', async () => {
    const { token } = await hooked();
    const { body: call } = await execute(app, token, DELETE);
    // The decision is committed, and its process dies before the first attempt.
    await sql(
      `UPDATE approval SET status = 'approved', decided_by = requested_by,
         decided_at = clock_timestamp(), execution = 'waiting', execute_after = clock_timestamp()
       WHERE id = $1`,
      call.approval_id,
    );
    await sql(
      "UPDATE tool_call SET status = 'approved', approval_status = 'approved' WHERE id = $1",
      call.id,
    );
    const { services } = app.server;
    await Promise.all([resumeApprovals(services), resumeApprovals(services)]);
    await resumeToolCalls(services);
    expect(await stored(call.id)).toMatchObject({ status: 'executed', attempts: 1 });
    await resumeApprovals(services);
    expect(callsTo(call.id)).toHaveLength(1);
  });

  it('during an approved execution repeats the call under its id, and ends it once', async () => {
    const { token } = await hooked();
    const { body: call } = await execute(app, token, DELETE);
    const slow = slowEndpoint();
    const dying = decide(app, token, call.id, 'approve');
    await slow.arrived;
    await agedLease('approval', call.approval_id ?? '');
    await agedLease('tool_call', call.id);
    endpoint.reply = () => ({ status: 200, body: '{"second":true}' });
    await resumeApprovals(app.server.services);
    expect(await stored(call.id)).toMatchObject({ status: 'executed', attempts: 2 });
    // The first attempt comes back to life: its result must not count any more.
    slow.release(422);
    const { body } = await dying;
    expect(body).toMatchObject({
      status: 'executed',
      attempts: 2,
      result: { text: '{"second":true}' },
    });
    expect(callsTo(call.id).map(({ text }) => text)).toEqual(
      Array(2).fill(callsTo(call.id)[0]?.text),
    );
    const { body: receipt } = await receiptOf(app, token, call.id);
    expect(receipt).toMatchObject({ status: 'executed', attempts: 2 });
  });

  it('during an allowed execution is made good by the sweep when its lease has ended', async () => {
    const { token } = await hooked();
    const slow = slowEndpoint();
    const dying = execute(app, token, UPDATE);
    await slow.arrived;
    const id = String(endpoint.received.at(-1)?.headers['webhook-id']);
    await resumeToolCalls(app.server.services);
    expect(callsTo(id)).toHaveLength(1);
    await agedLease('tool_call', id);
    endpoint.reply = () => ({ status: 200, body: '{"second":true}' });
    await Promise.all([resumeToolCalls(app.server.services), resumeToolCalls(app.server.services)]);
    expect(callsTo(id)).toHaveLength(2);
    slow.release(200);
    const { body } = await dying;
    expect(body).toMatchObject({
      id,
      status: 'executed',
      attempts: 2,
      result: { text: '{"second":true}' },
    });
  });

  /** An allowed call as a process leaves it that dies before its first attempt. */
  async function abandoned(token: string, attempts: number): Promise<CallBody> {
    const { body: call } = await execute(app, token, UPDATE);
    const { body: twin } = await execute(app, token, DELETE);
    await sql(
      `UPDATE tool_call SET verb = 'update', decision = 'allow', approval_id = NULL,
         approval_status = 'not_required', status = 'executing', attempts = $2,
         execute_after = clock_timestamp(), bound_hash = (
           SELECT bound_hash FROM tool_call WHERE id = $3)
       WHERE id = $1`,
      twin.id,
      attempts,
      call.id,
    );
    return twin;
  }

  it('before the first attempt is made good by the sweep, once', async () => {
    const { token } = await hooked();
    const call = await abandoned(token, 0);
    const { services } = app.server;
    await Promise.all(Array.from({ length: 4 }, () => resumeToolCalls(services)));
    expect(await stored(call.id)).toMatchObject({ status: 'executed', attempts: 1 });
    expect(callsTo(call.id)).toHaveLength(1);
  });

  it('in every attempt ends with a failed call that says so', async () => {
    const { token } = await hooked();
    const call = await abandoned(token, 5);
    await Promise.all([resumeToolCalls(app.server.services), resumeToolCalls(app.server.services)]);
    expect(callsTo(call.id)).toHaveLength(0);
    const { body } = await receiptOf(app, token, call.id);
    expect(body).toMatchObject({
      sealed: true,
      status: 'failed',
      failure: 'execution_given_up',
      attempts: 5,
    });
  });

  it('in every attempt of an approved call ends with a failed call that says so', async () => {
    const { token } = await hooked();
    const { body: call } = await execute(app, token, DELETE);
    await sql(
      `UPDATE approval SET status = 'approved', decided_by = requested_by, attempts = 5,
         decided_at = clock_timestamp(), execution = 'running', execute_after = clock_timestamp()
       WHERE id = $1`,
      call.approval_id,
    );
    await sql(
      `UPDATE tool_call SET status = 'executing', approval_status = 'approved', attempts = 5,
         execute_after = clock_timestamp() WHERE id = $1`,
      call.id,
    );
    await resumeApprovals(app.server.services);
    expect(callsTo(call.id)).toHaveLength(0);
    const { body } = await receiptOf(app, token, call.id);
    expect(body).toMatchObject({ sealed: true, status: 'failed', failure: 'execution_given_up' });
  });
});
