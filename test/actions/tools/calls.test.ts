import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KEY_TYPES } from '../../../src/graph/permissions.js';
import { newKey, newMember, outcome } from '../../journeys/people.js';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../../support/app.js';
import { type CallBody, DESK, execute, REFUND, receiptOf, register, tools } from './world.js';

let app: TestApp;
let customer: Customer;
/** A credential of a member and of every type of key. */
const credentials = new Map<string, string>();

const MATRIX = {
  tool_key: 'matrix',
  verbs: [
    'read',
    'update',
    'delete',
    'import',
    { verb: 'tag', records_field: '/ids', risk: 'low' },
    { verb: 'charge_fee', amount_field: '/amount', risk: 'low' },
    { verb: 'bulk_delete', records_field: '/ids' },
    { verb: 'send', requires_approval: true },
  ],
};

const ACTIONS = [
  ['read', {}],
  ['update', { id: 1 }],
  ['delete', { id: 1 }],
  ['import', {}],
  ['tag', { ids: [1, 2, 3] }],
  ['tag', { ids: 50 }],
  ['tag', { ids: 5_000 }],
  ['tag', { ids: 50_000 }],
  ['tag', {}],
  ['charge_fee', { amount: '999.99' }],
  ['charge_fee', { amount: 5_000 }],
  ['charge_fee', { amount: 50_000 }],
  ['charge_fee', { amount: 'a lot' }],
  ['bulk_delete', { ids: [1] }],
  ['send', {}],
  ['publish', {}],
] as const;

beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app);
  credentials.set('member', customer.token);
  for (const { code } of KEY_TYPES.rows) {
    credentials.set(code, (await newKey(app, customer.token, code)).key);
  }
  await register(app, customer, MATRIX);
  await register(app, customer, DESK);
});
afterAll(() => app?.stop());

function preview(credential: string, action: object) {
  return tools<CallBody>(app, credential, 'POST', '/preview', action);
}

const CALLERS = ['member', ...KEY_TYPES.codes];

describe('preview and execution', () => {
  it.each(CALLERS)('give a %s the same answer, whatever is asked', async (who) => {
    const credential = credentials.get(who) ?? '';
    for (const [verb, values] of ACTIONS) {
      const action = { tool_key: 'matrix', verb, arguments: values };
      const { body: shown } = await preview(credential, action);
      const { body: done } = await execute(app, credential, action);
      const { decision, guard, reasons, blast_radius, bound_hash, contract_version } = shown;
      expect(done).toMatchObject({
        decision,
        guard,
        reasons,
        blast_radius,
        bound_hash,
        contract_version,
      });
      const status = { allow: 'executed', needs_approval: 'pending', block: 'blocked' };
      expect(done.status).toBe(status[decision as keyof typeof status]);
    }
  });

  it('decide by the kind of caller', async () => {
    const guardOf = async (who: string, verb: string, values: object) => {
      const action = { tool_key: 'matrix', verb, arguments: values };
      const { body } = await preview(credentials.get(who) ?? '', action);
      return `${body.decision} ${body.guard}`;
    };
    expect(await guardOf('member', 'update', {})).toBe('allow within_limits');
    expect(await guardOf('agent', 'update', {})).toBe('needs_approval agent_medium_risk');
    expect(await guardOf('member', 'bulk_delete', { ids: [1] })).toBe('needs_approval destructive');
    expect(await guardOf('agent', 'bulk_delete', { ids: [1] })).toBe(
      'block agent_critical_destruction',
    );
    expect(await guardOf('service', 'charge_fee', { amount: 5_000 })).toBe('allow within_limits');
    expect(await guardOf('agent', 'charge_fee', { amount: 5_000 })).toBe(
      'needs_approval amount_above_limit',
    );
    expect(await guardOf('member', 'tag', { ids: 50_000 })).toBe('block records_above_maximum');
  });

  it('answer with the whole decision; a preview writes nothing', async () => {
    const count = () => app.owner.prisma.toolCall.count();
    const before = await count();
    const answer = await preview(customer.token, REFUND);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      tool_key: 'desk',
      contract_version: 1,
      verb: 'refund',
      decision: 'needs_approval',
      guard: 'high_risk',
      risk: 'high',
      verb_origin: 'published',
      reasons: [
        { guard: 'high_risk', outcome: 'needs_approval', reason: 'the risk of refund is high' },
      ],
      blast_radius: {
        records: 1,
        records_basis: 'declared_by_verb',
        amount_rub: 150,
        amount_basis: 'declared_in_arguments',
        destructive: false,
        reversible: true,
        compensating_verb: 'charge_back',
      },
      bound_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      connector: 'simulated',
      simulated: true,
      rollback_available: true,
    });
    expect(await count()).toBe(before);
  });

  it.each(['/preview', '/execute'])(
    'at %s refuse bad input with every fault named',
    async (path) => {
      const schema = { type: 'object', required: ['id'], properties: { day: { format: 'date' } } };
      const verbs = [{ verb: 'update', arguments_schema: schema }];
      await register(app, customer, { tool_key: 'strict', verbs });
      const faultsOf = async (body: object) => {
        const answer = await tools<{ error: { faults?: { path: string }[]; code: string } }>(
          app,
          customer.token,
          'POST',
          path,
          { tool_key: 'strict', verb: 'update', ...body },
        );
        expect(answer.status).toBe(400);
        return answer.body.error.faults?.map((fault) => fault.path);
      };
      expect(await faultsOf({ arguments: { day: 'today' } })).toEqual([
        'arguments.id',
        'arguments.day',
      ]);
      expect(await faultsOf({})).toEqual(['arguments.id']);
      expect(await faultsOf({ arguments: [1] })).toEqual(['arguments']);
      expect(await faultsOf({ arguments: 'text' })).toEqual(['arguments']);
      expect(await faultsOf({ arguments: { id: 'x'.repeat(70_000) } })).toEqual(['arguments']);
      expect(await faultsOf({ arguments: { id: 2 ** 60 } })).toEqual(['arguments']);
      expect(
        await faultsOf({ verb: '', reason: 'x'.repeat(1_001), session_id: ' ', arguments: [] }),
      ).toEqual(['verb', 'reason', 'session_id', 'arguments']);
      expect(await faultsOf({ tool_key: null, verb: null })).toEqual(['tool_key', 'verb']);
    },
  );
});

describe('a call', () => {
  it('that is allowed is executed, labelled simulated, and sealed with a receipt', async () => {
    const action = { tool_key: 'desk', verb: 'close', arguments: { id: 'T-1' }, session_id: 's' };
    const { body: call } = await execute(app, customer.key, { ...action, reason: 'Done.' });
    expect(call).toMatchObject({
      decision: 'allow',
      status: 'executed',
      approval_status: 'not_required',
      approval_id: null,
      simulated: true,
      requested_by: customer.keyId,
      requested_by_role: 'service',
      attempts: 1,
      failure: null,
    });
    expect(JSON.parse(call.result?.text ?? '')).toMatchObject({ simulated: true, records: 1 });
    const { body: receipt } = await receiptOf(app, customer.token, call.id);
    expect(receipt).toEqual({
      sealed: true,
      receipt_id: call.receipt_id,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      sealed_at: expect.any(String),
      call_id: call.id,
      tool_key: 'desk',
      contract_version: 1,
      verb: 'close',
      arguments_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      decision: 'allow',
      guard: 'within_limits',
      risk: 'medium',
      verb_origin: 'published',
      reasons: call.reasons,
      blast_radius: call.blast_radius,
      bound_hash: call.bound_hash,
      status: 'executed',
      approval_status: 'not_required',
      approval: null,
      connector: 'simulated',
      simulated: true,
      requested_by: { kind: 'api_key', id: customer.keyId, role: 'service' },
      reason: 'Done.',
      session_id: 's',
      attempts: 1,
      latency_ms: expect.any(Number),
      result: {
        status_code: null,
        content_type: 'application/json',
        truncated: false,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
      failure: null,
      rollback: { available: true, verb: 'open', reason: null, call_id: null },
      rollback_of: null,
      requested_at: call.created_at,
      finished_at: call.finished_at,
    });
  });

  it('that is blocked is not executed, and says so in a sealed receipt', async () => {
    const { body: call } = await execute(app, customer.token, { ...REFUND, verb: 'publish' });
    expect(call).toMatchObject({ decision: 'block', status: 'blocked', attempts: 0, result: null });
    const { body: receipt } = await receiptOf(app, customer.token, call.id);
    expect(receipt).toMatchObject({
      sealed: true,
      status: 'blocked',
      guard: 'verb_not_in_contract',
      latency_ms: null,
      rollback: { available: false },
    });
  });

  it('that waits has a receipt that says so and is not sealed yet', async () => {
    const { body: call } = await execute(app, customer.token, REFUND);
    const { body: receipt } = await receiptOf(app, customer.token, call.id);
    expect(receipt).toMatchObject({
      sealed: false,
      receipt_id: null,
      sha256: null,
      sealed_at: null,
      status: 'pending',
      approval: { approval_id: call.approval_id, decided_by: null, decided_at: null },
      finished_at: null,
    });
  });

  it('of the simulated connector answers the same to the same call alone', async () => {
    const textOf = async (id: string) =>
      (await execute(app, customer.token, { tool_key: 'desk', verb: 'close', arguments: { id } }))
        .body.result?.text;
    expect(await textOf('A')).toBe(await textOf('A'));
    expect(await textOf('A')).not.toBe(await textOf('B'));
  });

  it('under an Idempotency-Key is executed once', async () => {
    const ask = () =>
      rest<CallBody>(app, 'POST', '/v1/gw/tools/execute', {
        credential: customer.token,
        body: REFUND,
        headers: { 'idempotency-key': 'one-refund' },
      });
    const [first, second] = [await ask(), await ask()];
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(second.body).toEqual(first.body);
  });
});

describe('the log of calls', () => {
  it('is narrowed by approval status, status and tool', async () => {
    const owner = await newCustomer(app);
    await register(app, owner, DESK);
    await register(app, owner, { ...DESK, tool_key: 'desk2' });
    const pending = (await execute(app, owner.token, REFUND)).body.id;
    const blocked = (await execute(app, owner.token, { ...REFUND, verb: 'send' })).body.id;
    const other = (await execute(app, owner.token, { tool_key: 'desk2', verb: 'read' })).body.id;
    const ids = async (query: string) => {
      const { body } = await tools<{ data: CallBody[] }>(app, owner.token, 'GET', `/calls${query}`);
      return body.data.map(({ id }) => id);
    };
    expect(await ids('')).toEqual([other, blocked, pending]);
    expect(await ids('?approval_status=pending')).toEqual([pending]);
    expect(await ids('?approval_status=not_required')).toEqual([other, blocked]);
    expect(await ids('?status=blocked')).toEqual([blocked]);
    expect(await ids('?tool_key=desk2')).toEqual([other]);
    expect(await ids('?tool_key=desk2&status=blocked')).toEqual([]);
    const wrong = await tools(app, owner.token, 'GET', '/calls?approval_status=pendin');
    expect(outcome(wrong)).toBe('400 invalid_request');
  });

  it('shows an agent key the calls that it made, and a missing one for all others', async () => {
    const agent = credentials.get('agent') ?? '';
    const other = (await newKey(app, customer.token, 'agent')).key;
    const { body: own } = await execute(app, other, { tool_key: 'desk', verb: 'read' });
    const seen = async (credential: string) => {
      const { body } = await tools<{ data: CallBody[] }>(
        app,
        credential,
        'GET',
        '/calls?limit=200',
      );
      return body.data.map(({ id }) => id);
    };
    expect(await seen(other)).toEqual([own.id]);
    expect(await seen(agent)).not.toContain(own.id);
    expect(await seen(customer.token)).toContain(own.id);
    expect((await receiptOf(app, other, own.id)).status).toBe(200);
    expect(outcome(await receiptOf(app, agent, own.id))).toBe('404 not_found');
    const rollback = await tools(app, agent, 'POST', `/calls/${own.id}/rollback`, {});
    expect(outcome(rollback)).toBe('404 not_found');
  });

  it('takes the call of another tenant for an unknown one', async () => {
    const { body: call } = await execute(app, customer.token, REFUND);
    const stranger = await newCustomer(app);
    const unknown = `${call.id.slice(0, -1)}${call.id.endsWith('0') ? '1' : '0'}`;
    const paths = ['approve', 'reject', 'rollback', 'receipt'] as const;
    for (const path of paths) {
      const answers = await Promise.all(
        [call.id, unknown].map(async (id) => {
          const method = path === 'receipt' ? 'GET' : 'POST';
          const body = method === 'POST' ? {} : undefined;
          const answer = await tools(app, stranger.token, method, `/calls/${id}/${path}`, body);
          const text = JSON.stringify(answer.body).replaceAll(id, '<id>');
          return `${answer.status} ${text.replace(/"request_id":"[^"]+"/, '')}`;
        }),
      );
      expect(answers[0]).toBe(answers[1]);
      expect(answers[0]).toMatch(/^404 /);
    }
    expect((await receiptOf(app, customer.token, call.id)).body.status).toBe('pending');
  });

  it('is closed to members who may not run tools, but open to read', async () => {
    const viewer = await newMember(app, customer.token, 'viewer');
    expect(outcome(await execute(app, viewer.token, REFUND))).toBe('403 permission_denied');
    expect(outcome(await preview(viewer.token, REFUND))).toBe('403 permission_denied');
    expect((await tools(app, viewer.token, 'GET', '/calls')).status).toBe(200);
  });
});
