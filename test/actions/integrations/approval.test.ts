import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { everyTenant } from '../../../src/platform/database/tenant.js';
import { expireApprovals } from '../../../src/records/approvals/queue.js';
import { newKey, newMember, outcome } from '../../journeys/people.js';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../../support/app.js';
import {
  act,
  auditEvents,
  decide,
  execute,
  HIGH,
  type Outcome,
  preview,
  receiptOf,
  rollBack,
} from './calls.js';

let app: TestApp;
let customer: Customer;
beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app);
});
afterAll(() => app?.stop());

function about(recordId: string) {
  return { ...HIGH, record_id: recordId };
}

async function pending(recordId: string, credential = customer.token) {
  const action = await act(app, credential, about(recordId));
  return { action, approvalId: action.approval?.id ?? '' };
}

async function stateOf(recordRef: string) {
  const key = { tenantId: customer.tenantId, connector: 'amocrm', recordRef };
  return everyTenant(app.server.services.prisma).integrationRecord.findUniqueOrThrow({
    where: { tenantId_connector_recordRef: key },
  });
}

describe('an action that needs an approval', () => {
  it('waits in the one queue, bound to everything that is shown', async () => {
    const { action, approvalId } = await pending('waits');
    expect(action).toMatchObject({
      status: 'pending',
      decision: 'pending',
      guard: 'high_risk',
      changed_fields: [],
      approval: { id: approvalId, status: 'pending', decided_by: null, self_approved: false },
      sealed: false,
      receipt_id: null,
      sha256: null,
    });
    const approval = await rest(app, 'GET', `/v1/gw/approvals/${approvalId}`, {
      credential: customer.token,
    });
    expect(approval.body).toMatchObject({
      kind: 'integration_action',
      subject_id: action.id,
      summary: 'amocrm: deal.update on waits',
      status: 'pending',
      shown: {
        connector: 'amocrm',
        action: 'deal.update',
        recordId: 'waits',
        recordVersion: 1,
        riskLevel: 'high',
        changes: [
          { field: 'stage', kind: 'changed', old: 'new', new: 'won' },
          { field: 'amount_rub', kind: 'changed', old: 100, new: 250 },
        ],
        simulated: true,
      },
    });
    expect((await stateOf('waits')).version).toBe(1);
  });

  it('asks once, however often it is executed', async () => {
    const { body: previewed } = await preview(app, customer.token, about('asks'));
    const answers = await Promise.all(
      [1, 2, 3].map(() => execute(app, customer.token, previewed.preview_id)),
    );
    expect(new Set(answers.map(({ body }) => body.approval?.id)).size).toBe(1);
    const where = { subjectId: answers[0]?.body.id ?? '' };
    expect(await app.owner.prisma.approval.count({ where })).toBe(1);
  });

  it('is executed when approved; a requester alone may, and the receipt says so', async () => {
    const { action, approvalId } = await pending('approved');
    expect((await decide(app, customer.token, approvalId)).status).toBe(200);
    const { body } = await receiptOf(app, customer.token, action.id);
    expect(body).toMatchObject({
      status: 'executed',
      decision: 'after_approval',
      changed_fields: [{ field: 'stage' }, { field: 'amount_rub' }],
      approval: {
        id: approvalId,
        status: 'approved',
        requested_by: customer.userId,
        decided_by: customer.userId,
        self_approved: true,
        decided_at: expect.any(String),
      },
      rollback: { available: true, record_version: 2 },
      sealed: true,
    });
    expect((await stateOf('approved')).state).toEqual({
      title: 'A deal',
      stage: 'won',
      amount_rub: 250,
    });
  });

  it('is not executed when it is rejected, and its receipt says why', async () => {
    const { action, approvalId } = await pending('rejected');
    await decide(app, customer.token, approvalId, 'reject');
    const { body: first } = await receiptOf(app, customer.token, action.id);
    expect(first).toMatchObject({
      status: 'rejected',
      decision: 'blocked',
      approval: { status: 'rejected' },
      rollback: { available: false, reason: 'nothing was carried out' },
      sealed: true,
    });
    const [second, third] = await Promise.all([
      receiptOf(app, customer.token, action.id),
      receiptOf(app, customer.token, action.id),
    ]);
    expect([second.body, third.body]).toEqual([first, first]);
    expect((await stateOf('rejected')).version).toBe(1);
  });

  it('expires when nobody decides', async () => {
    const { action, approvalId } = await pending('expires');
    const { services } = app.server;
    await app.owner.pool.query(
      "UPDATE approval SET expires_at = clock_timestamp() - interval '1 s' WHERE id = $1",
      [approvalId],
    );
    await expireApprovals(services);
    expect((await receiptOf(app, customer.token, action.id)).body).toMatchObject({
      status: 'expired',
      decision: 'blocked',
      approval: { status: 'expired', decided_by: null },
    });
  });

  it('is void when the record has moved while it waited', async () => {
    const { action, approvalId } = await pending('moves');
    await preview(app, customer.token, { ...about('moves'), record: { stage: 'lost' } });
    await decide(app, customer.token, approvalId);
    expect((await receiptOf(app, customer.token, action.id)).body).toMatchObject({
      status: 'voided',
      decision: 'after_approval',
      failure: 'integration_target_moved',
      changed_fields: [],
      rollback: { available: false },
      sealed: true,
    });
    expect((await stateOf('moves')).state).toEqual({ stage: 'lost' });
  });

  it('is executed once when two members approve at the same time', async () => {
    const fresh = await newCustomer(app);
    const one = await newMember(app, fresh.token, 'security');
    const two = await newMember(app, fresh.token, 'admin');
    const action = await act(app, fresh.key, about('two'));
    const approvalId = action.approval?.id ?? '';
    const answers = await Promise.all(
      [one, two].map(({ token }) => decide(app, token, approvalId)),
    );
    expect(answers.map(outcome).sort()).toEqual(['200', '422 approval_already_decided']);
    expect((await receiptOf(app, fresh.token, action.id)).body).toMatchObject({
      status: 'executed',
      rollback: { record_version: 2 },
      approval: { self_approved: false },
    });
  });

  it('of an agent is decided by a member, never by a key', async () => {
    const agent = await newKey(app, customer.token, 'agent');
    const { action, approvalId } = await pending('agent', agent.key);
    expect(outcome(await decide(app, agent.key, approvalId))).toBe('403 permission_denied');
    expect(outcome(await decide(app, customer.key, approvalId))).toBe('403 permission_denied');
    expect(outcome(await decide(app, customer.token, approvalId))).toBe('200');
    expect((await receiptOf(app, agent.key, action.id)).body).toMatchObject({
      status: 'executed',
      approval: { requested_by: agent.id, decided_by: customer.userId, self_approved: true },
    });
  });
});

describe('an undoing', () => {
  it('gives the record its old values back, once, with a receipt of its own', async () => {
    const fresh = await newCustomer(app);
    const action = await act(app, fresh.token);
    const { status, body } = await rollBack(app, fresh.token, action.id);
    expect(status).toBe(200);
    const { already_executed, ...sealed } = action;
    expect(body).toEqual({
      ...sealed,
      status: 'rolled_back',
      rollback_receipt_id: expect.any(String),
    });
    const key = { tenantId: fresh.tenantId, connector: 'bitrix24', recordRef: 'contact-17' };
    expect(
      await everyTenant(app.server.services.prisma).integrationRecord.findUnique({
        where: { tenantId_connector_recordRef: key },
      }),
    ).toMatchObject({ version: 3, state: { custom: { segment: 'retail', city: 'Perm' } } });
    expect(outcome(await rollBack(app, fresh.token, action.id))).toBe('422 lifecycle_refused');
    expect(await auditEvents(app, fresh, 'integrationActionRollback')).toMatchObject([
      { subject: 'IntegrationAction', subjectId: action.id, actorId: fresh.userId },
    ]);
    expect((await receiptOf(app, fresh.token, action.id)).body).toEqual(body);
  });

  it('happens once when two race for it', async () => {
    const { action, approvalId } = await pending('undo-race');
    await decide(app, customer.token, approvalId);
    const answers = await Promise.all([1, 2].map(() => rollBack(app, customer.token, action.id)));
    expect(answers.map(outcome).sort()).toEqual(['200', '422 lifecycle_refused']);
    expect((await stateOf('undo-race')).version).toBe(3);
  });

  it('is refused once the record has moved', async () => {
    const { action, approvalId } = await pending('undo-moved');
    await decide(app, customer.token, approvalId);
    await preview(app, customer.token, { ...about('undo-moved'), record: { stage: 'lost' } });
    expect(outcome(await rollBack(app, customer.token, action.id))).toBe(
      '409 integration_target_moved',
    );
  });

  it('is refused for what cannot be taken back', async () => {
    const message = {
      connector: 'telegram',
      action: 'message.send',
      changes: { chat: 'sales', text: 'Hello' },
    };
    const sent = await act(app, customer.token, message);
    expect(sent).toMatchObject({
      status: 'executed',
      rollback: { available: false, reason: 'message.send cannot be taken back', changes: [] },
    });
    const refused = await rollBack(app, customer.token, sent.id);
    expect(outcome(refused)).toBe('422 integration_rollback_refused');
    expect(refused.body.error.message).toContain('message.send cannot be taken back');
  });

  it('is refused to an agent where a member had approved', async () => {
    const agent = await newKey(app, customer.token, 'agent');
    const { action, approvalId } = await pending('undo-agent', agent.key);
    await decide(app, customer.token, approvalId);
    expect(outcome(await rollBack(app, agent.key, action.id))).toBe(
      '422 integration_rollback_refused',
    );
    expect((await rollBack(app, customer.token, action.id)).status).toBe(200);
  });

  it('is refused before an action was executed', async () => {
    const { action } = await pending('undo-pending');
    const refused = await rollBack(app, customer.token, action.id);
    expect(refused.body.error.message).toBe(
      '"roll_back" is not possible in the state "pending"; possible: approve, reject, expire.',
    );
  });
});

describe('rights', () => {
  it('a viewer reads, and runs nothing', async () => {
    const viewer = await newMember(app, customer.token, 'viewer');
    expect(outcome(await preview(app, viewer.token))).toBe('403 permission_denied');
    const { status } = await rest<{ data: Outcome[] }>(app, 'GET', '/v1/gw/integrations/actions', {
      credential: viewer.token,
    });
    expect(status).toBe(200);
  });
});
