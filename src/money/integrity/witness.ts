import type { PoolClient } from 'pg';
import type { Services } from '../../graph/ctx.js';
import { BATCH_SETTINGS, type Batch, type Reader } from '../../records/brought-forward.js';
import { leafHashSql } from '../ledger/entry-leaf.js';
import { USAGE_LEAF } from './leaves.js';

/** The mark of the reader that takes the hashes of usage rows. */
export const WITNESS_MARK = 'integrity_witness';

/** The hash of a usage row `u`, as its witness and the root of a seal have it. */
export const USAGE_HASH = leafHashSql(USAGE_LEAF);

/** Takes the hashes of a batch, by the positions in $1 to $4: one row for each hour of a tenant. */
const TAKE = `
  INSERT INTO integrity_witness
    (tenant_id, until_at, until_seq, from_at, request_ids, used_at, hashes)
  SELECT tenant_id, max(created_at), max(seq), min(created_at), array_agg(id ORDER BY seq),
    array_agg(created_at ORDER BY seq), string_agg(hash, ''::bytea ORDER BY seq)
  FROM (
    SELECT u.tenant_id, u.id, u.seq, u.created_at, ${USAGE_HASH} AS hash
    FROM usage_event u WHERE (u.txid, u.seq) > ($1, $2) AND (u.txid, u.seq) <= ($3, $4)
  ) taken
  GROUP BY tenant_id, date_trunc('hour', created_at)
  ON CONFLICT DO NOTHING`;

/**
 * Takes the hash of each usage row as it comes: what a seal holds the row against, also where no
 * other row says the same. What was taken stays, also where rows are read anew behind a restored
 * database: of two hashes of a row the older one is the better witness.
 */
export const WITNESS_READER: Reader = {
  name: WITNESS_MARK,
  table: 'usage_event',
  async work(client: PoolClient, { after, until }: Batch) {
    await client.query(BATCH_SETTINGS);
    await client.query(TAKE, [after.txid, after.seq, until.txid, until.seq]);
  },
  forget: async () => undefined,
};

const FORGET_DROPPED = `
  DELETE FROM integrity_witness WHERE until_at < (
    SELECT max(until_month)::timestamp AT TIME ZONE 'Europe/Moscow' FROM month_partition
    WHERE of_table = 'usage_event' AND dropped_at IS NOT NULL)`;

/** Forgets the hashes of usage rows whose month was dropped. */
export function forgetWitnesses({
  platformPool,
}: Pick<Services, 'platformPool'>): Promise<unknown> {
  return platformPool.query(FORGET_DROPPED);
}
