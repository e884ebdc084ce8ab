import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { migrate } from '../../../src/platform/database/migrate.js';
import { projectRoot } from '../../../src/platform/database/project-root.js';
import { plantUsage } from '../../finops/reports/usage-rows.js';
import { type EmptyDatabase, emptyDatabase } from './empty.js';

const MIGRATIONS = join(projectRoot(), 'prisma', 'migrations');
/** From it on usage and events are kept by months. */
const BY_MONTHS = '20261127300000_months';
/** An id that no clock of a gateway makes. */
const STRANGE = 'ffffffff-ffff-4fff-8fff-ffffffffffff';

let database: EmptyDatabase;
let client: pg.Client;
let folder: string;

beforeAll(async () => {
  database = await emptyDatabase();
  folder = mkdtempSync(join(tmpdir(), 'gw-before-months-'));
  for (const name of readdirSync(MIGRATIONS).filter((each) => each < BY_MONTHS)) {
    cpSync(join(MIGRATIONS, name), join(folder, name), { recursive: true });
  }
  await migrate(database.connection, folder);
  client = new pg.Client(database.connection);
  await client.connect();
});

afterAll(async () => {
  await client.end();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

const HASHES = `SELECT
  (SELECT jsonb_agg(to_jsonb(u) ORDER BY seq) FROM usage_event u) AS usage,
  (SELECT jsonb_agg(to_jsonb(f) ORDER BY seq) FROM feed_event f) AS events,
  (SELECT count(*)::int FROM bi_requests) AS shown`;

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    ({ code }) => code,
  );

describe('an installation of before the months', () => {
  it('keeps each row as it was, in the first month or, beyond that, in the rest', async () => {
    const tenants = [newId('Tenant'), newId('Tenant')];
    const [own = '', other = ''] = tenants;
    await plantUsage(
      client,
      [...tenants, ...tenants].map((tenantId) => ({ tenantId })),
    );
    await plantUsage(client, [{ tenantId: other, id: STRANGE }]);
    for (const [tenantId, id] of [
      [own, newId('FeedEvent')],
      [other, STRANGE],
    ]) {
      await client.query(
        `INSERT INTO feed_event (id, tenant_id, feed, type, subject_id, payload)
         VALUES ($1, $2, 'test', 'test', 'test', '{}')`,
        [id, tenantId],
      );
    }
    const before = (await client.query(HASHES)).rows;
    expect(await migrate(database.connection, MIGRATIONS)).toContain(BY_MONTHS);
    expect((await client.query(HASHES)).rows).toEqual(before);
    const { rows } = await client.query(
      `SELECT tableoid::regclass::text AS part, count(*)::int FROM usage_event GROUP BY 1
       UNION ALL SELECT tableoid::regclass::text, count(*)::int FROM feed_event GROUP BY 1
       ORDER BY 1`,
    );
    expect(rows).toEqual([
      { part: 'gw_months.feed_event_first', count: 1 },
      { part: 'gw_months.feed_event_rest', count: 1 },
      { part: 'gw_months.usage_event_first', count: 4 },
      { part: 'gw_months.usage_event_rest', count: 1 },
    ]);
  });

  it('refuses a second row of a request as before, and goes on counting', async () => {
    const { rows } = await client.query<{ tenantId: string; id: string; seq: string }>(
      `SELECT tenant_id AS "tenantId", id, seq::text FROM usage_event ORDER BY seq DESC`,
    );
    for (const { tenantId, id } of rows) {
      expect(await codeOf(plantUsage(client, [{ tenantId, id }]))).toBe('23505');
    }
    const [last] = rows;
    await plantUsage(client, [{ tenantId: last?.tenantId ?? '' }]);
    const { rows: next } = await client.query<{ isAfter: boolean }>(
      'SELECT max(seq) > $1 AS "isAfter" FROM usage_event',
      [last?.seq],
    );
    expect(next).toEqual([{ isAfter: true }]);
  });

  it.each([
    'UPDATE usage_event SET model = model',
    'DELETE FROM feed_event',
    'TRUNCATE usage_event',
    'DELETE FROM gw_months.usage_event_first',
    'TRUNCATE gw_months.feed_event_first',
    'UPDATE gw_months.usage_event_rest SET model = model',
  ])('refuses %s, for every role', async (change) => {
    await client.query("SET session_replication_role = 'replica'");
    expect(await codeOf(client.query(change))).toBe('42501');
    await client.query('RESET session_replication_role');
  });
});
