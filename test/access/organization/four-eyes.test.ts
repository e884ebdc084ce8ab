import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { act, HIGH } from '../../actions/integrations/calls.js';
import { DESK, execute, REFUND, register } from '../../actions/tools/world.js';
import { newScanned, step } from '../../delivery/migration/steps.js';
import { chat, newKey, newMember, newPolicy, outcome } from '../../journeys/people.js';
import { type Customer, graphql, newCustomer, rest } from '../../support/app.js';
import { LIVE, type LiveApp, startLiveApp } from '../../support/live-app.js';
import { report } from '../abuse/samples.js';
import { setFourEyes } from './samples.js';

let app: LiveApp;
beforeAll(async () => {
  app = await startLiveApp();
});
afterAll(() => app?.stop());

interface Approved {
  readonly accountable_id: string | null;
  readonly requested_by: string;
  readonly self_approved: boolean;
}

function approve(credential: string, approvalId: string) {
  return rest<Approved>(app, 'POST', `/v1/gw/approvals/${approvalId}/approve`, {
    credential,
    body: {},
  });
}

async function rotate(keyId: string, credential: string): Promise<string> {
  const path = `/api-keys/${keyId}/rotate`;
  const { body } = await rest<{ key: string }>(app, 'POST', path, { credential, body: {} });
  return body.key;
}

async function pendingToolCall(customer: Customer, credential: string): Promise<string> {
  await register(app, customer, DESK);
  return (await execute(app, credential, REFUND)).body.approval_id ?? '';
}

async function pendingIntegration(_customer: Customer, credential: string): Promise<string> {
  return (await act(app, credential, HIGH)).approval?.id ?? '';
}

async function pendingException(customer: Customer, credential: string): Promise<string> {
  const { id } = await newPolicy(app, customer.token, { budgets: { daily_rub: 1 } });
  const { data } = await graphql<{ budgetExceptionRequest: { approvalId: string } }>(
    app,
    `mutation($id: ID!) {
      budgetExceptionRequest(policyId: $id, period: day, amountRub: "10", reason: "A release") {
        approvalId
      }
    }`,
    { id },
    credential,
  );
  return data.budgetExceptionRequest.approvalId;
}

/** A ready migration: no condition, so that a key may ask for its cutover. */
async function pendingCutover(customer: Customer, credential: string): Promise<string> {
  await newPolicy(app, customer.token, { hybrid: 'rf_only', budgets: { daily_rub: 100 } });
  for (let asked = 0; asked < 20; asked += 1) {
    await chat(app, customer.key, 'Здравствуйте', { model: LIVE });
  }
  const id = await newScanned(app, customer, { requires_approval: true });
  app.double.script('live', { text: 'Number' });
  const items = Array.from({ length: 20 }, (_each, index) => ({
    input: `What is ${index}?`,
    expect: { contains: 'Number' },
    source_output: 'Number',
  }));
  const body = { source_cost_per_1m_rub: 120, evaluation_set: items };
  await step(app, customer.token, { id, path: 'compare', body });
  const asked = await step<{ approval_id: string }>(app, credential, { id, path: 'cutover' });
  return asked.body.approval_id;
}

const KINDS = [
  ['a tool call', 'agent', pendingToolCall],
  ['an integration', 'agent', pendingIntegration],
  ['a budget exception', 'agent', pendingException],
  ['a cutover', 'service', pendingCutover],
] as const;

describe('what a key asks for counts as asked by the member behind it', () => {
  it.each(KINDS)('%s, by a key of type %s: its creator is no second person', async (...kind) => {
    const [, keyType, pending] = kind;
    const customer = await newCustomer(app, 500);
    const { id: keyId, key } = await newKey(app, customer.token, keyType);
    const security = await newMember(app, customer.token, 'security');
    const approvalId = await pending(customer, key);
    expect(outcome(await approve(customer.token, approvalId))).toBe('403 approval_self_forbidden');
    const { status, body } = await approve(security.token, approvalId);
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        requested_by: keyId,
        accountable_id: customer.userId,
        self_approved: false,
      }),
    ]);
  });

  it.each(KINDS)('%s is self-approved by an owner who is alone, and says so', async (...kind) => {
    const [, keyType, pending] = kind;
    const customer = await newCustomer(app, 500);
    const { key } = await newKey(app, customer.token, keyType);
    const { body } = await approve(customer.token, await pending(customer, key));
    expect(body).toMatchObject({ accountable_id: customer.userId, self_approved: true });
  });

  it('also where a key has made the key, and by who rotated it last', async () => {
    const customer = await newCustomer(app, 500);
    const admin = await newMember(app, customer.token, 'admin');
    const made = await newKey(app, customer.key, 'agent');
    const approvalId = await pendingToolCall(customer, made.key);
    expect(outcome(await approve(customer.token, approvalId))).toBe('403 approval_self_forbidden');
    const rotated = await rotate(made.id, admin.token);
    const second = await pendingToolCall(customer, rotated);
    expect(outcome(await approve(admin.token, second))).toBe('403 approval_self_forbidden');
    expect((await approve(customer.token, second)).body).toMatchObject({
      accountable_id: admin.userId,
      self_approved: false,
    });
  });

  it('also after another member has rotated the key that made the key', async () => {
    const customer = await newCustomer(app, 500);
    const [first, second] = [
      await newMember(app, customer.token, 'admin'),
      await newMember(app, customer.token, 'admin'),
    ];
    const maker = await newKey(app, first.token, 'service');
    const made = await newKey(app, maker.key, 'agent');
    const fresh = await rotate(maker.id, second.token);
    const leaked = { type: 'key_leak', key_ref: maker.id, actions_taken: ['rotate'] };
    const more = { ...leaked, descendants: 'keep' };
    const { new_key: replaced } = (await report(app, second.token, more)).body;
    const own = await newKey(app, replaced ?? '', 'agent');
    for (const [key, accountable, other] of [
      [made.key, first, second],
      [fresh, second, first],
      [own.key, second, first],
    ] as const) {
      const pending = await pendingToolCall(customer, key);
      expect(outcome(await approve(accountable.token, pending))).toBe(
        '403 approval_self_forbidden',
      );
      expect((await approve(other.token, pending)).body).toMatchObject({
        accountable_id: accountable.userId,
        self_approved: false,
      });
    }
  });
});

describe('each value of a key that is rotated', () => {
  it('counts as whom it was given to, as long as it works', async () => {
    const customer = await newCustomer(app, 500);
    const admin = await newMember(app, customer.token, 'admin');
    const { id, key } = await newKey(app, customer.token, 'agent');
    const rotated = await rotate(id, admin.token);
    const byFormer = await pendingToolCall(customer, key);
    const byPresent = await pendingToolCall(customer, rotated);
    const self = '403 approval_self_forbidden';
    expect(outcome(await approve(customer.token, byFormer))).toBe(self);
    expect(outcome(await approve(admin.token, byPresent))).toBe(self);
    expect((await approve(admin.token, byFormer)).body).toMatchObject({
      accountable_id: customer.userId,
    });
    expect((await approve(customer.token, byPresent)).body).toMatchObject({
      accountable_id: admin.userId,
    });
  });
});

describe('four eyes as a rule of the organization', () => {
  it('are set by a member with the right, audited, for the own organization alone', async () => {
    const customer = await newCustomer(app);
    const other = await newCustomer(app);
    const refused = ['security', 'developer', 'finance', 'viewer'] as const;
    for (const role of refused) {
      const { token } = await newMember(app, customer.token, role);
      const { errors } = await setFourEyes(app, token, true);
      expect(errors?.[0]?.extensions.code).toBe('permission_denied');
    }
    const { errors } = await setFourEyes(app, customer.key, true);
    expect(errors?.[0]?.extensions.code).toBe('permission_denied');
    const { data } = await setFourEyes(app, customer.token, true);
    expect(data.organizationFourEyesSet).toEqual({ id: expect.anything(), fourEyesAlways: true });
    const { prisma } = app.owner;
    const settings = await prisma.tenant.findMany({
      where: { id: { in: [customer.tenantId, other.tenantId] } },
      orderBy: { id: 'asc' },
    });
    expect(settings.map(({ fourEyesAlways }) => fourEyesAlways)).toEqual([true, false]);
    const audited = await prisma.auditEvent.findMany({
      where: { tenantId: customer.tenantId, action: 'organizationFourEyesSet' },
    });
    expect(audited).toMatchObject([{ actorId: customer.userId, subject: 'Tenant' }]);
  });

  it('bind what waits, and cannot be turned off to approve it', async () => {
    const customer = await newCustomer(app);
    const { key } = await newKey(app, customer.token, 'agent');
    const before = await pendingToolCall(customer, key);
    await setFourEyes(app, customer.token, true);
    const during = await pendingToolCall(customer, key);
    for (const each of [before, during]) {
      expect(outcome(await approve(customer.token, each))).toBe('403 approval_self_forbidden');
    }
    await setFourEyes(app, customer.token, false);
    expect(outcome(await approve(customer.token, during))).toBe('403 approval_self_forbidden');
    expect((await approve(customer.token, before)).status).toBe(200);
  });
});
