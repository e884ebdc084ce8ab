import { setImmediate as turn } from 'node:timers/promises';
import type { Pool, PoolClient, QueryConfig, QueryResultRow } from 'pg';
import { HASH_BYTES, rootOfRow } from '../../kernel/merkle.rules.js';
import { ENTRY_LEAF, leafHashSql } from '../../money/ledger/entry-leaf.js';
import { RECEIPT_LEAVES } from '../../records/receipt-leaves.js';
import { TILE_HASHES } from './tiles.js';

const STATEMENT_MS_MAX = 60_000;

/** Whoever comes first makes the tree of a tenant. */
const BEGIN = 'INSERT INTO log_tree (tenant_id) VALUES ($1) ON CONFLICT DO NOTHING';

/** One process at a time adds to a tree; no writer of the books and no reader waits for it. */
const take = (whenBusy: 'wait' | 'pass') =>
  `SELECT size FROM log_tree WHERE tenant_id = $1
   FOR NO KEY UPDATE${whenBusy === 'pass' ? ' SKIP LOCKED' : ''}`;

/**
 * Adds the next leaves to the tiles of level 0: lines in the order of their versions, then receipts
 * in that of their positions, at most $2 of each. What is visible of either is a prefix without
 * holes, so the last one that stands in the tree is all that has to be kept. Answers the tiles that
 * are full now, and how far the tree has come.
 */
const ADD_LEAVES = `
  WITH tree AS (
    SELECT t.*, (SELECT id FROM account a WHERE a.tenant_id = t.tenant_id) AS account_id
    FROM log_tree t WHERE t.tenant_id = $1
  ), leaf AS MATERIALIZED (
    (SELECT e.account_version AS key, ${leafHashSql(ENTRY_LEAF)} AS hash
     FROM ledger_entry e
     WHERE e.account_id = (SELECT account_id FROM tree)
       AND e.account_version > (SELECT entries FROM tree)
     ORDER BY e.account_version LIMIT $2)
    UNION ALL
    (SELECT -r.position, ${leafHashSql('r.leaf')}
     FROM ${RECEIPT_LEAVES} r
     WHERE r.tenant_id = $1 AND r.position > (SELECT receipts FROM tree)
     ORDER BY r.position LIMIT $2)
  ), placed AS (
    SELECT key, hash, n, (size + n - 1) / ${TILE_HASHES} AS tile
    FROM (SELECT *, row_number() OVER () AS n FROM leaf) l CROSS JOIN tree
  ), tiled AS MATERIALIZED (
    SELECT tile, hashes, keys, leaves,
           GREATEST(max(line) OVER upto, entries) AS entries,
           GREATEST(max(receipt) OVER upto, receipts) AS receipts
    FROM (
      SELECT tile, string_agg(hash, ''::bytea ORDER BY n) AS hashes,
             array_agg(key ORDER BY n) AS keys, count(*) AS leaves, max(key) AS line,
             max(-key) AS receipt
      FROM placed GROUP BY tile
    ) t CROSS JOIN tree WINDOW upto AS (ORDER BY tile)
  ), moved AS (
    UPDATE log_tree t SET size = t.size + l.leaves, entries = l.entries, receipts = l.receipts
    FROM (
      SELECT sum(leaves)::bigint AS leaves, max(entries) AS entries, max(receipts) AS receipts
      FROM tiled HAVING count(*) > 0
    ) l WHERE t.tenant_id = $1
    RETURNING l.leaves
  ), written AS (
    INSERT INTO log_tile AS t (tenant_id, level, index, hashes, keys, entries, receipts)
    SELECT $1, 0, tile, hashes, keys, entries, receipts FROM tiled
    ON CONFLICT (tenant_id, level, index) DO UPDATE SET hashes = t.hashes || EXCLUDED.hashes,
      keys = t.keys || EXCLUDED.keys, entries = EXCLUDED.entries, receipts = EXCLUDED.receipts
    RETURNING index, hashes
  )
  SELECT index, hashes, (SELECT leaves FROM moved) AS leaves FROM written ORDER BY index`;

/** Adds hashes to tiles above: $3 says of each in which tile it stands. */
const ADD_NODES = `
  INSERT INTO log_tile AS t (tenant_id, level, index, hashes)
  SELECT $1, $2, tile, string_agg(hash, ''::bytea ORDER BY n)
  FROM unnest($3::bigint[], $4::bytea[]) WITH ORDINALITY AS u (tile, hash, n) GROUP BY tile
  ON CONFLICT (tenant_id, level, index) DO UPDATE SET hashes = t.hashes || EXCLUDED.hashes
  RETURNING index, hashes`;

interface WrittenTile {
  readonly index: bigint;
  readonly hashes: Buffer;
}

function run<R extends QueryResultRow>(client: PoolClient, text: string, values: unknown[]) {
  return client.query<R>({ text, values, query_timeout: STATEMENT_MS_MAX } as QueryConfig);
}

/**
 * Adds what a tenant has of new lines and receipts to its tree, at most `limit` of each, in one
 * transaction: a crash leaves the tree as it was.
 * @param whenBusy what to do while another process adds to the same tree
 * @returns how many leaves were added
 */
export async function appendLeaves(
  pool: Pool,
  tenantId: string,
  limit: number,
  whenBusy: 'wait' | 'pass' = 'wait',
): Promise<number> {
  const client = await pool.connect();
  try {
    await client.query(BEGIN, [tenantId]);
    await client.query('BEGIN');
    const { rowCount } = await run(client, take(whenBusy), [tenantId]);
    const leaves = rowCount === 1 ? await addLeaves(client, tenantId, limit) : 0;
    await client.query('COMMIT');
    client.release();
    return leaves;
  } catch (error) {
    // The transaction ends with its connection.
    client.release(true);
    throw error;
  }
}

async function addLeaves(client: PoolClient, tenantId: string, limit: number): Promise<number> {
  await client.query('SET LOCAL enable_seqscan = off');
  const { rows } = await run<WrittenTile & { leaves: bigint }>(client, ADD_LEAVES, [
    tenantId,
    limit,
  ]);
  let full: readonly WrittenTile[] = rows.filter(isFull);
  for (let level = 1; full.length > 0; level += 1) {
    const roots: Uint8Array[] = [];
    for (const { hashes } of full) {
      roots.push(rootOfRow(hashes));
      // Requests of this process go on between two tiles, each half a millisecond of hashing.
      await turn();
    }
    const tiles = full.map(({ index }) => index / BigInt(TILE_HASHES));
    const above = await run<WrittenTile>(client, ADD_NODES, [tenantId, level, tiles, roots]);
    full = above.rows.filter(isFull).sort((a, b) => (a.index < b.index ? -1 : 1));
  }
  return Number(rows[0]?.leaves ?? 0);
}

function isFull({ hashes }: WrittenTile): boolean {
  return hashes.length === TILE_HASHES * HASH_BYTES;
}
