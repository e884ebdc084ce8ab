import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sealable } from '../../src/kernel/canonical.js';
import { seal } from '../../src/records/receipts.js';
import { type Customer, graphql, newCustomer, startApp, type TestApp } from '../support/app.js';
import { act, decide as decideAction, HIGH, receiptOf as outcomeOf } from './integrations/calls.js';
import { DESK, execute, receiptOf, register } from './tools/world.js';

let app: TestApp;
let customer: Customer;
beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app);
});
afterAll(() => app?.stop());

const AT = '2026-03-01T10:00:00.000Z';
const HASH = 'ab'.repeat(32);

/** Seals content as it was spelled once. @returns the id of the receipt */
async function sealedOnce(kind: string, content: Sealable): Promise<string> {
  const scope = { services: app.server.services, who: { tenantId: customer.tenantId } };
  return (await seal(scope, kind, `former ${kind}`, content)).receipt.id;
}

async function verificationOf(id: string, token = customer.token) {
  const text = `query($id: String!) { receiptVerification(id: $id) { valid chainValid } }`;
  const { data, errors } = await graphql<{ receiptVerification: unknown }>(
    app,
    text,
    { id },
    token,
  );
  return errors?.[0]?.extensions.code ?? data.receiptVerification;
}

/** What a receipt of a tool call says on the wire, in the part that is not renamed. */
const CALL = {
  tool_key: 'desk',
  contract_version: 1,
  verb: 'charge',
  arguments_sha256: HASH,
  decision: 'allow',
  guard: 'within_limits',
  reasons: [{ guard: 'within_limits', outcome: 'allow', reason: 'it is within every limit' }],
  bound_hash: HASH,
  status: 'executed',
  approval_status: 'approved',
  approval: {
    approval_id: '01939a3e-0c00-7009-8000-5e1f00000001',
    decided_by: '01939a3e-0c00-7009-8000-5e1f00000002',
    self_approved: false,
    reason: 'Agreed.',
    shown_hash: HASH,
    decided_at: AT,
    expires_at: AT,
  },
  connector: 'simulated',
  simulated: true,
  requested_by: { kind: 'user', id: '01939a3e-0c00-7009-8000-5e1f00000003', role: 'owner' },
  reason: null,
  session_id: 'run-7',
  attempts: 1,
  latency_ms: 12,
  result: { status_code: null, content_type: 'application/json', truncated: false, sha256: HASH },
  failure: null,
  rollback_of: null,
  requested_at: AT,
  finished_at: AT,
};
const RADIUS = {
  records: 1,
  records_basis: 'declared_by_verb',
  amount_basis: 'declared_in_arguments',
  destructive: false,
  reversible: true,
  compensating_verb: 'refund',
};
const CALL_ROLLBACK = { available: true, verb: 'refund', reason: null };
const CHANGE = { field: 'stage', kind: 'changed', old: 'new', new: { toMicro: 'kept' } };
const REQUESTER = '01939a3e-0c00-7009-8000-5e1f00000004';
/** What a receipt of an action has under the same names before and now. */
const ACTION = {
  connector: 'amocrm',
  action: 'deal.update',
  status: 'executed',
  decision: 'after_approval',
  guard: 'high_risk',
  reason: 'The risk is high or critical.',
  failure: null,
  simulated: true,
};
const APPROVAL = {
  id: '01939a3e-0c00-7009-8000-5e1f00000005',
  status: 'approved',
  reason: null,
};
const ROLLBACK = { available: true, reason: null, changes: [CHANGE] };
const COST = { provenance: 'live_measured', reason: null };

describe('a receipt that was sealed under the names of before', () => {
  it('of a tool call reads as it was sealed, and verifies', async () => {
    await register(app, customer, DESK);
    const { body: call } = await execute(app, customer.token, { tool_key: 'desk', verb: 'read' });
    const id = await sealedOnce('tool_call', {
      call_id: call.id,
      ...CALL,
      blast_radius: { ...RADIUS, amount_micro: '150000001' },
      rollback: CALL_ROLLBACK,
    });
    await app.owner.prisma.toolCall.update({
      where: { id: call.id },
      data: { receiptId: id },
    });
    expect((await receiptOf(app, customer.token, call.id)).body).toEqual({
      sealed: true,
      receipt_id: id,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      sealed_at: expect.any(String),
      call_id: call.id,
      ...CALL,
      risk: null,
      verb_origin: null,
      blast_radius: { ...RADIUS, amount_rub: 150.000001 },
      rollback: { ...CALL_ROLLBACK, call_id: null },
    });
    expect(await verificationOf(id)).toEqual({ valid: true, chainValid: true });
    expect(await verificationOf(id, (await newCustomer(app)).token)).toBe('not_found');
  });

  it('of an action of an integration reads as it was sealed, and verifies', async () => {
    const action = await act(app, customer.token, HIGH);
    await decideAction(app, customer.token, action.approval?.id ?? '');
    const id = await sealedOnce('integration_action', {
      actionId: action.id,
      previewId: REQUESTER,
      ...ACTION,
      recordId: 'deal-1',
      recordVersion: 1,
      riskLevel: 'high',
      changedFields: [CHANGE],
      rollback: { ...ROLLBACK, recordVersion: 2 },
      approval: {
        ...APPROVAL,
        requestedBy: REQUESTER,
        decidedBy: null,
        selfApproved: true,
        decidedAt: AT,
      },
      cost: {
        amountMicro: '1500001',
        ...COST,
        requestCount: 2,
        unknownRequestIds: ['x'],
      },
      requestedBy: REQUESTER,
    });
    await app.owner.prisma.integrationAction.update({
      where: { id: action.id },
      data: { receiptId: id },
    });
    expect((await outcomeOf(app, customer.token, action.id)).body).toEqual({
      id: action.id,
      preview_id: REQUESTER,
      ...ACTION,
      record_id: 'deal-1',
      record_version: 1,
      risk_level: 'high',
      changed_fields: [CHANGE],
      rollback: { ...ROLLBACK, record_version: 2 },
      approval: {
        ...APPROVAL,
        requested_by: REQUESTER,
        decided_by: null,
        self_approved: true,
        decided_at: AT,
      },
      cost: {
        amount_rub: 1.500001,
        ...COST,
        request_count: 2,
        unknown_request_ids: ['x'],
      },
      sealed: true,
      erased: false,
      receipt_id: id,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      rollback_receipt_id: null,
    });
    expect(await verificationOf(id)).toEqual({ valid: true, chainValid: true });
  });

  it('of an undoing reads as it was sealed, and verifies', async () => {
    const id = await sealedOnce('integration_rollback', {
      actionId: REQUESTER,
      actionReceiptId: null,
      connector: 'amocrm',
      action: 'deal.update',
      recordId: 'deal-1',
      recordVersion: 3,
      changedFields: [CHANGE],
      rolledBackBy: REQUESTER,
      simulated: true,
    });
    const text = `query($id: String!) { receipt(id: $id) { ... on IntegrationRollbackReceipt {
      actionId actionReceiptId connector action recordId recordVersion rolledBackBy simulated
      changedFields { field kind old new }
    } } }`;
    const { data } = await graphql<{ receipt: unknown }>(app, text, { id }, customer.token);
    expect(data.receipt).toEqual({
      actionId: REQUESTER,
      actionReceiptId: null,
      connector: 'amocrm',
      action: 'deal.update',
      recordId: 'deal-1',
      recordVersion: 3,
      changedFields: [CHANGE],
      rolledBackBy: REQUESTER,
      simulated: true,
    });
    expect(await verificationOf(id)).toEqual({ valid: true, chainValid: true });
  });
});
