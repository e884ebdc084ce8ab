import type { Pool } from 'pg';
import type { Services } from '../../graph/ctx.js';
import {
  SEALED_TABLES,
  type SealedModel,
  type SealedTable,
  sealedPlace,
} from '../../platform/database/sealed-columns.js';

/** So many rows are sealed by one statement. */
const ROWS_AT_ONCE = 200;

type SealingServices = Pick<Services, 'platformPool' | 'dataKeys'>;

interface OpenRow {
  readonly tenant_id: string;
  readonly key: readonly string[];
  readonly open: string;
}

/** A column that is sealed, with the names in the database. */
interface SealedColumn {
  readonly model: SealedModel;
  readonly field: string;
  readonly table: string;
  readonly column: string;
  readonly keyColumns: readonly string[];
  readonly which: string;
  readonly type: 'text' | 'jsonb';
}

const COLUMNS: readonly SealedColumn[] = (
  Object.entries(SEALED_TABLES) as [SealedModel, SealedTable][]
).flatMap(([model, { table, columns, key, which = 'true', isText }]) =>
  Object.entries(columns).map(([field, column]) => ({
    ...{ model, field, table, column, which },
    keyColumns: key.map(snake),
    type: isText ? ('text' as const) : ('jsonb' as const),
  })),
);

/**
 * Seals what stands open from before, in all tables, or of one tenant alone. It can be ended at any
 * moment and be run by several nodes at once: rows are sealed by one statement for some of them,
 * which changes nothing where somebody was faster.
 * @returns how many values it has sealed
 */
export async function sealOpenRows(services: SealingServices, tenantId?: string): Promise<number> {
  let sealed = 0;
  for (const column of COLUMNS) {
    for (;;) {
      const rows = await openRows(services.platformPool, column, tenantId);
      const count = await sealRows(services, column, rows);
      sealed += count;
      if (count === 0 || rows.length < ROWS_AT_ONCE) break;
    }
  }
  return sealed;
}

async function openRows(
  pool: Pool,
  { table, column, keyColumns, which }: SealedColumn,
  tenantId: string | undefined,
): Promise<readonly OpenRow[]> {
  const key = `ARRAY[${keyColumns.map((each) => `${each}::text`).join(', ')}]`;
  const { rows } = await pool.query<OpenRow>(
    `SELECT tenant_id, ${key} AS key, ${column}::text AS open FROM ${table}
     WHERE ${column} IS NOT NULL AND ${which} AND ($1::uuid IS NULL OR tenant_id = $1)
     ORDER BY tenant_id LIMIT ${ROWS_AT_ONCE}`,
    [tenantId ?? null],
  );
  return rows;
}

async function sealRows(
  { platformPool, dataKeys }: SealingServices,
  { model, field, table, column, keyColumns, type }: SealedColumn,
  rows: readonly OpenRow[],
): Promise<number> {
  const sealedRows = await Promise.all(
    rows.map(async ({ tenant_id: tenantId, key, open }) => ({
      keys: [tenantId, ...key],
      open,
      sealed: await dataKeys.seal(
        sealedPlace(model, field, { tenantId, key }),
        Buffer.from(open, 'utf8'),
      ),
    })),
  );
  if (sealedRows.length === 0) return 0;
  const names = ['tenant_id', ...keyColumns];
  const lists = names.map((_, index) => `$${index + 1}::text[]`).join(', ');
  const same = names.map((each) => `t.${each} = w.${each}${castOf(each)}`).join(' AND ');
  const [openAt, sealedAt] = [names.length + 1, names.length + 2];
  // What another node is at is left to it, so that no two wait for one another.
  const { rowCount } = await platformPool.query(
    `WITH w AS (
       SELECT * FROM unnest(${lists}, $${openAt}::text[], $${sealedAt}::bytea[])
         AS w(${names.join(', ')}, open, sealed)
     ), mine AS (
       SELECT t.ctid AS place, w.sealed FROM ${table} t JOIN w ON ${same}
       WHERE t.${column} = w.open::${type} FOR UPDATE OF t SKIP LOCKED
     )
     UPDATE ${table} t SET ${column} = NULL, ${column}_sealed = mine.sealed
     FROM mine WHERE t.ctid = mine.place`,
    [
      ...names.map((_, index) => sealedRows.map(({ keys }) => keys[index])),
      sealedRows.map(({ open }) => open),
      sealedRows.map(({ sealed }) => sealed),
    ],
  );
  return rowCount ?? 0;
}

/** A statement that tells whether anything of a tenant still stands open. */
export const ANY_OPEN = `SELECT ${COLUMNS.map(
  ({ table, column, which }) =>
    `EXISTS (SELECT FROM ${table}
       WHERE tenant_id = $1::uuid AND ${column} IS NOT NULL AND ${which})`,
).join(' OR ')} AS open`;

function castOf(column: string): string {
  return column === 'id' || column === 'tenant_id' ? '::uuid' : '';
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
