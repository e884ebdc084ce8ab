import { tmpdir } from 'node:os';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UsageRollup } from '../../../src/finops/reports/rollup.js';
import { newId } from '../../../src/kernel/ids.js';
import { connectDatabase, type Database } from '../../../src/platform/database/pool.js';
import { createLog } from '../../../src/platform/log.js';
import { freshDatabase, type TestDatabase } from '../../support/database.js';
import { type OwnerDatabase, openAsOwner } from '../../support/owner.js';
import { plantUsage } from '../reports/usage-rows.js';

const tenantId = newId('Tenant');
const otherId = newId('Tenant');
const LOGINS = ['own', 'stranger'].map((name) => `bi_${name}_${process.pid}`);
const [OWN = '', STRANGER = ''] = LOGINS;

let database: TestDatabase;
let working: Database;
let owner: OwnerDatabase;
let rollup: UsageRollup;
let own: pg.Client;
let stranger: pg.Client;

async function logIn(user: string): Promise<pg.Client> {
  const client = new pg.Client({ ...database.connection, user, password: 'for tests' });
  await client.connect();
  return client;
}

beforeAll(async () => {
  database = await freshDatabase();
  const { databaseUrl } = database;
  working = await connectDatabase({ databaseUrl, dataDir: tmpdir(), secret: 's'.repeat(32) });
  owner = openAsOwner(database.connection);
  for (const login of LOGINS) {
    await owner.pool.query(`CREATE ROLE ${login} LOGIN PASSWORD 'for tests' IN ROLE gw_bi`);
  }
  await owner.pool.query('INSERT INTO bi_login (login, tenant_id) VALUES ($1, $2)', [
    OWN,
    tenantId,
  ]);
  const createdAt = new Date('2026-10-05T22:30:00Z');
  const row = { createdAt, clientId: 'acme', feature: 'search', inputUncached: 7, outputText: 3 };
  await plantUsage(owner.pool, [
    { ...row, tenantId, amountMicro: 1_220_001n, vatMicro: 220_000n },
    { ...row, tenantId: otherId, amountMicro: 99_000_000n },
  ]);
  rollup = new UsageRollup({ platformPool: working.platformPool, log: createLog('silent') });
  await rollup.bringForward();
  await plantUsage(owner.pool, [
    { ...row, tenantId, amountMicro: 2n, status: 'partial' },
    { ...row, tenantId: otherId, amountMicro: 99_000_000n },
  ]);
  [own, stranger] = [await logIn(OWN), await logIn(STRANGER)];
});

afterAll(async () => {
  await own?.end();
  await stranger?.end();
  await working.stop();
  for (const login of LOGINS) await owner.pool.query(`DROP ROLE IF EXISTS ${login}`);
  await owner.close();
  await database.drop();
});

const VIEWS = ['bi_requests', 'bi_refunds', 'bi_usage_daily', 'bi_usage_daily_by_client'];

describe('a login of BI tools', () => {
  it('reads days that equal the requests to the micro-ruble, past the mark too', async () => {
    const daily = await own.query(
      `SELECT day::text, feature, model, requests, input_tokens, amount_rub, net_rub, vat_rub
       FROM bi_usage_daily`,
    );
    expect(daily.rows).toEqual([
      {
        day: '2026-10-06',
        feature: 'search',
        model: 'sandbox/echo',
        requests: '2',
        input_tokens: '14',
        amount_rub: '1.220003',
        net_rub: '1.000003',
        vat_rub: '0.220000',
      },
    ]);
    const clients = await own.query('SELECT client_id, amount_rub FROM bi_usage_daily_by_client');
    expect(clients.rows).toEqual([{ client_id: 'acme', amount_rub: '1.220003' }]);
    const requests = await own.query('SELECT sum(amount_rub) AS sum, count(*) FROM bi_requests');
    expect(requests.rows).toEqual([{ sum: '1.220003', count: '2' }]);
  });

  it('sees no other tenant, whatever it sets', async () => {
    await own.query(`SET gw.tenant_id = '${otherId}'`);
    for (const sql of ['SELECT tenant_id FROM usage_event', 'SELECT tenant_id FROM usage_rollup']) {
      const seen = async () => {
        // Whoever else has a transaction open on the server holds the sums back meanwhile.
        await rollup.bringForward();
        const { rows } = await own.query<{ tenant_id: string }>(sql);
        return new Set(rows.map((row) => row.tenant_id));
      };
      await expect.poll(seen, { timeout: 20_000 }).toEqual(new Set([tenantId]));
    }
    await own.query('RESET gw.tenant_id');
  });

  it('runs nothing with the rights of another one but what says its tenant', async () => {
    const { rows } = await own.query(
      `SELECT proname FROM pg_proc
       WHERE prosecdef AND has_function_privilege(oid, 'EXECUTE') ORDER BY 1`,
    );
    expect(rows).toEqual([{ proname: 'bi_tenant' }]);
  });

  it('meets no other tenant by what it calls while it waits or makes SQL of text', async () => {
    const settings = ['gw.tenant_id', 'gw.tenant', 'app.tenant_id'];
    for (const name of settings) {
      const seen = await own.query(
        `SELECT set_config('${name}', '${otherId}', false), pg_sleep(0.01),
           query_to_xml('SELECT DISTINCT tenant_id FROM usage_event', true, false, '')::text
             AS text,
           table_to_xml('bi_refunds', true, false, '')::text AS refunds`,
      );
      const text = seen.rows.map((row) => row.text + row.refunds).join();
      expect(text).toContain(tenantId);
      expect(text).not.toContain(otherId);
      await own.query(`RESET ${name}`);
    }
    const statistics = await own.query(
      `SELECT * FROM pg_stats WHERE tablename IN ('usage_event', 'usage_rollup', 'ledger_entry')`,
    );
    expect(statistics.rows).toEqual([]);
    const others = await own.query(
      `SELECT query FROM pg_stat_activity
       WHERE usename <> session_user AND query <> '<insufficient privilege>' AND query <> ''`,
    );
    expect(others.rows).toEqual([]);
  });

  it('leaves advisory locks to the roles of the gateway', async () => {
    for (const pool of [working.pool, working.platformPool]) {
      const { rows } = await pool.query('SELECT pg_try_advisory_xact_lock(7) AS taken');
      expect(rows).toEqual([{ taken: true }]);
    }
  });

  it('sees nothing while it is bound to no tenant', async () => {
    for (const view of VIEWS) {
      expect((await stranger.query(`SELECT * FROM ${view}`)).rows).toEqual([]);
    }
  });

  it.each([
    'SELECT metadata FROM usage_event',
    'SELECT prices FROM usage_event',
    'SELECT * FROM bi_login',
    'SELECT * FROM tenant',
    'SELECT * FROM api_key',
    'SELECT * FROM ledger_entry',
    `INSERT INTO bi_login (login, tenant_id) VALUES ('x', gen_random_uuid())`,
    'UPDATE usage_rollup SET amount_micro = 0',
    'DELETE FROM usage_event',
    'CREATE TABLE mine (n int)',
    'SET ROLE gw_platform',
    `SET SESSION AUTHORIZATION ${STRANGER}`,
    'SELECT pg_advisory_lock(1)',
    'SELECT pg_advisory_lock(1, 1)',
    'SELECT pg_advisory_lock_shared(1)',
    "SELECT pg_try_advisory_lock(hashtextextended('gw node gw-1', 0))",
    "SELECT pg_advisory_xact_lock(hashtext('ledger_recover'))",
    "SELECT pg_try_advisory_xact_lock(hashtextextended('reader_mark usage_rollup', 0))",
    'SELECT pg_advisory_unlock_all()',
    'DO $$ BEGIN LOCK TABLE usage_event; END $$',
    'DO $$ BEGIN LOCK TABLE reader_mark IN SHARE MODE; END $$',
    'SELECT 1 FROM reader_mark FOR UPDATE',
    'SELECT lo_create(0)',
    "SELECT lo_from_bytea(0, 'x')",
    "SELECT pg_logical_emit_message(false, 'x', 'x')",
    'CREATE EXTENSION dblink',
    'CREATE TEMPORARY TABLE mine (n int)',
    'CREATE FUNCTION mine() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
    'CREATE FOREIGN DATA WRAPPER mine',
    "SELECT pg_read_file('/etc/passwd')",
    "COPY usage_rollup TO PROGRAM 'true'",
    "COPY usage_rollup FROM '/etc/passwd'",
    "SELECT set_config('role', 'gw_platform', false)",
    "SELECT set_config('session_authorization', 'postgres', false)",
    "SELECT set_config('session_replication_role', 'replica', false)",
    'DO $$ BEGIN PERFORM pg_advisory_lock(1); END $$',
  ])('may not: %s', async (sql) => {
    await expect(own.query(sql)).rejects.toMatchObject({ code: '42501' });
  });
});
