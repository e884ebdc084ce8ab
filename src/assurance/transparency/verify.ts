import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose';
import type { Pool, QueryConfig, QueryResultRow } from 'pg';
import { grown, HASH_BYTES, type Peak, rootOfPeaks } from '../../kernel/merkle.rules.js';
import type { FindingOfTenant } from '../../money/books/totals.js';
import { ENTRY_LEAF, leafHashSql } from '../../money/ledger/entry-leaf.js';
import { RECEIPT_LEAVES } from '../../records/receipt-leaves.js';
import { TILE_HASHES } from './tiles.js';
import { CHECKPOINT_STATEMENT } from './vocabulary.js';

const STATEMENT_MS_MAX = 3_600_000;
/** The most leaves that are named. */
const NAMED_MAX = 1_000;
const TILES_AT_ONCE = 64;

/** Leaves whose row is gone, or does not have the hash any more that the log has of it. */
const CHANGED = `
  WITH leaf AS (
    SELECT t.tenant_id, t.index * ${TILE_HASHES} + k.n - 1 AS index, k.key,
           substr(t.hashes, (k.n::int - 1) * ${HASH_BYTES} + 1, ${HASH_BYTES}) AS hash
    FROM log_tile t CROSS JOIN LATERAL unnest(t.keys) WITH ORDINALITY AS k (key, n)
    WHERE t.level = 0
  )
  SELECT l.tenant_id AS "tenantId", 'transparency_log' AS invariant, 'leaf ' || l.index AS subject,
         CASE WHEN l.key > 0 THEN 'line ' || l.key || COALESCE(' of request ' || e.request_id, '')
           ELSE 'receipt at ' || -l.key || COALESCE(', ' || r.id, '') END
         || CASE WHEN e.account_id IS NULL AND r.id IS NULL THEN ' was removed'
              ELSE ' was changed' END AS detail
  FROM leaf l
  LEFT JOIN account a ON a.tenant_id = l.tenant_id AND l.key > 0
  LEFT JOIN ledger_entry e ON e.account_id = a.id AND e.account_version = l.key
  LEFT JOIN ${RECEIPT_LEAVES} r ON r.tenant_id = l.tenant_id AND r.position = -l.key
  WHERE l.hash IS DISTINCT FROM CASE
    WHEN e.account_id IS NOT NULL THEN ${leafHashSql(ENTRY_LEAF)}
    WHEN r.id IS NOT NULL THEN ${leafHashSql('r.leaf')} END
  ORDER BY l.tenant_id, l.index LIMIT ${NAMED_MAX}`;

/** Rows that came to stand behind the end of a log: they were added where nothing was. */
const ADDED = `
  SELECT t.tenant_id AS "tenantId", 'transparency_log' AS invariant,
         'the number of rows' AS subject,
         t.size || ' leaves, ' || e.found || ' lines and ' || r.found || ' receipts' AS detail
  FROM log_tree t
  CROSS JOIN LATERAL (
    SELECT count(*) AS found FROM ledger_entry e JOIN account a ON a.id = e.account_id
    WHERE a.tenant_id = t.tenant_id AND e.account_version <= t.entries
  ) e
  CROSS JOIN LATERAL (
    SELECT count(*) AS found FROM ${RECEIPT_LEAVES} r
    WHERE r.tenant_id = t.tenant_id AND r.position <= t.receipts
  ) r
  WHERE t.size <> e.found + r.found`;

const CHECKPOINTS = `SELECT tenant_id AS "tenantId", size, root_sha256 AS "rootSha256", statement
  FROM log_checkpoint ORDER BY tenant_id, size`;

const TILES = `SELECT index, hashes FROM log_tile
  WHERE tenant_id = $1 AND level = 0 AND index >= $2 ORDER BY index LIMIT ${TILES_AT_ONCE}`;

async function readAll<R extends QueryResultRow>(
  pool: Pool,
  text: string,
  values: readonly unknown[] = [],
) {
  const statement = { text, values: [...values], query_timeout: STATEMENT_MS_MAX };
  return (await pool.query<R>(statement as QueryConfig)).rows;
}

interface CheckpointRow {
  readonly tenantId: string;
  readonly size: bigint;
  readonly rootSha256: Buffer;
  readonly statement: string;
}

/**
 * Holds the logs of all tenants against the rows that they were made of, and what was signed of
 * them against both. What was changed, removed or added is named.
 * @param keys the public keys of the house, of all times
 */
export async function logFindings(
  pool: Pool,
  keys: JSONWebKeySet,
): Promise<readonly FindingOfTenant[]> {
  const found = [
    ...(await readAll<FindingOfTenant & QueryResultRow>(pool, CHANGED)),
    ...(await readAll<FindingOfTenant & QueryResultRow>(pool, ADDED)),
  ];
  const signed = new Map<string, CheckpointRow[]>();
  for (const row of await readAll<CheckpointRow & QueryResultRow>(pool, CHECKPOINTS)) {
    signed.set(row.tenantId, [...(signed.get(row.tenantId) ?? []), row]);
  }
  for (const [tenantId, checkpoints] of signed) {
    const sizes = new Set(checkpoints.map(({ size }) => Number(size)));
    const roots = await rootsAt(pool, tenantId, sizes);
    for (const checkpoint of checkpoints) {
      const detail = await faultOf(checkpoint, roots, keys);
      const subject = `checkpoint of ${checkpoint.size} leaves`;
      if (detail) found.push({ tenantId, invariant: 'transparency_log', subject, detail });
    }
  }
  return found;
}

/** The roots of a log at some sizes, from the hashes of its leaves alone. */
async function rootsAt(
  pool: Pool,
  tenantId: string,
  sizes: ReadonlySet<number>,
): Promise<ReadonlyMap<number, string>> {
  const roots = new Map<number, string>();
  let peaks: readonly Peak[] = [];
  let size = 0;
  const keep = () => {
    if (!sizes.has(size)) return;
    roots.set(size, Buffer.from(rootOfPeaks(peaks)).toString('hex'));
  };
  keep();
  for (let next = 0n; ; ) {
    const tiles = await readAll<{ index: bigint; hashes: Buffer }>(pool, TILES, [tenantId, next]);
    for (const { index, hashes } of tiles) {
      next = index + 1n;
      for (let at = 0; at < hashes.length; at += HASH_BYTES) {
        peaks = grown(peaks, hashes.subarray(at, at + HASH_BYTES));
        size += 1;
        keep();
      }
    }
    if (tiles.length < TILES_AT_ONCE) return roots;
  }
}

async function faultOf(
  { tenantId, size, rootSha256, statement }: CheckpointRow,
  roots: ReadonlyMap<number, string>,
  keys: JSONWebKeySet,
): Promise<string | undefined> {
  const opened = await compactVerify(statement, createLocalJWKSet(keys)).catch(() => undefined);
  if (opened?.protectedHeader.typ !== CHECKPOINT_STATEMENT.type)
    return 'is not signed by the house';
  const said = JSON.parse(Buffer.from(opened.payload).toString('utf8')) as Record<string, unknown>;
  const root = rootSha256.toString('hex');
  const isOfRow = said.sub === tenantId && said.size === Number(size) && said.root_sha256 === root;
  if (!isOfRow) return 'its row is not what was signed';
  return roots.get(Number(size)) === root ? undefined : 'the leaves have another root';
}
