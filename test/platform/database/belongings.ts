import type pg from 'pg';
import { newId } from '../../../src/kernel/ids.js';

/** A table whose rows belong to tenants, by the column that names the tenant. */
export interface TenantTable {
  readonly name: string;
  readonly tenantColumn: string;
}

const TABLES = `
  SELECT c.relname AS name, CASE c.relname WHEN 'tenant' THEN 'id' ELSE 'tenant_id' END
    AS "tenantColumn"
  FROM pg_class c
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
    AND (c.relname = 'tenant' OR EXISTS (SELECT FROM pg_attribute a
      WHERE a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped))
  ORDER BY 1`;

/** Every table of tenants, as the catalogue has them. */
export async function tenantTables(owner: pg.Pool): Promise<TenantTable[]> {
  return (await owner.query<TenantTable>(TABLES)).rows;
}

/** A value of each type that differs in every row. */
const VALUES: Readonly<Record<string, string>> = {
  uuid: 'gen_random_uuid()',
  text: 'gen_random_uuid()::text',
  bytea: "decode(replace(gen_random_uuid()::text, '-', ''), 'hex')",
  jsonb: "'{}'",
  float8: '1',
  int8: '(random() * 1e15)::bigint',
  int4: '(random() * 1e9)::int',
  numeric: '(random() * 1e9)::int',
  bool: 'false',
  timestamptz: 'clock_timestamp()',
  date: 'current_date',
};

/** The statement that adds a row of any content for the tenant in $1. */
export async function insertSql(owner: pg.Pool, table: TenantTable): Promise<string> {
  // What is sealed has to be so under a data key, which rows of any content have none of.
  const { rows } = await owner.query<{ name: string; type: string }>(
    `SELECT a.attname AS name, t.typname AS type FROM pg_attribute a
     JOIN pg_type t ON t.oid = a.atttypid
     WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped
       AND a.attgenerated = '' AND (a.attnotnull OR a.attname NOT LIKE '%\\_sealed')`,
    [table.name],
  );
  const names = rows.map(({ name }) => `"${name}"`);
  const values = rows.map(({ name, type }) =>
    name === table.tenantColumn ? '$1::uuid' : (VALUES[type] ?? "'{}'"),
  );
  return `INSERT INTO ${table.name} (${names.join(', ')}) VALUES (${values.join(', ')})`;
}

/**
 * Adds a row for each of two tenants to every table of tenants. What rows must look like is no
 * matter here, so the checks of the tables are dropped and nothing is triggered.
 */
export async function plantRows(owner: pg.Pool): Promise<readonly [string, string]> {
  const tenants = [newId('Tenant'), newId('Tenant')] as const;
  const checks = await owner.query<{ sql: string }>(
    `SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS sql
     FROM pg_constraint WHERE contype = 'c' AND connamespace = 'public'::regnamespace`,
  );
  for (const { sql } of checks.rows) await owner.query(sql);
  const tables = await tenantTables(owner);
  const inserts = await Promise.all(tables.map((table) => insertSql(owner, table)));
  const client = await owner.connect();
  try {
    await client.query("SET session_replication_role = 'replica'");
    for (const sql of inserts) {
      for (const tenantId of tenants) await client.query(sql, [tenantId]);
    }
    await client.query('RESET session_replication_role');
  } finally {
    client.release();
  }
  return tenants;
}

/** Every row of a tenant as text. */
export async function rowsOf(owner: pg.Pool, tenantId: string): Promise<string[]> {
  const texts: string[] = [];
  for (const { name, tenantColumn } of await tenantTables(owner)) {
    const sql = `SELECT t::text AS text FROM ${name} t WHERE ${tenantColumn} = $1 ORDER BY 1`;
    const { rows } = await owner.query<{ text: string }>(sql, [tenantId]);
    texts.push(...rows.map(({ text }) => `${name} ${text}`));
  }
  return texts;
}
