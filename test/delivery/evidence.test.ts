import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seal } from '../../src/records/receipts.js';
import { chat, newPolicy } from '../journeys/people.js';
import { type Customer, graphql, newCustomer, rest } from '../support/app.js';
import { LIVE, LIVE_EMBEDDINGS, type LiveApp, startLiveApp } from '../support/live-app.js';
import { COCKPIT, type ShownRun } from './cockpit/runs.js';
import { type MigrationBody, newMigration, newScanned, read, step } from './migration/steps.js';

let app: LiveApp;
beforeAll(async () => {
  app = await startLiveApp();
});
afterAll(() => app?.stop());

const SIMULATED = 'sandbox/gw-mini';

interface Item {
  readonly code: string;
  readonly done: boolean;
  readonly simulated: boolean;
}

async function readiness({ token }: Customer): Promise<readonly Item[]> {
  const { body } = await rest<{ items: Item[] }>(app, 'GET', '/v1/gw/org/readiness', {
    credential: token,
  });
  return body.items;
}

/** The items that stand for use, by whether they are done and whether simulation shows them. */
async function uses(customer: Customer): Promise<Record<string, string>> {
  const codes = ['first_request', 'streaming', 'embeddings'];
  const items = (await readiness(customer)).filter(({ code }) => codes.includes(code));
  const told = ({ done, simulated }: Item) => (done ? 'done' : simulated ? 'simulated' : 'open');
  return Object.fromEntries(items.map((item) => [item.code, told(item)]));
}

function embed({ key }: Customer, model: string) {
  const body = { model, input: 'Договор' };
  return rest(app, 'POST', '/v1/embeddings', { credential: key, body });
}

async function originsOf({ tenantId }: Customer): Promise<(string | null)[]> {
  const rows = await app.owner.prisma.usageEvent.findMany({
    where: { tenantId },
    orderBy: { seq: 'asc' },
  });
  return rows.map(({ metadata }) => (metadata as { gw_origin?: string }).gw_origin ?? null);
}

async function answered({ token }: Customer, migration: string): Promise<Item | undefined> {
  const { cutover_checklist: items } = await read(app, token, migration);
  return (items as Item[]).find(({ code }) => code === 'live_traffic');
}

describe('readiness', () => {
  it('is closed by no simulated answer, which it labels, and by a live one', async () => {
    const customer = await newCustomer(app, 500);
    await chat(app, customer.key, 'Здравствуйте', { model: SIMULATED });
    await chat(app, customer.key, 'Здравствуйте', { model: SIMULATED, stream: true });
    await embed(customer, 'sandbox/gw-embed');
    const told = { first_request: 'simulated', streaming: 'simulated', embeddings: 'simulated' };
    await expect.poll(() => uses(customer)).toEqual(told);
    await chat(app, customer.key, 'Здравствуйте', { model: LIVE });
    await expect.poll(() => uses(customer)).toEqual({ ...told, first_request: 'done' });
    await chat(app, customer.key, 'Здравствуйте', { model: LIVE, stream: true });
    await embed(customer, LIVE_EMBEDDINGS);
    const done = { first_request: 'done', streaming: 'done', embeddings: 'done' };
    await expect.poll(() => uses(customer)).toEqual(done);
  });

  it('does not take a simulated tool for a webhook', async () => {
    const customer = await newCustomer(app);
    await rest(app, 'POST', '/v1/gw/tools/register', {
      credential: customer.token,
      body: { tool_key: 'crm', verbs: ['read'], connector: 'simulated' },
    });
    const webhook = (await readiness(customer)).find(({ code }) => code === 'webhook');
    expect(webhook?.done).toBe(false);
  });
});

describe('requests that the gateway makes for itself', () => {
  it('are named by their usage, and no live traffic in readiness and cutovers', async () => {
    const customer = await newCustomer(app, 500);
    const { id } = await newMigration(app, customer.token);
    const run = await rest<ShownRun>(app, 'POST', COCKPIT, {
      credential: customer.key,
      body: { model: LIVE },
    });
    expect(run.body.simulated).toBe(false);
    const set = [{ input: 'Привет', expect: { contains: 'a' } }];
    const figures = { source_cost_per_1m_rub: 120, model: LIVE, evaluation_set: set };
    await step(app, customer.token, { id, path: 'compare', body: figures });
    await rest(app, 'POST', '/v1/gw/blueprints/crm-call-summary/run', {
      credential: customer.token,
      body: {},
    });
    await expect
      .poll(async () => [...new Set(await originsOf(customer))].sort())
      .toEqual(['blueprint', 'cockpit', 'migration_evaluation']);
    expect(await originsOf(customer)).not.toContain(null);
    const open = { first_request: 'open', streaming: 'open', embeddings: 'open' };
    expect(await uses(customer)).toEqual(open);
    expect(await answered(customer, id)).toMatchObject({ done: false });
    await chat(app, customer.key, 'Здравствуйте', { model: SIMULATED });
    await expect.poll(async () => (await originsOf(customer)).includes(null)).toBe(true);
    expect(await answered(customer, id)).toMatchObject({ done: false });
    await chat(app, customer.key, 'Здравствуйте', { model: LIVE });
    await expect.poll(() => answered(customer, id)).toMatchObject({ done: true });
  });

  it('are told by the usage list, and clients can neither claim nor forge it', async () => {
    const customer = await newCustomer(app, 500);
    await chat(app, customer.key, 'Здравствуйте', {
      model: LIVE,
      metadata: { gw_origin: 'cockpit', gw_prompt: 'x', gw_anything: 1, ticket: '7' },
    });
    const headers = { 'x-gw-own-request': 'cockpit' };
    await chat(app, customer.key, 'Здравствуйте', { model: LIVE }, headers);
    const { prisma } = app.owner;
    const rows = () =>
      prisma.usageEvent.findMany({
        where: { tenantId: customer.tenantId },
        orderBy: { seq: 'asc' },
      });
    await expect.poll(async () => (await rows()).length).toBe(2);
    const gw_fingerprint = expect.stringMatching(/^[\w-]{16}$/);
    expect((await rows()).map(({ metadata }) => metadata)).toEqual([
      { ticket: '7', gw_fingerprint },
      { gw_fingerprint },
    ]);
    await rest(app, 'POST', COCKPIT, { credential: customer.key, body: { model: LIVE } });
    const { body } = await rest<{ data: { origin: string | null }[] }>(app, 'GET', '/usage', {
      credential: customer.token,
    });
    const { data } = await graphql<{ usage: { nodes: { origin: string | null }[] } }>(
      app,
      '{ usage { nodes { origin } } }',
      {},
      customer.token,
    );
    expect(data.usage.nodes.map(({ origin }) => origin)).toEqual(
      body.data.map(({ origin }) => origin),
    );
    expect(new Set(body.data.map(({ origin }) => origin))).toEqual(new Set(['cockpit', null]));
    expect(body.data.slice(-2).map(({ origin }) => origin)).toEqual([null, null]);
  });
});

describe('a run of the cockpit', () => {
  it('on simulated answers says so, in each check, in the run and in its verdict', async () => {
    const customer = await newCustomer(app, 500);
    const asked = { model: SIMULATED, embeddings_model: 'sandbox/gw-embed' };
    const { body } = await rest<ShownRun>(app, 'POST', COCKPIT, {
      credential: customer.key,
      body: asked,
    });
    expect([body.status, body.simulated]).toEqual(['passed_simulated', true]);
    expect(body.checks.filter(({ simulated }) => simulated).map(({ code }) => code)).toEqual([
      'chat',
      'streaming',
      'embeddings',
      'tool_calls',
    ]);
    const { data } = await graphql<{ migrationCheckRuns: { nodes: unknown[] } }>(
      app,
      '{ migrationCheckRuns { nodes { status simulated checks { code simulated } } } }',
      {},
      customer.token,
    );
    expect(data.migrationCheckRuns.nodes).toEqual([
      {
        status: 'passed_simulated',
        simulated: true,
        checks: body.checks.map(({ code, simulated }) => ({ code, simulated })),
      },
    ]);
  });
});

interface Compared extends MigrationBody {
  readonly migration_receipt: Readonly<Record<string, unknown>>;
}

function evaluationSet() {
  return Array.from({ length: 20 }, (_, index) => ({
    input: `Number ${index}`,
    expect: { contains: `Number ${index}` },
  }));
}

describe('a comparison on simulated answers', () => {
  it('says so in every part, holds, and no acknowledgement lifts that', async () => {
    const customer = await newCustomer(app, 500);
    const policy = { name: 'production', hybrid: 'rf_only', budgets: { daily_rub: 100 } };
    await newPolicy(app, customer.token, policy);
    await chat(app, customer.key, 'Здравствуйте', { model: LIVE });
    const id = await newScanned(app, customer);
    const { body } = await step<Compared>(app, customer.token, {
      id,
      path: 'compare',
      body: {
        source_cost_per_1m_rub: 120,
        source_quality: 0.5,
        model: SIMULATED,
        evaluation_set: evaluationSet(),
      },
    });
    expect(body).toMatchObject({
      status: 'compared',
      migration_receipt: {
        simulated: true,
        quality: 'simulated',
        quality_delta: 'not_measured',
        quality_evidence: { reason: '20 of 20 answers were simulated, which is no evidence' },
        latency: { verdict: 'simulated', samples: 20, provenance: null },
        cutover_decision: 'hold',
        reasons: expect.arrayContaining([
          expect.objectContaining({ rule: 'simulated_route', outcome: 'hold' }),
        ]),
        provenance: expect.objectContaining({ quality: null, latency: null }),
      },
    });
    expect(body.migration_receipt.evaluation).toMatchObject({
      simulated: true,
      results: Array.from({ length: 20 }, () => expect.objectContaining({ simulated: true })),
    });
    const acknowledgements = [{ code: 'quality_unknown', reason: 'fine with us' }];
    const cut = await step(app, customer.token, {
      id,
      path: 'cutover',
      body: { acknowledgements },
    });
    expect(cut.body).toMatchObject({ decision: 'blocked', project: { status: 'compared' } });
  });

  it('that was stored as conditional by an earlier version stays blocked', async () => {
    const customer = await newCustomer(app, 500);
    const id = await newScanned(app, customer);
    const figures = { source_cost_per_1m_rub: 120, model: LIVE };
    await step(app, customer.token, { id, path: 'compare', body: figures });
    const { prisma } = app.owner;
    const project = await prisma.providerMigration.findUniqueOrThrow({ where: { id } });
    const before = await prisma.sealedReceipt.findUniqueOrThrow({
      where: { id: project.receiptId ?? '' },
    });
    const content = { ...JSON.parse(before.content ?? ''), simulated: true };
    const scope = { services: app.server.services, who: { tenantId: customer.tenantId } };
    const { receipt } = await seal(scope, 'migration_comparison', `${id}:former`, content);
    await prisma.providerMigration.update({ where: { id }, data: { receiptId: receipt.id } });
    const { body } = await step(app, customer.token, { id, path: 'cutover' });
    expect(body).toMatchObject({
      decision: 'blocked',
      reason: 'the comparison rests on simulated answers; compare with a real model',
    });
  });
});
