import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { update } from '../../access/keys/limited.js';
import { newPolicy, outcome } from '../../journeys/people.js';
import { writeVersion } from '../../prompts/use/prompts.js';
import { newCustomer, rest, startApp, type TestApp } from '../../support/app.js';
import type { ProvidedApp } from '../../support/provided-app.js';
import { type Asker, ask, type Body, INSIDE, OUTSIDE, startWorld, WAYS } from './world.js';

let app: ProvidedApp;
/** A node that hears of no change: as if every notification were still under way. */
let deaf: TestApp;

/** The triggers that notify nodes. */
const VOICES = `
  SELECT format('ALTER TABLE %s DISABLE TRIGGER %I', t.tgrelid::regclass, t.tgname) AS sql
  FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
  WHERE p.proname = 'notify_access_change' AND t.tgparentid = 0`;

beforeAll(async () => {
  app = await startWorld();
  const { rows } = await app.owner.pool.query<{ sql: string }>(VOICES);
  expect(rows.length).toBeGreaterThan(5);
  for (const { sql } of rows) await app.owner.pool.query(sql);
  deaf = await startApp({ ...app.environment, GW_NODE_ID: 'deaf' });
});
afterAll(async () => {
  await deaf?.stop();
  await app?.stop();
});

/** The model that answers on the deaf node, or how the request is refused. */
async function answeredBy(asker: Asker, more: Body = {}): Promise<unknown> {
  const answer = await ask(deaf, asker, more);
  return answer.status === 200 ? answer.body.model : outcome(answer);
}

async function made(way: string): Promise<Asker> {
  const asker = await WAYS[way]?.(app, 'C1');
  if (!asker) throw new Error(way);
  return asker;
}

async function patched(asker: Asker, path: string, body: Body): Promise<void> {
  const { token: credential } = asker.customer;
  expect((await rest(app, 'PATCH', path, { credential, body })).status).toBe(200);
}

describe('on a node that has not heard of it, the next request has the changed class', () => {
  it('of a key, raised and lifted', async () => {
    const asker = await made('key');
    expect(await answeredBy(asker)).toBe(OUTSIDE);
    const { rows } = await app.owner.pool.query<{ id: string }>(
      "SELECT id FROM api_key WHERE tenant_id = $1 AND name = 'limited'",
      [asker.customer.tenantId],
    );
    const change = (data_class_min: string | null) =>
      update(app, asker.customer.token, String(rows[0]?.id), { data_class_min });
    expect((await change('C4')).body).toMatchObject({ data_class_min: 'C4' });
    expect(await answeredBy(asker)).toBe(INSIDE);
    expect((await change(null)).body).toMatchObject({ data_class_min: null });
    expect(await answeredBy(asker)).toBe(OUTSIDE);
  });

  it('of a policy, raised and lifted', async () => {
    const customer = await newCustomer(app, 500);
    const asker: Asker = { customer, key: customer.key };
    expect(await answeredBy(asker)).toBe(OUTSIDE);
    const { id } = await newPolicy(app, customer.token, { data_class_min: 'C3' });
    expect(await answeredBy(asker)).toBe(INSIDE);
    await patched(asker, `/v1/gw/policies/${id}`, { data_class_min: null });
    expect(await answeredBy(asker)).toBe(OUTSIDE);
  });

  it('of a workspace, raised and lifted', async () => {
    const asker = await made('workspace');
    expect(await answeredBy(asker)).toBe(OUTSIDE);
    const path = `/v1/gw/workspaces/${asker.headers?.['x-gw-workspace']}`;
    await patched(asker, path, { policy: { data_class_min: 'C3' } });
    expect(await answeredBy(asker)).toBe(INSIDE);
    await patched(asker, path, { name: 'Other' });
    expect(await answeredBy(asker)).toBe(INSIDE);
    await patched(asker, path, { policy: { data_class_min: null } });
    expect(await answeredBy(asker)).toBe(OUTSIDE);
  });

  it('of the prompt version that goes to production, whole and streamed', async () => {
    const asker = await made('prompt');
    const { customer, metadata } = asker;
    expect(await answeredBy(asker)).toBe(OUTSIDE);
    const { pool } = app.owner;
    const { rows } = await pool.query<{ id: string }>(
      'SELECT id FROM prompt WHERE tenant_id = $1 AND prompt_key = $2',
      [customer.tenantId, metadata?.prompt_key],
    );
    const id = String(rows[0]?.id);
    const client = await pool.connect();
    await client.query("UPDATE prompt_stage SET status = 'staging' WHERE prompt_id = $1", [id]);
    client.release();
    const version = { template: 'Be long.', status: 'production', dataClassMin: 'C4' } as const;
    expect(await writeVersion(app, customer, id, version)).toBe(2);
    expect(await answeredBy(asker)).toBe(INSIDE);
    const sent = app.double.received('inside').at(-1);
    expect(sent?.body).toContain('Be long.');
  });
});

it('a least class above all classes of a workspace is refused when it is written', async () => {
  const { customer, headers } = await made('workspace');
  const { token: credential } = customer;
  const fault = {
    status: 400,
    body: { error: { faults: [{ path: 'policy.data_class_min', code: 'invalid' }] } },
  };
  const policy = { data_classes: ['C0', 'C2'], data_class_min: 'C3' };
  const path = '/v1/gw/workspaces';
  expect(await rest(app, 'POST', path, { credential, body: { policy } })).toMatchObject(fault);
  const own = `${path}/${headers?.['x-gw-workspace']}`;
  const narrowed = { policy: { data_classes: ['C0'] } };
  expect(await rest(app, 'PATCH', own, { credential, body: narrowed })).toMatchObject(fault);
  const unknown = { policy: { data_class_min: 'C9' } };
  expect((await rest(app, 'PATCH', own, { credential, body: unknown })).status).toBe(400);
});

it('a workspace refuses a class that it does not take, whoever states it', async () => {
  const asker = await made('workspace');
  const path = `/v1/gw/workspaces/${asker.headers?.['x-gw-workspace']}`;
  await patched(asker, path, { policy: { data_classes: ['C0', 'C1'] } });
  expect(await answeredBy(asker)).toBe(OUTSIDE);
  const stated = { metadata: { data_class: 'C2' } };
  expect(await answeredBy(asker, stated)).toBe('403 workspace_policy_blocked');
});
