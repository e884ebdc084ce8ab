import type pg from 'pg';

/** The tables whose rows nobody may change, by the trigger that refuses it. */
const CLOSED = ['ledger_entry', 'usage_event'] as const;

/** What rows must be, as the database holds it: also gone for whoever owns it. */
const CHECKS = [
  ['hold', 'hold_is_sound'],
  ['ledger_entry', 'ledger_entry_is_sound'],
  ['usage_event', 'usage_event_is_sound'],
] as const;

/** Whatever reads a table has to let go of it first. */
const PATIENCE_MS = 60_000;

/** Runs statements as the owner of the database, past the triggers that keep rows as they are. */
export async function tamper(
  pool: pg.Pool,
  statements: readonly (readonly [sql: string, values: readonly unknown[]])[],
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    for (const table of CLOSED) {
      const text = `ALTER TABLE ${table} DISABLE TRIGGER USER`;
      await client.query({ text, query_timeout: PATIENCE_MS } as pg.QueryConfig);
    }
    for (const [table, check] of CHECKS) {
      await client.query(`ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS ${check}`);
    }
    for (const [sql, values] of statements) {
      const config = { text: sql, values: [...values], query_timeout: PATIENCE_MS };
      const { rowCount } = await client.query(config as pg.QueryConfig);
      if (rowCount === 0) throw new Error(`no row to tamper with: ${sql}`);
    }
    for (const table of CLOSED) {
      await client.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
      await client.query(`ALTER TABLE ${table} ENABLE ALWAYS TRIGGER append_only_row`);
      await client.query(`ALTER TABLE ${table} ENABLE ALWAYS TRIGGER append_only_table`);
    }
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

/** A way to change the value of a column, in two directions where it has two. */
export type Change = readonly [column: string, up: string, down?: string];

const UUID_UP = (column: string) => `overlay(${column}::text PLACING 'ffff' FROM 33)::uuid`;
const UUID_DOWN = (column: string) => `overlay(${column}::text PLACING '0000' FROM 33)::uuid`;
const OTHER_ID = `'00000000-0000-7000-8000-00000000abcd'::uuid`;
const more = (column: string): Change => [column, `${column} + 1`, `${column} - 1`];
const fewer = (column: string): Change => [column, `${column} + 1`];
const word = (column: string): Change => [column, `'another'`, `'yet another'`];
const object = (column: string): Change => [column, `'{"a": 1}'`, `'{"b": 2}'`];

/** A change of each column of a usage row but its organization and its id. */
export const USAGE_CHANGES: readonly Change[] = [
  ['seq', 'seq - 1000000'],
  ['txid', 'txid - 1'],
  ['account_id', UUID_UP('account_id'), UUID_DOWN('account_id')],
  ['project_id', UUID_UP('project_id'), UUID_DOWN('project_id')],
  ['key_id', OTHER_ID],
  ['user_id', OTHER_ID],
  ['operation', `'embeddings'`],
  word('requested_model'),
  word('model'),
  word('provider'),
  word('route'),
  ['simulated', 'NOT simulated'],
  word('feature'),
  word('environment'),
  word('client_id'),
  more('input_uncached'),
  fewer('input_cached'),
  fewer('cache_write'),
  more('output_text'),
  fewer('output_reasoning'),
  object('raw_usage'),
  ['usage_source', `'estimated'`],
  ['prices', `jsonb_set(prices, '{effective_from}', '"2999-01-01"')`],
  ['prices', `jsonb_set(prices, '{effective_from}', '"2024-01-01"')`],
  ['prices', `jsonb_set(prices, '{input_uncached}', '"200000001"')`],
  ['prices', `jsonb_set(prices, '{input_uncached}', '"199999999"')`],
  ['prices', `jsonb_set(prices, '{input_cached}', '"1"')`],
  ['prices', `jsonb_set(prices, '{cache_write}', '"1"')`],
  ['prices', `jsonb_set(prices, '{output_text}', '"900000000"')`],
  ['prices', `jsonb_set(prices, '{output_reasoning}', '"1"')`],
  ['cost_micro', 'cost_micro + 1'],
  // The first receipts were HEALTHY over two rows that were changed like these.
  ['amount_micro', 'amount_micro - 1'],
  more('vat_rate_basis_points'),
  more('vat_micro'),
  ['status', `'partial'`],
  word('error_code'),
  more('http_status'),
  word('finish_reason'),
  ['streamed', 'NOT streamed'],
  more('latency_ms'),
  ['time_to_first_token_ms', '7'],
  ['upstream_ms', '7'],
  more('overhead_us'),
  more('attempts'),
  object('policy_versions'),
  word('data_class'),
  object('firewall_findings'),
  object('metadata'),
  ['created_at', `created_at + interval '1 ms'`, `created_at - interval '1 ms'`],
];

/** A change of each column of a line but those that the list of columns does not certify. */
export const LINE_CHANGES: readonly Change[] = [
  ['account_id', UUID_UP('account_id'), UUID_DOWN('account_id')],
  ['account_version', 'account_version + 1000000', 'account_version - 1000000'],
  ['type', `CASE type WHEN 'finalize' THEN 'refund' ELSE 'finalize' END`],
  ['charged_request_id', OTHER_ID],
  ['contra', `'cash_in'`],
  more('amount_micro'),
  more('posted_delta'),
  more('held_delta'),
  more('posted_after'),
  more('held_after'),
  ['vat_rate_basis_points', '2000', '2300'],
  more('vat_micro'),
  ['description', `'another'`],
  ['actor_id', OTHER_ID],
  ['created_at', `created_at + interval '1 ms'`, `created_at - interval '1 ms'`],
];

/** A change of each column of a hold row that the list of columns certifies. */
export const HOLD_CHANGES: readonly Change[] = [
  ['account_id', UUID_UP('account_id'), UUID_DOWN('account_id')],
  ['tenant_id', UUID_UP('tenant_id'), UUID_DOWN('tenant_id')],
  ['request_id', OTHER_ID],
  more('amount_micro'),
  ['state', `'open'`, `'released'`],
  ['state', `'refunded'`],
  ['charged_micro', 'charged_micro - 1'],
  fewer('uncollected_micro'),
  ['refunded_micro', '1'],
  ['created_at', `created_at + interval '1 ms'`, `created_at - interval '1 ms'`],
];
