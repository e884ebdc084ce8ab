import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SEALED_TABLES, type SealedTable } from '../../src/platform/database/sealed-columns.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { DATA_CLASSES, DATA_INVENTORY } from './data-inventory.js';

let database: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await freshDatabase();
  client = new pg.Client(database.connection);
  await client.connect();
});
afterAll(async () => {
  await client?.end();
  await database?.drop();
});

/** Columns that can hold a text, by table. */
const COLUMNS = `
  SELECT c.table_name AS table, array_agg(c.column_name::text ORDER BY c.column_name) AS columns
  FROM information_schema.columns c
    JOIN information_schema.tables t USING (table_schema, table_name)
  WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE'
    AND c.table_name <> '_prisma_migrations'
    AND c.data_type NOT IN ('uuid', 'bigint', 'integer', 'smallint', 'numeric', 'boolean', 'date',
      'timestamp with time zone', 'double precision', 'real')
  GROUP BY 1 ORDER BY 1`;

const CLASSIFIED = Object.entries(DATA_INVENTORY).map(([table, classes]) => ({
  table,
  columns: Object.values(classes)
    .flatMap((names) => names.split(' '))
    .sort(),
}));

describe('the inventory of data', () => {
  it('says of every column that can hold a text what it may hold, once', async () => {
    const { rows } = await client.query<{ table: string; columns: string[] }>(COLUMNS);
    const sorted = rows.map(({ table, columns }) => ({ table, columns: columns.sort() }));
    const byName = (one: { table: string }, two: { table: string }) =>
      one.table < two.table ? -1 : 1;
    expect([...CLASSIFIED].sort(byName)).toEqual(sorted.sort(byName));
  });

  it('names as sealed exactly what is sealed when it is written', () => {
    const sealed = Object.values(SEALED_TABLES as Record<string, SealedTable>).flatMap(
      ({ table, columns }) => Object.values(columns).map((column) => `${table}.${column}`),
    );
    const named = (kind: 'sealed' | 'open_of_sealed') =>
      Object.entries(DATA_INVENTORY).flatMap(([table, classes]) =>
        (classes[kind]?.split(' ') ?? []).map((column) => `${table}.${column}`),
      );
    expect(named('open_of_sealed').sort()).toEqual([...sealed].sort());
    expect(named('sealed').sort()).toEqual(sealed.map((name) => `${name}_sealed`).sort());
  });

  it('is of classes that say what becomes of them', () => {
    for (const text of Object.values(DATA_CLASSES)) expect(text).toMatch(/^[A-Z].{20,}\.$/);
  });

  it('has a guard of the data key on every sealed column', async () => {
    const { rows } = await client.query<{ table: string; columns: string }>(
      `SELECT tgrelid::regclass::text AS table, encode(tgargs, 'escape') AS columns
       FROM pg_trigger WHERE tgname = 'data_key' AND tgenabled = 'A' ORDER BY 1`,
    );
    const guarded = rows.flatMap(({ table, columns }) =>
      columns
        .split('\\000')
        .filter(Boolean)
        .map((column) => `${table}.${column}`),
    );
    const sealed = Object.entries(DATA_INVENTORY).flatMap(([table, { sealed: names }]) =>
      (names?.split(' ') ?? []).map((column) => `${table}.${column}`),
    );
    expect(guarded.sort()).toEqual(sealed.sort());
  });
});
