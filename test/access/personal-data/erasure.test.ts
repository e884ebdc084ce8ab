import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sealOpenRows } from '../../../src/access/personal-data/seal-open-rows.js';
import { checkFully } from '../../../src/money/books/full.js';
import { everyTenant } from '../../../src/platform/database/tenant.js';
import { verifyChain } from '../../../src/records/receipts.js';
import { act, HIGH, LOW, preview, receiptOf, rollBack } from '../../actions/integrations/calls.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { erase } from './samples.js';

const CANARY = 'Ivan Petrov 4509 123456';
const SECRET_LOW = { ...LOW, record: { company: CANARY }, changes: { company: `${CANARY}!` } };

let app: TestApp;
let other: TestApp;

beforeAll(async () => {
  app = await startApp();
  other = await startApp(app.environment);
});

afterAll(async () => {
  await other?.stop();
  await app?.stop();
});

function scopeOf({ tenantId }: Customer) {
  return { services: app.server.services, who: { tenantId } };
}

/** True where a row of any sealed table holds the text in the clear. */
async function standsInTheClear(text: string): Promise<readonly string[]> {
  const { rows } = await app.owner.pool.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
  );
  const found: string[] = [];
  for (const { name } of rows) {
    const sql = `SELECT count(*)::int AS found FROM "${name}" t WHERE t::text LIKE $1`;
    const { rows: counted } = await app.owner.pool.query<{ found: number }>(sql, [`%${text}%`]);
    if (counted[0]?.found) found.push(name);
  }
  return found;
}

async function approvalOf({ token }: Customer) {
  const { data } = await graphql<{ approvals: { nodes: Record<string, unknown>[] } }>(
    app,
    '{ approvals(first: 1) { nodes { id shown erased shownHash } } }',
    {},
    token,
  );
  return data.approvals.nodes[0];
}

describe('personal data', () => {
  it('stands in the clear in no table, and is read by its organization as it was', async () => {
    const customer = await newCustomer(app);
    const done = await act(app, customer.token, SECRET_LOW);
    await act(app, customer.token, { ...HIGH, record: { ...HIGH.record, title: CANARY } });
    expect(await standsInTheClear(CANARY)).toEqual([]);
    const receipt = await receiptOf(other, customer.token, done.id);
    expect(JSON.stringify(receipt.body)).toContain(CANARY);
  });

  it('does not open where its bytes are copied to another row or organization', async () => {
    const [one, two] = [await newCustomer(app), await newCustomer(app)];
    await preview(app, one.token, SECRET_LOW);
    await preview(app, two.token, SECRET_LOW);
    const steal = `UPDATE integration_record SET state_sealed =
      (SELECT state_sealed FROM integration_record WHERE tenant_id = $1) WHERE tenant_id = $2`;
    await expect(app.owner.pool.query(steal, [one.tenantId, two.tenantId])).rejects.toThrow(
      'no data key in force',
    );
    await app.owner.pool.query('ALTER TABLE integration_record DISABLE TRIGGER data_key');
    await app.owner.pool.query(steal, [one.tenantId, two.tenantId]);
    await app.owner.pool.query('ALTER TABLE integration_record ENABLE ALWAYS TRIGGER data_key');
    const rows = everyTenant(app.server.services.prisma).integrationRecord;
    const read = rows.findFirst({ where: { tenantId: two.tenantId } });
    await expect(read).rejects.toThrow('a data key that this organization never had');
  });

  it('is sealed under one key, however many nodes make the first one at once', async () => {
    const customer = await newCustomer(app);
    const all = Array.from({ length: 20 }, (_, index) =>
      preview(index % 2 ? app : other, customer.token, { ...LOW, record_id: `r-${index}` }),
    );
    expect(new Set((await Promise.all(all)).map(({ status }) => status))).toEqual(new Set([200]));
    const sql = 'SELECT count(*)::int AS keys FROM tenant_data_key WHERE tenant_id = $1';
    const { rows } = await app.owner.pool.query(sql, [customer.tenantId]);
    expect(rows[0].keys).toBe(1);
  });
});

describe('an erasure', () => {
  it('takes the data and leaves books, hashes, receipts and trail that verify', async () => {
    const [customer, neighbour] = [await newCustomer(app, 100), await newCustomer(app)];
    const done = await act(app, customer.token, SECRET_LOW);
    const kept = await act(app, neighbour.token, SECRET_LOW);
    await act(app, customer.token, HIGH);
    const before = await verifyChain(scopeOf(customer));
    const { data } = await erase(app, customer);
    expect(data.organizationPersonalDataErase).toMatchObject({
      keysErased: 1,
      reason: 'a person asked for it',
      erasedBy: customer.userId,
    });
    for (const node of [app, other]) {
      const { status, body } = await receiptOf(node, customer.token, done.id);
      expect([status, body]).toEqual([
        200,
        expect.objectContaining({ erased: true, changed_fields: null, rollback: null }),
      ]);
      const sound = await receiptOf(node, neighbour.token, kept.id);
      expect(JSON.stringify(sound.body)).toContain(CANARY);
    }
    expect(await approvalOf(customer)).toMatchObject({ shown: null, erased: true });
    const after = await verifyChain(scopeOf(customer));
    expect(after).toMatchObject({ valid: true, receiptCount: before.receiptCount + 1 });
    expect(await checkFully(app.server.services.platformPool)).toEqual([]);
    const generic = await graphql(
      app,
      'query($id: ID!) { node(id: $id) { ... on SealedReceipt { content erased sha256 } } }',
      { id: done.receipt_id },
      customer.token,
    );
    expect(generic.errors).toBeUndefined();
    expect(generic.data).toEqual({
      node: { content: null, erased: true, sha256: expect.any(String) },
    });
    expect((await rollBack(app, customer.token, done.id)).body).toMatchObject({
      error: { code: 'personal_data_erased' },
    });
  });

  it('is of an owner who names the organization, and of no key', async () => {
    const customer = await newCustomer(app);
    await preview(app, customer.token, SECRET_LOW);
    const misnamed = await erase(app, customer, { organization: 'Another' });
    expect(misnamed.errors?.[0]?.extensions).toMatchObject({ code: 'invalid_request' });
    for (const reason of ['', 'x'.repeat(501)]) {
      const unsaid = await erase(app, customer, { reason });
      expect(unsaid.errors?.[0]?.extensions).toMatchObject({ code: 'invalid_request' });
    }
    const byKey = await erase(app, customer, { credential: customer.key });
    expect(byKey.errors?.[0]?.extensions).toMatchObject({ code: 'permission_denied' });
    const { body } = await preview(app, customer.token, { ...LOW, record: undefined });
    expect(body.record_version).toBe(1);
  });

  it('drops however many answers were kept, in pieces', async () => {
    const [customer, neighbour] = [await newCustomer(app), await newCustomer(app)];
    const kept = `INSERT INTO idempotency_record (tenant_id, actor_id, key, body_hash, status,
        request_id, first_request_id, node_id, http_status, answer, expires_at)
      SELECT $1, $2, 'k' || n, 'x', 'done', 'r', 'r', 'n', 200, 'x', now() + interval '1 day'
      FROM generate_series(1, $3::int) n`;
    await app.owner.pool.query(kept, [customer.tenantId, customer.userId, 12_000]);
    await app.owner.pool.query(kept, [neighbour.tenantId, neighbour.userId, 10]);
    const { data } = await erase(app, customer);
    expect(data.organizationPersonalDataErase?.answersDropped).toBe(12_000);
    const left = `SELECT count(answer)::int AS left FROM idempotency_record WHERE tenant_id = $1`;
    const count = async ({ tenantId }: Customer) =>
      (await app.owner.pool.query(left, [tenantId])).rows[0].left;
    expect([await count(customer), await count(neighbour)]).toEqual([0, 10]);
  });

  it('lets the organization go on under another key, on every node', async () => {
    const customer = await newCustomer(app);
    await act(app, customer.token, SECRET_LOW);
    await erase(app, customer);
    for (const node of [app, other]) {
      const done = await act(node, customer.token, { ...LOW, record_id: node.url });
      expect(done).toMatchObject({ status: 'executed', erased: false });
    }
    // A record whose state is erased is unknown until it is stated again.
    const unstated = await preview(app, customer.token, { ...SECRET_LOW, record: undefined });
    expect(unstated.body).toMatchObject({ error: { code: 'invalid_request' } });
    expect((await preview(app, customer.token, SECRET_LOW)).status).toBe(200);
  });

  it('leaves nothing readable of what is written while it runs', async () => {
    const customer = await newCustomer(app);
    await preview(app, customer.token, SECRET_LOW);
    const writes = Array.from({ length: 30 }, (_, index) =>
      act(index % 2 ? app : other, customer.token, { ...SECRET_LOW, record_id: `race-${index}` }),
    );
    const [erased, ...made] = await Promise.all([erase(app, customer), ...writes]);
    expect(erased.data.organizationPersonalDataErase?.keysErased).toBe(1);
    for (const each of made) {
      const code = (each as unknown as { error?: { code: string } }).error?.code;
      const known = [undefined, 'personal_data_key_changed', 'personal_data_erased', 'not_found'];
      expect(known).toContain(code);
    }
    const sql = `SELECT count(*)::int AS lost FROM integration_action a
      JOIN tenant_data_key k ON k.id = encode(substr(a.changed_fields_sealed, 2, 16), 'hex')::uuid
      WHERE a.tenant_id = $1 AND k.erased_at < a.created_at`;
    expect((await app.owner.pool.query(sql, [customer.tenantId])).rows[0].lost).toBe(0);
    expect((await verifyChain(scopeOf(customer))).valid).toBe(true);
  });
});

describe('what stood open before', () => {
  const SAMPLES = { variables: { name: CANARY }, outputs: [], context_pack: null };

  async function openVersions(customer: Customer, count: number): Promise<void> {
    const { body } = await rest<{ id: string }>(app, 'POST', '/v1/gw/prompts', {
      credential: customer.token,
      body: { prompt_key: 'open', use_case: 'a test' },
    });
    for (let first = 1; first <= count; first += 500) {
      await app.owner.pool.query(
        `INSERT INTO prompt_version (id, tenant_id, prompt_id, version, template, variables,
           model_variants, samples, content_hash, created_by)
         SELECT gen_random_uuid(), $1, $2, n, 'Hello', '[]', '[]', $3, sha256('x'), $4
         FROM generate_series($5::int, $6::int) n`,
        [customer.tenantId, body.id, SAMPLES, customer.userId].concat([
          first,
          Math.min(first + 499, count),
        ] as never[]),
      );
    }
  }

  it('is read all the while it is sealed, by two nodes at once, 10,000 rows', async () => {
    const customer = await newCustomer(app);
    await openVersions(customer, 10_000);
    const where = { tenantId: customer.tenantId };
    const rows = everyTenant(app.server.services.prisma).promptVersion;
    const sealing = Promise.all([app, other].map(({ server }) => sealOpenRows(server.services)));
    for (let page = 0; page < 5; page += 1) {
      const read = await rows.findMany({ where, take: 200, skip: page * 1_000 });
      expect(read.every(({ samples }) => JSON.stringify(samples).includes(CANARY))).toBe(true);
    }
    const counts = await sealing;
    const left = await sealOpenRows(app.server.services);
    expect((counts[0] ?? 0) + (counts[1] ?? 0) + left).toBe(10_000);
    expect(await standsInTheClear(CANARY)).toEqual([]);
    const last = await rows.findFirst({ where, orderBy: { version: 'desc' } });
    expect(last?.samples).toEqual(SAMPLES);
  }, 120_000);

  it('goes with an erasure that comes before its sealing', async () => {
    const customer = await newCustomer(app);
    await openVersions(customer, 3);
    expect((await erase(app, customer)).data.organizationPersonalDataErase?.keysErased).toBe(1);
    expect(await standsInTheClear(CANARY)).toEqual([]);
  });

  it('can be changed in no other way in a table that only grows', async () => {
    const customer = await newCustomer(app);
    await openVersions(customer, 1);
    const { pool } = app.owner;
    const edits = ["samples = '{}'", 'samples = NULL', "template = 'x'", "samples_sealed = 'x'"];
    for (const edit of edits) {
      const sql = `UPDATE prompt_version SET ${edit} WHERE tenant_id = $1`;
      await expect(pool.query(sql, [customer.tenantId])).rejects.toThrow();
    }
  });
});
