import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { fail } from '../../../src/kernel/errors/fail.js';
import { newId } from '../../../src/kernel/ids.js';
import { seal } from '../../../src/records/receipts.js';
import { despiteErasure, type TenantScope } from '../../../src/records/scope.js';
import { act, LOW } from '../../actions/integrations/calls.js';
import { DESK, execute, REFUND, receiptOf, register } from '../../actions/tools/world.js';
import { verified } from '../../assurance/transparency/verifying.js';
import { ownManifest } from '../../delivery/blueprints/own-manifest.js';
import { run } from '../../delivery/blueprints/wire.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { erase } from './samples.js';

const CANARY = 'Ivan Petrov 4509 654321';
const WAIT = { timeout: 30_000, interval: 20 };

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

const UNDERWAY = 'SELECT * FROM blueprint_run_underway WHERE tenant_id = $1';

/** Stores a manifest whose result takes a fact from the input. */
async function storeFacts({ token }: Customer): Promise<void> {
  const manifest = ownManifest('acme-facts');
  (manifest.business_result as Record<string, unknown>).facts = { subject: 'input.subject' };
  const store = 'mutation($m: JSON!) { blueprintManifestStore(manifest: $m) { version } }';
  expect((await graphql(app, store, { m: manifest }, token)).errors).toBeUndefined();
}

describe('a blueprint that goes on over an erasure', () => {
  it('stands in the clear nowhere meanwhile, and ends without what was erased', async () => {
    const [customer, neighbour] = [await newCustomer(app, 100), await newCustomer(app, 100)];
    const body = {
      input: { subject: CANARY, body: 'It does not print.', queues: ['Tills'] },
      metadata: { sandbox_delay_ms: '2000' },
    };
    const both = [customer, neighbour];
    for (const each of both) await storeFacts(each);
    const asked = both.map((each) => run(app, each, 'acme-facts', body));
    const rows = await vi.waitUntil(async () => {
      const found = both.map(({ tenantId }) => app.owner.pool.query(UNDERWAY, [tenantId]));
      const read = (await Promise.all(found)).flatMap((each) => each.rows);
      return read.length === 2 ? read : undefined;
    }, WAIT);
    expect(JSON.stringify(rows)).not.toContain(CANARY);
    expect((await erase(other, customer)).data.organizationPersonalDataErase?.keysErased).toBe(1);
    const [ended, kept] = await Promise.all(asked);
    const runOf = async ({ token }: Customer, id: string) =>
      (await rest(other, 'GET', `/v1/gw/blueprints/runs/${id}`, { credential: token })).body;
    const after = await runOf(customer, ended?.body.id ?? '');
    expect(after).toMatchObject({ status: 'completed', erased: true, input: null });
    expect(JSON.stringify(after)).not.toContain(CANARY);
    expect(await runOf(neighbour, kept?.body.id ?? '')).toMatchObject({
      erased: false,
      input: { subject: CANARY },
      business_result: { facts: { subject: CANARY } },
    });
  }, 60_000);
});

describe('a receipt that is sealed beside an erasure', () => {
  it('waits for the key before it stands in line: neither waits for the other', async () => {
    const customer = await newCustomer(app);
    const { tenantId } = customer;
    const scope = { services: app.server.services, who: { tenantId } };
    await seal(scope, 'blueprint_run', newId('BlueprintRun'), { first: true });
    const erasing = await app.owner.pool.connect();
    try {
      await erasing.query('BEGIN');
      await erasing.query('SELECT shut_data_key_gate($1)', [tenantId]);
      const sealing = seal(scope, 'blueprint_run', newId('BlueprintRun'), { second: true });
      await vi.waitUntil(async () => {
        const sql = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'
          AND datname = current_database() AND query LIKE '%seal_receipt%'`;
        return (await app.owner.pool.query(sql)).rowCount === 1;
      }, WAIT);
      const line = await erasing.query(
        `SELECT pg_try_advisory_xact_lock(hashtextextended('sealed_receipt ' || $1, 0)) AS free`,
        [tenantId],
      );
      await erasing.query('ROLLBACK');
      expect(line.rows).toEqual([{ free: true }]);
      expect((await sealing).alreadySealed).toBe(false);
    } finally {
      erasing.release();
    }
  });
});

describe('a call that waits while its arguments are erased', () => {
  it('ends with a receipt that states no hash of arguments which nobody has', async () => {
    const customer = await newCustomer(app);
    await register(app, customer, DESK);
    const kept = await execute(app, customer.key, REFUND);
    const before = await receiptOf(app, customer.token, kept.body.id);
    expect(before.body.arguments_sha256).toMatch(/^[0-9a-f]{64}$/);
    await erase(app, customer);
    const after = await receiptOf(other, customer.token, kept.body.id);
    expect([after.status, after.body.arguments_sha256]).toEqual([200, null]);
    expect(after.body.bound_hash).toBe(before.body.bound_hash);
  });
});

describe('a call whose arguments were erased', () => {
  it('is undone by arguments that are stated anew, and by no empty ones', async () => {
    const customer = await newCustomer(app);
    await register(app, customer, DESK);
    const close = { tool_key: 'desk', verb: 'close', arguments: { id: 'T-1' } };
    const { body: done } = await execute(app, customer.key, close);
    await erase(app, customer);
    const undo = (body: object) =>
      rest(other, 'POST', `/v1/gw/tools/calls/${done.id}/rollback`, {
        credential: customer.token,
        body,
      });
    const refused = await undo({});
    expect([refused.status, refused.body]).toEqual([
      409,
      expect.objectContaining({
        error: expect.objectContaining({ code: 'personal_data_erased' }),
      }),
    ]);
    expect(await undo({ arguments: { id: 'T-1' } })).toMatchObject({
      status: 200,
      body: { status: 'executed', erased: false },
    });
  });
});

describe('what has happened already', () => {
  const scope = (forget: () => void) =>
    ({ services: { dataKeys: { forget } }, who: { tenantId: 'one' } }) as unknown as TenantScope;

  it('is written again under the next key where an erasure has overtaken it', async () => {
    const forget = vi.fn();
    const work = vi.fn<() => Promise<string>>(async () => 'written');
    work.mockImplementationOnce(async () => fail('personal_data_key_changed'));
    expect(await despiteErasure(scope(forget), work)).toBe('written');
    expect([forget.mock.calls, work.mock.calls.length]).toEqual([[['one']], 2]);
    const other = vi.fn(async () => fail('personal_data_erased'));
    await expect(despiteErasure(scope(forget), other)).rejects.toThrow();
    expect(other).toHaveBeenCalledTimes(1);
  });
});

describe('proofs of the transparency log', () => {
  it('hold across an erasure, and so does the checkpoint of before', async () => {
    const customer = await newCustomer(app, 10);
    const { receipt_id: receiptId } = await act(app, customer.token, {
      ...LOW,
      record: { company: CANARY },
    });
    const read = async (path: string) => {
      const response = await fetch(app.url + path, {
        headers: { authorization: `Bearer ${customer.token}` },
      });
      expect(response.status).toBe(200);
      return response.text();
    };
    const kept = await read('/v1/gw/transparency/checkpoint');
    await erase(other, customer);
    await act(other, customer.token, { ...LOW, record_id: 'after' });
    await read('/v1/gw/transparency/checkpoint');
    const keys = JSON.parse(await read('/.well-known/jwks.json'));
    const files = [
      await read('/v1/gw/transparency/export?limit=1000'),
      kept,
      await read(`/v1/gw/transparency/receipts/${receiptId}/proof`),
      await read(`/v1/gw/transparency/checkpoints/${JSON.parse(kept).id}/consistency`),
    ];
    const { code, text } = await verified(keys, ...files);
    expect([code, text]).toEqual([0, expect.stringContaining('0 faults')]);
    expect(files.join()).not.toContain(CANARY);
  });
});
