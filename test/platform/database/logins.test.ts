import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import pg, { type Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectDatabase } from '../../../src/platform/database/pool.js';
import { sealBytes } from '../../../src/platform/secrets.js';
import { freshDatabase, type TestDatabase } from '../../support/database.js';
import { type OwnerDatabase, openAsOwner } from '../../support/owner.js';

let database: TestDatabase;
let owner: OwnerDatabase;
const login = `plain_${randomUUID().replaceAll('-', '')}`;

beforeAll(async () => {
  database = await freshDatabase();
  owner = openAsOwner(database.connection);
  await owner.pool.query(`CREATE ROLE ${login} LOGIN`);
});

afterAll(async () => {
  await owner.close();
  await database.drop();
});

function urlAs(user: string): string {
  return database.databaseUrl.replace('//postgres@', `//${user}@`);
}

const OPTIONS = { dataDir: tmpdir(), secret: 'secret' };
const ROLES = 'SELECT session_user::text AS login, current_user::text AS role';

const OTHER_SECRET =
  'the secret is not the one that this database was filled under; set GW_SECRET to that one';

/** What every database has that a gateway has served. */
async function keepKey(pool: Pool): Promise<void> {
  const place = { tenantId: null, table: 'signing_key', field: 'private_sealed', row: 'kid' };
  const sealed = sealBytes(OPTIONS.secret, place, Buffer.from('key'));
  const columns = '(kid, public_jwk, private_sealed)';
  await pool.query(`INSERT INTO signing_key ${columns} VALUES ('kid', '{}', $1)`, [sealed]);
}

describe('the logins of the application', () => {
  it('are made by the start, for this database alone and without a plain password', async () => {
    const opened = await connectDatabase({ ...OPTIONS, databaseUrl: database.databaseUrl });
    const seen = await Promise.all([opened.pool.query(ROLES), opened.platformPool.query(ROLES)]);
    await opened.stop();
    const [{ oid }] = (
      await owner.pool.query('SELECT oid FROM pg_database WHERE datname = current_database()')
    ).rows as [{ oid: number }];
    const names = [`gw_app_${oid}`, `gw_platform_${oid}`];
    expect(seen.map(({ rows }) => rows[0])).toEqual(
      names.map((name) => ({ login: name, role: name })),
    );
    const kept = await owner.pool.query(
      `SELECT rolsuper OR rolcreaterole OR rolcreatedb OR rolbypassrls OR rolreplication AS strong,
         rolpassword ~ '^SCRAM-SHA-256\\$4096:' AS sealed
       FROM pg_authid WHERE rolname = ANY ($1)`,
      [names],
    );
    expect(kept.rows).toEqual(names.map(() => ({ strong: false, sealed: true })));
  });

  it('are the one that the operator gives beside one for migrations', async () => {
    const opened = await connectDatabase({
      ...OPTIONS,
      databaseUrl: urlAs(login),
      migrationUrl: database.databaseUrl,
    });
    const seen = await Promise.all([opened.pool.query(ROLES), opened.platformPool.query(ROLES)]);
    await opened.stop();
    expect(seen.map(({ rows }) => rows[0])).toEqual([
      { login, role: 'gw_app' },
      { login, role: 'gw_platform' },
    ]);
  });

  it('are made by a login that is no superuser, on a database of its own', async () => {
    const name = `gw_owned_${randomUUID().replaceAll('-', '')}`;
    const maker = `maker_${randomUUID().replaceAll('-', '')}`;
    await owner.pool.query(`CREATE ROLE ${maker} LOGIN CREATEROLE`);
    await owner.pool.query(
      `GRANT gw_owner, gw_ledger, gw_app, gw_platform TO ${maker} WITH ADMIN OPTION`,
    );
    await owner.pool.query(`CREATE DATABASE ${name} OWNER ${maker}`);
    const url = new URL(urlAs(maker));
    url.pathname = `/${name}`;
    const at = { ...OPTIONS, databaseUrl: url.toString() };
    const start = async () => {
      const opened = await connectDatabase(at);
      const { rows } = await opened.platformPool.query(
        `SELECT ARRAY(SELECT DISTINCT tableowner::text FROM pg_tables
           WHERE schemaname = 'public') AS owners, ARRAY(SELECT id FROM tenant) AS tenants`,
      );
      await opened.stop();
      return rows[0];
    };
    expect(await start()).toEqual({ owners: ['gw_owner'], tenants: [] });
    expect(await start()).toEqual({ owners: ['gw_owner'], tenants: [] });
    const opened = await connectDatabase(at);
    await keepKey(opened.platformPool);
    await opened.stop();
    await expect(connectDatabase({ ...at, secret: 'another' })).rejects.toThrow(OTHER_SECRET);
    await owner.pool.query(`DROP DATABASE ${name} WITH (FORCE)`);
  });

  it('are shut where their secret was replaced, unless somebody works by them', async () => {
    const { rows } = await owner.pool.query<{ oid: number }>(
      'SELECT oid FROM pg_database WHERE datname = current_database()',
    );
    const former = [`gw_app_${rows[0]?.oid}_b`, `gw_platform_${rows[0]?.oid}_b`] as const;
    for (const name of former) await owner.pool.query(`CREATE ROLE ${name} LOGIN PASSWORD 'x'`);
    const atWork = new pg.Client(urlAs(former[0]));
    try {
      const shut = async () => {
        const at = { ...OPTIONS, databaseUrl: database.databaseUrl };
        await (await connectDatabase(at)).stop();
        const sql = `SELECT rolpassword IS NULL AS shut FROM pg_authid
          WHERE rolname = ANY ($1) ORDER BY rolname`;
        return (await owner.pool.query<{ shut: boolean }>(sql, [former])).rows.map(
          (each) => each.shut,
        );
      };
      await atWork.connect();
      expect(await shut()).toEqual([false, true]);
      await atWork.end();
      await expect.poll(shut).toEqual([true, true]);
    } finally {
      for (const name of former) await owner.pool.query(`DROP ROLE ${name}`);
    }
  });

  it('are given to nobody while keys stand under a secret that was dropped too early', async () => {
    const at = { ...OPTIONS, databaseUrl: database.databaseUrl };
    const place = { tenantId: null, table: 'signing_key', field: 'private_sealed', row: 'early' };
    const sealed = sealBytes('former', place, Buffer.from('key'));
    await owner.pool.query(
      `INSERT INTO signing_key (kid, public_jwk, private_sealed, created_at, rotated_at)
       VALUES ('early', '{}', $1, now() - interval '1 year', now())`,
      [sealed],
    );
    try {
      await keepKey(owner.pool);
      await expect(connectDatabase(at)).rejects.toThrow('GW_SECRET_PREVIOUS');
      await (await connectDatabase({ ...at, otherSecrets: ['former'] })).stop();
    } finally {
      await owner.pool.query("DELETE FROM signing_key WHERE kid IN ('early', 'kid')");
    }
  });

  it('stay as they are where a start or a command has another secret, which is told', async () => {
    const at = { ...OPTIONS, databaseUrl: database.databaseUrl };
    const opened = await connectDatabase(at);
    await keepKey(opened.platformPool);
    const kept = () =>
      owner.pool.query(
        "SELECT rolname, rolpassword FROM pg_authid WHERE rolname ~ '^gw_' ORDER BY 1",
      );
    const { rows } = await kept();
    await expect(connectDatabase({ ...at, secret: 'another' })).rejects.toThrow(OTHER_SECRET);
    expect((await kept()).rows).toEqual(rows);
    await expect(connectDatabase(at).then((again) => again.stop())).resolves.toBeUndefined();
    await opened.stop();
  });

  it('are refused where the given one could change the tables', async () => {
    const { databaseUrl } = database;
    const opening = connectDatabase({ ...OPTIONS, databaseUrl, migrationUrl: databaseUrl });
    await expect(opening).rejects.toThrow(/a login that could change the tables/);
  });

  it('are asked for where the only one that is given may not make them', async () => {
    const opening = connectDatabase({ ...OPTIONS, databaseUrl: urlAs(login) });
    await expect(opening).rejects.toThrow(/DATABASE_MIGRATION_URL/);
  });
});
