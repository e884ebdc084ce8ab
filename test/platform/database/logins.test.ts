import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectDatabase } from '../../../src/platform/database/pool.js';
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
    const start = async () => {
      const opened = await connectDatabase({ ...OPTIONS, databaseUrl: url.toString() });
      const { rows } = await opened.platformPool.query(
        `SELECT ARRAY(SELECT DISTINCT tableowner::text FROM pg_tables
           WHERE schemaname = 'public') AS owners, ARRAY(SELECT id FROM tenant) AS tenants`,
      );
      await opened.stop();
      return rows[0];
    };
    expect(await start()).toEqual({ owners: ['gw_owner'], tenants: [] });
    expect(await start()).toEqual({ owners: ['gw_owner'], tenants: [] });
    await owner.pool.query(`DROP DATABASE ${name} WITH (FORCE)`);
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
