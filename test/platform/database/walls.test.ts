import { tmpdir } from 'node:os';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { connectDatabase, type Database } from '../../../src/platform/database/pool.js';
import { createPrisma } from '../../../src/platform/database/prisma.js';
import { everyTenant, tenantDatabase } from '../../../src/platform/database/tenant.js';
import { tenantQuery } from '../../../src/platform/database/tenant-query.js';
import { freshDatabase, serviceDatabase, type TestDatabase } from '../../support/database.js';
import { type OwnerDatabase, openAsOwner } from '../../support/owner.js';
import { insertSql, plantRows, rowsOf, type TenantTable, tenantTables } from './belongings.js';

const REFUSED = '42501';

/** What none of the application's roles may do, whatever SQL somebody brings into it. */
const FORBIDDEN = [
  'CREATE TABLE mine (n int)',
  'CREATE TEMPORARY TABLE mine (n int)',
  'CREATE FUNCTION mine() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
  'CREATE SCHEMA mine',
  'CREATE ROLE mine',
  'ALTER TABLE account ADD COLUMN mine int',
  'ALTER TABLE ledger_entry DISABLE TRIGGER ALL',
  'ALTER TABLE audit_event DISABLE TRIGGER append_only_row',
  'ALTER TABLE account DISABLE ROW LEVEL SECURITY',
  'ALTER TABLE account NO FORCE ROW LEVEL SECURITY',
  'DROP POLICY own_rows ON account',
  'CREATE POLICY mine ON account USING (true)',
  'DROP TABLE account',
  'TRUNCATE ledger_entry',
  'SET ROLE gw_owner',
  'SET ROLE gw_ledger',
  'SET ROLE postgres',
  'SET SESSION AUTHORIZATION postgres',
  "SET session_replication_role = 'replica'",
  'GRANT gw_owner TO SESSION_USER',
  'ALTER ROLE SESSION_USER SUPERUSER',
  'INSERT INTO account (id, tenant_id) VALUES (gen_random_uuid(), gen_random_uuid())',
  'UPDATE account SET posted_micro = 1',
  'DELETE FROM hold',
  'UPDATE usage_event SET amount_micro = 0',
  'DELETE FROM ledger_entry',
  'UPDATE budget_counter SET spent_micro = 0',
  'DELETE FROM kept_answer',
  "SELECT * FROM ledger_write('node', 1, '[]')",
  "SELECT pg_read_file('/etc/passwd')",
  "COPY account TO PROGRAM 'true'",
  'SELECT * FROM _prisma_migrations',
];

/** What is kept from the role of tenants besides. */
const FORBIDDEN_TO_TENANTS = [
  'SET ROLE gw_platform',
  "SELECT * FROM ledger_apply('node', 1, '[]')",
  "SELECT * FROM ledger_post(gen_random_uuid(), gen_random_uuid(), 'credit', 1, '', NULL)",
  'SELECT ledger_open_account(gen_random_uuid(), gen_random_uuid())',
  'SELECT * FROM ledger_posting',
];

/** What logins of BI tools read is open to them by a policy of their own. */
function policiesOf(table: string): string[] {
  const isForBi = ['usage_event', 'usage_rollup', 'ledger_entry'].includes(table);
  return isForBi ? ['all_rows', 'bi_rows', 'own_rows'] : ['all_rows', 'own_rows'];
}

async function codeOf(call: Promise<unknown>): Promise<string | undefined> {
  return call.then(
    () => undefined,
    (error: { code?: string }) => error.code ?? String(error),
  );
}

const SERVERS: readonly (readonly [string, () => Promise<TestDatabase | undefined>])[] = [
  ['the embedded server', freshDatabase],
  ['a server of the environment', serviceDatabase],
];

describe.each(SERVERS)('the walls of %s', (_name, open) => {
  let database: TestDatabase | undefined;
  let working: Database;
  let owner: OwnerDatabase;
  let own = '';
  let other = '';
  let tables: readonly TenantTable[] = [];

  beforeAll(async () => {
    database = await open();
    if (!database) return;
    const { databaseUrl } = database;
    working = await connectDatabase({ databaseUrl, dataDir: tmpdir(), secret: 'secret', max: 3 });
    owner = openAsOwner(databaseUrl);
    [own, other] = await plantRows(owner.pool);
    tables = await tenantTables(owner.pool);
  });

  afterAll(async () => {
    await working?.stop();
    await owner?.close();
    await database?.drop();
  });

  const asOwn = (text: string, values: unknown[] = []) =>
    tenantQuery<{ found: bigint }>(working.pool, own, { text, values });

  it('every table of tenants has row security that binds its owner too', async (context) => {
    if (!database) return context.skip();
    const { rows } = await owner.pool.query<{ name: string; closed: boolean; policies: string[] }>(
      `SELECT relname AS name, relrowsecurity AND relforcerowsecurity AS closed,
         ARRAY(SELECT polname::text FROM pg_policy WHERE polrelid = c.oid ORDER BY 1) AS policies
       FROM pg_class c WHERE relname = ANY ($1) ORDER BY 1`,
      [tables.map(({ name }) => name)],
    );
    expect(tables.length).toBeGreaterThan(30);
    expect(rows).toEqual(
      tables.map(({ name }) => ({ name, closed: true, policies: policiesOf(name) })),
    );
  });

  it('raw SQL sees the rows of its tenant alone, and none without one', async (context) => {
    if (!database) return context.skip();
    const seen: Record<string, unknown> = {};
    const expected: Record<string, unknown> = {};
    for (const { name, tenantColumn } of tables) {
      const mine = await asOwn(`SELECT count(*) AS found FROM ${name}`);
      const theirs = await asOwn(
        `SELECT count(*) AS found FROM ${name} WHERE ${tenantColumn} = $1`,
        [other],
      );
      const nobodys = await working.pool.query(`SELECT count(*) AS found FROM ${name}`);
      const all = await working.platformPool.query(`SELECT count(*) AS found FROM ${name}`);
      seen[name] = [mine, theirs, nobodys, all].map(({ rows }) => rows[0]?.found);
      expected[name] = [1n, 0n, 0n, 2n];
    }
    expect(seen).toEqual(expected);
  });

  it('raw SQL writes no row of another tenant, in any table', async (context) => {
    if (!database) return context.skip();
    const before = await rowsOf(owner.pool, other);
    const written: string[] = [];
    for (const table of tables) {
      const { name, tenantColumn } = table;
      const inserted = await codeOf(asOwn(await insertSql(owner.pool, table), [other]));
      if (inserted !== REFUSED) written.push(`insert ${name}: ${inserted}`);
      for (const change of [
        `UPDATE ${name} SET ${tenantColumn} = $2 WHERE ${tenantColumn} = $1`,
        `UPDATE ${name} SET ${tenantColumn} = $1 WHERE ${tenantColumn} = $2`,
      ]) {
        const changed = await asOwn(change, [other, own]).then(
          ({ rowCount }) => rowCount,
          ({ code }) => code,
        );
        if (changed !== 0 && changed !== REFUSED) written.push(`${change}: ${changed}`);
      }
      const removed = await asOwn(`DELETE FROM ${name} WHERE ${tenantColumn} = $1`, [other]).then(
        ({ rowCount }) => rowCount,
        ({ code }) => code,
      );
      if (removed !== 0 && removed !== REFUSED) written.push(`delete ${name}: ${removed}`);
    }
    expect(written).toEqual([]);
    expect(await rowsOf(owner.pool, other)).toEqual(before);
    expect(before).toHaveLength(tables.length);
  });

  it('neither role changes tables, rights or books, or becomes one who can', async (context) => {
    if (!database) return context.skip();
    const done: string[] = [];
    const refuse = async (pool: pg.Pool, statements: readonly string[]) => {
      for (const sql of statements) {
        const code = await codeOf(pool.query(sql));
        if (code !== REFUSED) done.push(`${sql}: ${code}`);
      }
    };
    await refuse(working.pool, [...FORBIDDEN, ...FORBIDDEN_TO_TENANTS]);
    await refuse(working.platformPool, FORBIDDEN);
    // Switching the policies off makes a statement fail, not see more.
    const client = await working.pool.connect();
    await client.query('SET row_security = off');
    expect(await codeOf(client.query('SELECT * FROM account'))).toBe(REFUSED);
    client.release(true);
    expect(done).toEqual([]);
  });

  it('a top-up reaches no account of another tenant', async (context) => {
    if (!database) return context.skip();
    const sql = 'SELECT id FROM account WHERE tenant_id = $1';
    const [account] = (await owner.pool.query<{ id: string }>(sql, [other])).rows;
    const { rows } = await asOwn(
      `SELECT status FROM ledger_top_up($1, gen_random_uuid(), 1000000, 'Free money', NULL)`,
      [account?.id],
    );
    expect(rows).toEqual([{ status: 'unknown_account' }]);
  });

  it('a connection carries no tenant to the next statement', async (context) => {
    if (!database) return context.skip();
    const asked = Array.from({ length: 60 }, (_, turn) => {
      const tenantId = [own, other, undefined][turn % 3];
      const text = 'SELECT id FROM tenant';
      return tenantId === undefined
        ? working.pool.query<{ id: string }>(text)
        : tenantQuery<{ id: string }>(working.pool, tenantId, { name: 'which', text, values: [] });
    });
    const seen = (await Promise.all(asked)).map(({ rows }) => rows.map(({ id }) => id));
    expect(seen).toEqual(asked.map((_, turn) => [[own], [other], []][turn % 3]));
    const failed = tenantQuery(working.pool, own, { text: 'SELECT 1 / 0' });
    expect(await codeOf(failed)).toBe('22012');
    expect((await working.pool.query('SELECT id FROM tenant')).rows).toEqual([]);
  });

  it('Prisma sees what it was told to see, also at the same time', async (context) => {
    if (!database) return context.skip();
    const prisma = createPrisma(working);
    const mine = tenantDatabase(prisma, own);
    const theirs = tenantDatabase(prisma, other);
    const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id).sort();
    const lookups = [mine, theirs].map((one, turn) =>
      one.tenant.findUnique({ where: { id: turn === 0 ? own : other }, select: { id: true } }),
    );
    expect(await Promise.all(lookups)).toEqual([{ id: own }, { id: other }]);
    const rawIds = `SELECT id FROM tenant`;
    const raw = await mine.$transaction(async (tx) => {
      const before = await tx.$queryRawUnsafe<{ id: string }[]>(rawIds);
      await tx.project.create({ data: { id: newId('Project'), tenantId: own, name: 'Second' } });
      return [...before, ...(await tx.$queryRawUnsafe<{ id: string }[]>(rawIds))];
    });
    expect(ids(raw)).toEqual([own, own]);
    expect(await mine.$queryRaw`SELECT id::text FROM tenant`).toEqual([{ id: own }]);
    expect(await prisma.tenant.findMany()).toEqual([]);
    expect(await prisma.$transaction((tx) => tx.tenant.findMany())).toEqual([]);
    expect(ids(await everyTenant(prisma).tenant.findMany())).toEqual([own, other].sort());
    const beside = (): Promise<unknown> => prisma.tenant.findMany();
    expect(await mine.$transaction(beside)).toEqual([]);
    expect(await everyTenant(prisma).$transaction(beside)).toEqual([]);
    const foreign = { id: newId('Project'), tenantId: other, name: 'Foreign' };
    const planted = mine.$transaction(
      (tx) => tx.$executeRaw`
      INSERT INTO project (id, tenant_id, name)
      VALUES (${foreign.id}::uuid, ${foreign.tenantId}::uuid, ${foreign.name})`,
    );
    await expect(planted).rejects.toThrow(/row-level security/);
    await prisma.$disconnect();
  });
});
