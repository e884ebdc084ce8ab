import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { USE_CONDITIONS } from '../../growth/readiness/evidence.js';
import type { Manifest } from './export.js';
import type { Month } from './month.js';
import { obstaclesOf, type Terms } from './obstacles.js';

const LOCK_NOT_AVAILABLE = '55P03';
const TRIES_MAX = 20;
const RETRY_MS = 500;

/** Nobody waits behind this command for longer. */
const BOUNDED = `SET LOCAL lock_timeout = '500ms'`;

const end = ({ untilMonth }: Month) => `'${untilMonth}'::timestamp AT TIME ZONE 'Europe/Moscow'`;

/**
 * The first request of an organization that shows an item of its readiness: what an onboarding
 * says was reached, and when, holds for good.
 */
const firstShown = ({ name }: Month) =>
  USE_CONDITIONS.map(
    (condition) => `(SELECT DISTINCT ON (tenant_id) id FROM gw_months.${name} m
      WHERE ${condition} AND NOT EXISTS (
        SELECT FROM gw_months.usage_event_rest r
        WHERE r.tenant_id = m.tenant_id AND ${condition} AND r.created_at <= m.created_at)
      ORDER BY tenant_id, created_at)`,
  );

/**
 * Rows of usage that were charged or given back when the month was over stay, in the rest: so
 * everything that happened from its end on can still be read row by row.
 */
const staying = (month: Month) => `
  SELECT array_agg(DISTINCT id) AS ids FROM (
    SELECT id FROM gw_months.${month.name} WHERE created_at >= ${end(month)}
    UNION ALL
    SELECT e.charged_request_id FROM ledger_entry e
    JOIN gw_months.${month.name} m ON m.tenant_id = e.tenant_id AND m.id = e.charged_request_id
    WHERE e.type = 'refund' AND e.created_at >= ${end(month)}
    UNION ALL ${firstShown(month).join(' UNION ALL ')}
  ) each`;

/** @returns the ids of the rows of a month that stay */
async function idsStaying(owner: pg.ClientBase, month: Month): Promise<readonly string[]> {
  if (month.word !== 'usage') return [];
  const { rows } = await owner.query<{ ids: string[] | null }>(staying(month));
  return rows[0]?.ids ?? [];
}

const REMEMBER: Readonly<Record<Month['word'], (month: Month) => string>> = {
  usage: (month) =>
    remember(month, `''`, [
      `count(*) FILTER (WHERE status <> 'failed')`,
      'sum(amount_micro)',
      'sum(vat_micro)',
    ]),
  events: (month) => remember(month, 'feed', ['0', '0', '0']),
};

function remember(month: Month, feed: string, [charges, amount, vat]: readonly string[]): string {
  return `INSERT INTO dropped_rows (tenant_id, of_table, feed, until_month, rows, txid, seq,
      charges, amount_micro, vat_micro)
    SELECT tenant_id, '${month.table}', ${feed}, '${month.untilMonth}', count(*),
      (array_agg(txid ORDER BY txid DESC, seq DESC))[1],
      (array_agg(seq ORDER BY txid DESC, seq DESC))[1], ${charges}, ${amount}, ${vat}
    FROM gw_months.${month.name} WHERE NOT (id = ANY($1::uuid[])) GROUP BY tenant_id, 3`;
}

async function inOneTransaction(
  owner: pg.ClientBase,
  month: Month,
  { rows, sha256 }: Manifest,
  terms: Terms,
): Promise<void> {
  const { table, name, untilMonth, bytes } = month;
  await owner.query(BOUNDED);
  // Only what comes late for this month waits; requests of today go on.
  await owner.query(`LOCK TABLE gw_months.${name} IN SHARE MODE`);
  const reasons = await obstaclesOf(owner, month, terms);
  if (reasons.length > 0) throw new Error(`${name} must stay: ${reasons.join('; ')}`);
  const { rows: now } = await owner.query<{ rows: number }>(
    `SELECT count(*)::float8 AS rows FROM gw_months.${name}`,
  );
  if (now[0]?.rows !== rows) throw new Error(`rows came to ${name} after its export; run again`);
  const ids = await idsStaying(owner, month);
  await owner.query(REMEMBER[month.word](month), [ids]);
  await owner.query(
    `UPDATE month_partition SET dropped_at = clock_timestamp(), rows = $3, bytes = $4, sha256 = $5
     WHERE of_table = $1 AND until_month = $2`,
    [table, untilMonth, rows, bytes, Buffer.from(sha256, 'hex')],
  );
  await owner.query(`ALTER TABLE ${table} DETACH PARTITION gw_months.${name}`);
  if (ids.length > 0) {
    await owner.query(
      `INSERT INTO ${table} SELECT * FROM gw_months.${name} WHERE id = ANY($1::uuid[])`,
      [ids],
    );
  }
  await owner.query(`DROP TABLE gw_months.${name}`);
}

/**
 * Takes an exported month out of its table, with what is remembered of it, in one transaction. A
 * table with a rest cannot let go of a month concurrently; so the lock on it is asked for a moment,
 * and again where somebody has it.
 * @throws Error where something stands against it by now
 */
export async function dropMonth(
  owner: pg.ClientBase,
  month: Month,
  manifest: Manifest,
  terms: Terms,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    await owner.query('BEGIN');
    try {
      await inOneTransaction(owner, month, manifest, terms);
      await owner.query('COMMIT');
      return;
    } catch (error) {
      await owner.query('ROLLBACK');
      const isBusy = (error as { code?: string }).code === LOCK_NOT_AVAILABLE;
      if (!isBusy || tries === TRIES_MAX) throw error;
      await sleep(RETRY_MS);
    }
  }
}
