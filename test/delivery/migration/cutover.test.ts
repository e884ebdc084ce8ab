import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { newKey, newMember, newPolicy, outcome } from '../../journeys/people.js';
import { type Customer, graphql, newCustomer, rest } from '../../support/app.js';
import { type LiveApp, startLiveApp } from '../../support/live-app.js';
import { historyOf, makeReady, newMigration, read, readyMigration, step } from './steps.js';

let app: LiveApp;
beforeAll(async () => {
  app = await startLiveApp();
});
afterAll(() => app?.stop());

interface CutoverBody {
  readonly decision: string;
  readonly reason: string;
  readonly approval_id: string | null;
  readonly checklist: {
    readonly code: string;
    readonly done: boolean;
    readonly evidence: string;
  }[];
  readonly project: { readonly status: string };
}

/** The conditions of these comparisons: little was recorded, and quality is not known. */
const ACCEPTED = [
  { code: 'quality_unknown', reason: 'judged by hand' },
  { code: 'evidence_short', reason: 'the pilot was small' },
];

function cutOver({ token }: Pick<Customer, 'token'>, id: string, body = {}) {
  const asked = { acknowledgements: ACCEPTED, ...body };
  return step<CutoverBody>(app, token, { id, path: 'cutover', body: asked });
}

function openItems({ checklist }: CutoverBody): string[] {
  return checklist.filter(({ done }) => !done).map(({ code }) => code);
}

/** The usage of an answered request is written a moment after its answer. */
async function trafficIsSeen(customer: Customer, id: string): Promise<void> {
  await expect
    .poll(async () => {
      const { cutover_checklist: items } = await read(app, customer.token, id);
      return (items as CutoverBody['checklist']).find(({ code }) => code === 'live_traffic')?.done;
    })
    .toBe(true);
}

async function ready(body = {}): Promise<{ customer: Customer; id: string }> {
  const customer = await newCustomer(app, 500);
  const { id } = await readyMigration(app, customer, body);
  await trafficIsSeen(customer, id);
  return { customer, id };
}

function decide(token: string, id: string, decision: 'approve' | 'reject') {
  return graphql<{ approvalDecide: { status: string } }>(
    app,
    `mutation($id: ID!, $decision: ApprovalDecision!) {
      approvalDecide(id: $id, decision: $decision, reason: "because") { status }
    }`,
    { id, decision },
    token,
  );
}

describe('a cutover', () => {
  it('is blocked when the decision is hold, with the checklist returned', async () => {
    const { customer, id } = await ready();
    await step(app, customer.token, { id, path: 'compare', body: { source_cost_per_1m_rub: 1 } });
    const { status, body } = await cutOver(customer, id);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      decision: 'blocked',
      reason: expect.stringContaining('the comparison says hold: the route costs'),
      approval_id: null,
      project: { id, status: 'compared' },
    });
    expect(openItems(body)).toEqual(['comparison']);
    expect((await read(app, customer.token, id)).cutover).toMatchObject({ decision: 'blocked' });
  });

  it('reads its checklist from real rows, and each row closes its item', async () => {
    const customer = await newCustomer(app);
    const { prisma } = app.owner;
    await prisma.apiKey.updateMany({
      where: { tenantId: customer.tenantId },
      data: { revokedAt: new Date() },
    });
    const { id } = await newMigration(app, customer.token, { source_provider: 'other' });
    const open = async () => openItems((await cutOver(customer, id)).body);
    const all = [
      'scan',
      'comparison',
      'scoped_keys',
      'data_route',
      'monitoring',
      'live_traffic',
      'rollback_plan',
      'balance',
    ];
    expect(await open()).toEqual(all);
    await makeReady(app, customer.token, id);
    expect(await open()).toEqual(all.slice(2));
    await newKey(app, customer.token, 'standard');
    expect(await open()).toEqual(all.slice(3));
    const policy = await newPolicy(app, customer.token, { hybrid: 'hybrid' });
    expect(await open()).toEqual(all.slice(4));
    await newPolicy(app, customer.token, { budgets: { daily_rub: 10 } });
    expect(await open()).toEqual(all.slice(5));
    await prisma.policy.update({ where: { id: policy.id }, data: { enabled: false } });
    expect(await open()).toContain('data_route');
    const body = { rollback: { base_url: 'https://old.example/v1' } };
    expect(openItems((await cutOver(customer, id, body)).body)).not.toContain('rollback_plan');
    expect((await read(app, customer.token, id)).rollback_plan).toMatchObject({
      base_url: 'https://old.example/v1',
      provenance: expect.objectContaining({ base_url: 'declared' }),
    });
  });

  it('takes no run of the live checks for traffic, passed or failed', async () => {
    const customer = await newCustomer(app);
    const { id } = await newMigration(app, customer.token);
    const run = (status: string) =>
      app.owner.prisma.migrationCheckRun.create({
        data: {
          id: newId('MigrationCheckRun'),
          tenantId: customer.tenantId,
          callerKind: 'user',
          callerId: customer.userId,
          status,
          checks: [],
          costMicro: 0n,
          requestId: newId('Request'),
          startedAt: new Date(),
        },
      });
    await run('failed');
    expect(openItems((await cutOver(customer, id)).body)).toContain('live_traffic');
    await run('passed');
    expect(openItems((await cutOver(customer, id)).body)).toContain('live_traffic');
  });

  it('counts no keys, policies and requests of another project', async () => {
    const customer = await newCustomer(app, 500);
    const { data } = await graphql<{ projectCreate: { id: string } }>(
      app,
      'mutation { projectCreate(name: "second") { id } }',
      {},
      customer.token,
    );
    await readyMigration(app, customer);
    const { id } = await newMigration(app, customer.token, { project_id: data.projectCreate.id });
    await makeReady(app, customer.token, id);
    expect(openItems((await cutOver(customer, id)).body)).toEqual([
      'scoped_keys',
      'data_route',
      'monitoring',
      'live_traffic',
    ]);
  });

  it('happens when every item is done, exactly once', async () => {
    const { customer, id } = await ready();
    const { body } = await cutOver(customer, id);
    expect(body).toEqual({
      decision: 'cut_over',
      reason: 'every item is done',
      checklist: expect.any(Array),
      acknowledgements: ACCEPTED.map((each) => ({ ...each, member_id: customer.userId })),
      open_conditions: [],
      aliases: [],
      receipt_id: expect.any(String),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      approval_id: null,
      project: { id, migration_key: expect.any(String), status: 'cut_over' },
    });
    expect(openItems(body)).toEqual([]);
    expect(outcome(await cutOver(customer, id))).toBe('422 lifecycle_refused');
    expect(await historyOf(app, customer.token, id)).toEqual([
      'created',
      'scanned',
      'compared',
      'cut_over',
    ]);
  });

  it('happens once when two ask at the same time', async () => {
    const { customer, id } = await ready();
    const both = await Promise.all([cutOver(customer, id), cutOver(customer, id)]);
    expect(both.map(outcome).sort()).toEqual(['200', '422 lifecycle_refused']);
    const history = await historyOf(app, customer.token, id);
    expect(history.filter((event) => event === 'cut_over')).toHaveLength(1);
  });

  it('asks for a new comparison after a new scan or a rollback', async () => {
    const { customer, id } = await ready();
    const scan = { used_capabilities: ['chat'] };
    await step(app, customer.token, { id, path: 'compatibility-scan', body: scan });
    expect((await cutOver(customer, id)).body).toMatchObject({
      decision: 'blocked',
      reason: 'the migration is scanned; compare again',
    });
    await step(app, customer.token, { id, path: 'rollback' });
    expect((await cutOver(customer, id)).body).toMatchObject({
      decision: 'blocked',
      reason: 'the migration is rolled_back; compare again',
    });
  });

  it('ends scans and comparisons until it is rolled back', async () => {
    const { customer, id } = await ready();
    await cutOver(customer, id);
    const scan = { used_capabilities: ['chat'] };
    const set = [{ input: 'x', expect: { contains: 'x' } }];
    const figures = { source_cost_per_1m_rub: 120, evaluation_set: set };
    const again = await Promise.all([
      step(app, customer.token, { id, path: 'compatibility-scan', body: scan }),
      step(app, customer.token, { id, path: 'compare', body: figures }),
    ]);
    expect(again.map(outcome)).toEqual(['422 lifecycle_refused', '422 lifecycle_refused']);
    const rolled = await step(app, customer.token, { id, path: 'rollback' });
    expect(rolled.body).toMatchObject({ status: 'rolled_back' });
  });
});

describe('a cutover that requires an approval', () => {
  async function waiting() {
    const { customer, id } = await ready({ requires_approval: true });
    const { body } = await cutOver(customer, id);
    expect(body).toMatchObject({ decision: 'pending_approval', project: { status: 'ready' } });
    return { customer, id, approvalId: body.approval_id ?? '' };
  }

  it('goes through the approval queue, and approving it cuts over', async () => {
    const { customer, id, approvalId } = await waiting();
    const approval = await app.owner.prisma.approval.findUniqueOrThrow({
      where: { id: approvalId },
    });
    expect(approval).toMatchObject({
      kind: 'migration_cutover',
      subjectId: id,
      status: 'pending',
    });
    const { body } = await rest(app, 'GET', `/v1/gw/approvals/${approvalId}`, {
      credential: customer.token,
    });
    expect(body).toMatchObject({
      shown: {
        receipt_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        cutover_decision: 'conditional',
        checklist: expect.any(Array),
        rollback_plan: expect.objectContaining({ base_url: 'https://api.openai.com/v1' }),
      },
    });
    const security = await newMember(app, customer.token, 'security');
    const { data } = await decide(security.token, approvalId, 'approve');
    expect(data.approvalDecide.status).toBe('approved');
    expect(await read(app, customer.token, id)).toMatchObject({
      status: 'cut_over',
      cutover: { decision: 'cut_over', approval_id: approvalId },
    });
    expect(await historyOf(app, customer.token, id)).toEqual([
      'created',
      'scanned',
      'compared',
      'cutover_requested',
      'cut_over',
    ]);
    const audited = await app.owner.prisma.auditEvent.findMany({
      where: { tenantId: customer.tenantId, action: 'migrationCutoverExecute' },
    });
    expect(audited).toMatchObject([{ actorId: security.userId, subjectId: id }]);
  });

  it('waits once, however often it is asked for', async () => {
    const { customer, id, approvalId } = await waiting();
    const again = await Promise.all([cutOver(customer, id), cutOver(customer, id)]);
    expect(again.map(({ body }) => body.approval_id)).toEqual([approvalId, approvalId]);
    expect(await app.owner.prisma.approval.count({ where: { tenantId: customer.tenantId } })).toBe(
      1,
    );
  });

  it('stays where it was when it is rejected, and can be asked for again', async () => {
    const { customer, id, approvalId } = await waiting();
    await decide(customer.token, approvalId, 'reject');
    expect(await read(app, customer.token, id)).toMatchObject({
      status: 'ready',
      cutover: { decision: 'rejected', reason: 'because' },
    });
    const { body } = await cutOver(customer, id);
    expect(body.decision).toBe('pending_approval');
    expect(body.approval_id).not.toBe(approvalId);
  });

  it('is not executed when an item has opened since it was shown', async () => {
    const { customer, id, approvalId } = await waiting();
    const { prisma } = app.owner;
    await prisma.apiKey.updateMany({
      where: { tenantId: customer.tenantId },
      data: { revokedAt: new Date() },
    });
    await decide(customer.token, approvalId, 'approve');
    expect(await read(app, customer.token, id)).toMatchObject({
      status: 'ready',
      cutover: { decision: 'not_executed', reason: 'open items: scoped_keys' },
    });
    expect(await historyOf(app, customer.token, id)).toContain('cutover_not_executed');
  });

  it('is not executed for a migration that went on, though it is still queued', async () => {
    const { customer, id, approvalId } = await waiting();
    const { prisma } = app.owner;
    await prisma.providerMigration.update({ where: { id }, data: { approvalId: null } });
    await decide(customer.token, approvalId, 'approve');
    expect((await read(app, customer.token, id)).status).toBe('ready');
    expect((await historyOf(app, customer.token, id)).at(-1)).toBe('cutover_not_executed');
  });

  it.each<[string, string, Record<string, unknown>]>([
    ['a rollback', 'rollback', {}],
    ['a new comparison', 'compare', { source_cost_per_1m_rub: 120 }],
    ['a new scan', 'compatibility-scan', { used_capabilities: ['chat'] }],
  ])('is void after %s', async (_name, path, body) => {
    const { customer, id, approvalId } = await waiting();
    await step(app, customer.token, { id, path, body });
    const { status } = await read(app, customer.token, id);
    expect(status).not.toBe('cut_over');
    const { errors } = await decide(customer.token, approvalId, 'approve');
    expect(errors?.[0]?.extensions.code).toBe('approval_already_decided');
    expect((await read(app, customer.token, id)).status).toBe(status);
  });
});
