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
  ])('may not: %s', async (sql) => {
    await expect(own.query(sql)).rejects.toMatchObject({ code: '42501' });
  });
});
