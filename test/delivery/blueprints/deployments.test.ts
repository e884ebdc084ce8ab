import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ErrorBody, newKey } from '../../journeys/people.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { run } from './wire.js';

interface WireDeployment {
  readonly id: string;
  readonly project_id: string;
  readonly decision: string;
  readonly readiness_percent: number;
  readonly tests: readonly { readonly code: string; readonly passed: boolean }[];
  readonly missing_items: readonly {
    readonly code: string;
    readonly method: string;
    readonly path: string;
    readonly body: Readonly<Record<string, unknown>>;
  }[];
  readonly receipt_id: string;
}

let app: TestApp;
let owner: Customer;
beforeAll(async () => {
  app = await startApp();
  owner = await newCustomer(app, 500);
});
afterAll(() => app.stop());

const ID = 'support-ticket-triage';

function deploy(credential: string, body: object = {}, id = ID) {
  return rest<WireDeployment & ErrorBody>(app, 'POST', `/v1/gw/blueprints/${id}/deploy`, {
    credential,
    body,
  });
}

describe('a deployment validates what the organization has, and lists what is missing', () => {
  it('a newcomer lacks nearly everything, and each listed call mends its item', async () => {
    const { body: registered } = await rest<{
      accessToken: string;
      project: { id: string };
    }>(app, 'POST', '/auth/register', {
      body: { email: 'new@deploy.test', password: 'correct horse battery', organization: 'New' },
    });
    const token = registered.accessToken;
    const { status, body } = await deploy(token);
    expect([status, body.decision, body.readiness_percent]).toEqual([200, 'blocked', 30]);
    expect(body.tests.filter(({ passed }) => passed).map(({ code }) => code)).toEqual([
      'manifest_lint',
      'data_route',
      'models',
    ]);
    expect(body.missing_items.map(({ code }) => code)).toEqual([
      'sandbox_run',
      'key',
      'budget',
      'firewall',
      'balance',
      'tools',
    ]);
    // Funds first: the run needs them.
    const calls = [...body.missing_items].sort((a) => (a.code === 'balance' ? -1 : 0));
    for (const { method, path, body: sent } of calls) {
      const mended = await rest(app, method, path, { credential: token, body: sent });
      expect([path, mended.status]).toEqual([path, 200]);
    }
    const again = await deploy(token);
    expect(again.body).toMatchObject({
      decision: 'deployed',
      readiness_percent: 100,
      missing_items: [],
      project_id: registered.project.id,
    });
    expect(again.body.tests.every(({ passed }) => passed)).toBe(true);
  });

  it('a run that failed, or of another blueprint, is no test of this one', async () => {
    const customer = await newCustomer(app, 500);
    await run(app, customer, ID, { metadata: { sandbox_error: '400' } });
    await run(app, customer, 'crm-call-summary');
    const { body } = await deploy(customer.token);
    expect(body.missing_items.map(({ code }) => code)).toContain('sandbox_run');
    await run(app, customer, ID);
    const after = await deploy(customer.token);
    expect(after.body.missing_items.map(({ code }) => code)).not.toContain('sandbox_run');
  });

  it('a run of another project is no ground, and neither is one from before', async () => {
    const customer = await newCustomer(app, 500);
    const credential = customer.token;
    const { data } = await graphql<{ projectCreate: { id: string } }>(
      app,
      'mutation { projectCreate(name: "Another") { id } }',
      {},
      credential,
    );
    await run(app, customer, ID);
    const lacking = async (body: object = {}) =>
      (await deploy(credential, body)).body.missing_items.map(({ code }) => code);
    expect(await lacking()).not.toContain('sandbox_run');
    expect(await lacking({ project_id: data.projectCreate.id })).toContain('sandbox_run');
    const former = await newCustomer(app, 500);
    await app.owner.pool.query(
      `INSERT INTO blueprint_run SELECT (jsonb_populate_record(r, jsonb_build_object(
         'id', gen_random_uuid(), 'tenant_id', $2::uuid, 'project_id', null, 'proof', null,
         'achieved', null, 'simulated', null, 'input_sealed', null, 'steps_sealed', null,
         'business_result_sealed', null))).* FROM blueprint_run r WHERE tenant_id = $1::uuid`,
      [customer.tenantId, former.tenantId],
    );
    const { body } = await deploy(former.token);
    expect(body.missing_items.map(({ code }) => code)).toContain('sandbox_run');
  });

  it('a revoked key, an agent key and a disabled policy do not count', async () => {
    const customer = await newCustomer(app, 500);
    await newKey(app, customer.token, 'agent');
    const credential = customer.token;
    const lacking = async () =>
      (await deploy(credential)).body.missing_items.map(({ code }) => code);
    expect(await lacking()).not.toContain('key');
    await rest(app, 'DELETE', `/api-keys/${customer.keyId}`, { credential });
    expect(await lacking()).toContain('key');
    const { body: policy } = await rest<{ id: string }>(app, 'POST', '/v1/gw/policies', {
      credential,
      body: { budgets: { monthly_rub: 100 } },
    });
    expect(await lacking()).not.toContain('budget');
    await rest(app, 'PATCH', `/v1/gw/policies/${policy.id}`, {
      credential,
      body: { enabled: false },
    });
    expect(await lacking()).toContain('budget');
  });

  it('an allow-list without a second model names the policy that holds it', async () => {
    const customer = await newCustomer(app, 500);
    const credential = customer.token;
    const { body: policy } = await rest<{ id: string }>(app, 'POST', '/v1/gw/policies', {
      credential,
      body: { name: 'narrow', allowed_models: ['sandbox/gw-mini'] },
    });
    const { body } = await deploy(credential);
    expect(body.missing_items.find(({ code }) => code === 'models')).toMatchObject({
      method: 'PATCH',
      path: `/v1/gw/policies/${policy.id}`,
      body: { allowed_models: null },
    });
  });
});

describe('a deployment is a record', () => {
  it('each call is a new one, is read later as it was answered, and is sealed', async () => {
    const [first, second] = [await deploy(owner.token), await deploy(owner.token)];
    expect(first.body.id).not.toBe(second.body.id);
    expect(first.body).toEqual({
      id: expect.any(String),
      blueprint_id: ID,
      manifest_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      project_id: owner.projectId,
      environment: 'sandbox',
      simulated: true,
      decision: 'blocked',
      readiness_percent: expect.any(Number),
      tests: expect.any(Array),
      missing_items: expect.any(Array),
      receipt_id: expect.any(String),
      requested_by: owner.userId,
      created_at: expect.any(String),
    });
    const read = (path: string) =>
      rest<{ data: WireDeployment[] }>(app, 'GET', `/v1/gw/blueprints/deployments${path}`, {
        credential: owner.token,
      });
    expect((await read(`/${first.body.id}`)).body).toEqual(first.body);
    expect((await read('')).body.data.map(({ id }) => id)).toEqual([second.body.id, first.body.id]);
    const { data } = await graphql<{
      receipt: { kind: string; sealKey: string; content: object };
      receiptVerification: object;
    }>(
      app,
      `query($id: String!) {
        receipt(id: $id) { kind sealKey content }
        receiptVerification(id: $id) { valid chainValid }
      }`,
      { id: first.body.receipt_id },
      owner.token,
    );
    expect(data.receiptVerification).toEqual({ valid: true, chainValid: true });
    expect(data.receipt).toMatchObject({
      kind: 'blueprint_deployment',
      sealKey: first.body.id,
      content: { decision: 'blocked', tests: first.body.tests },
    });
  });

  it('is made for nine callers at once, and asks for one connection at a time', async () => {
    const { pool } = app.server.services;
    // One is left for the deployment, one for the ledger, which tells the database that it lives.
    const spare = Array.from({ length: (pool.options.max ?? 0) - 2 }, () => pool.connect());
    const taken = await Promise.all(spare);
    let waiting = 0;
    const look = () => {
      waiting = Math.max(waiting, pool.waitingCount);
    };
    pool.on('acquire', look);
    const alone = await deploy(owner.token);
    pool.off('acquire', look);
    for (const client of taken) client.release();
    expect([alone.status, waiting]).toEqual([200, 0]);
    const all = await Promise.all(Array.from({ length: 9 }, () => deploy(owner.token)));
    expect(all.map(({ status }) => status)).toEqual(Array(9).fill(200));
    expect(new Set(all.map(({ body }) => body.id)).size).toBe(9);
  });

  it('of another organization is not there, and neither is its project', async () => {
    const { body } = await deploy(owner.token);
    const other = await newCustomer(app);
    const unknown = body.id.replace(/.{4}$/, '0000');
    const read = (id: string) =>
      rest<ErrorBody>(app, 'GET', `/v1/gw/blueprints/deployments/${id}`, {
        credential: other.token,
      });
    const [foreign, missing] = [await read(body.id), await read(unknown)];
    expect([foreign.status, missing.status]).toEqual([404, 404]);
    expect(foreign.body.error.message.replace(body.id, '')).toBe(
      missing.body.error.message.replace(unknown, ''),
    );
    const theirs = await deploy(other.token, { project_id: owner.projectId });
    expect([theirs.status, theirs.body.error.code, theirs.body.error.param]).toEqual([
      404,
      'not_found',
      'project_id',
    ]);
  });

  it('of an unknown blueprint is refused', async () => {
    const { status, body } = await deploy(owner.token, {}, 'nothing-of-the-kind');
    expect([status, body.error.code]).toEqual([404, 'blueprint_unknown']);
  });
});
