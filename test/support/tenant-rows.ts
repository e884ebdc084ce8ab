import type { TestApp } from './app.js';

/** What is made of other rows by itself, whoever has asked for anything. */
const MADE_OF_ROWS = [
  'integrity_hour',
  'integrity_finding',
  'integrity_witness',
  'integrity_fault',
  'usage_rollup',
  'usage_rollup_closed',
  'spend_hour',
  'spend_watch',
  'webhook_feed_cursor',
  'audit_link',
  'books_account',
  'books_budget',
  'books_finding',
  'log_tree',
  'log_tile',
  'log_checkpoint',
  'log_cosignature',
];

/** Every row of an organization as text, by table. */
export async function rowsOfTenant(
  app: TestApp,
  tenantId: string,
): Promise<ReadonlyMap<string, string>> {
  const { pool } = app.owner;
  // What the sums have of it already must not depend on when they are looked at.
  await app.server.services.usageRollup.bringForward();
  const tables = await pool.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.columns
     WHERE column_name = 'tenant_id' AND table_schema = 'public' AND table_name <> ALL ($1)
     ORDER BY 1`,
    [MADE_OF_ROWS],
  );
  const texts = tables.rows.map(
    ({ name }) =>
      `SELECT '${name}' AS name, coalesce(string_agg(t::text, E'\\n' ORDER BY t::text), '') AS text
       FROM ${name} t WHERE tenant_id = $1`,
  );
  const { rows } = await pool.query<{ name: string; text: string }>(texts.join(' UNION ALL '), [
    tenantId,
  ]);
  return new Map(rows.map(({ name, text }) => [name, text]));
}

/** What two readings of the rows differ in: table, before, after. */
export function changedRows(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly (readonly [string, string | undefined, string | undefined])[] {
  const changed = [...after.keys()].filter((name) => after.get(name) !== before.get(name));
  return changed.map((name) => [name, before.get(name), after.get(name)]);
}
