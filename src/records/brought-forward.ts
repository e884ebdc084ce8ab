import type { Pool, PoolClient } from 'pg';
import { named } from '../platform/database/pool.js';
import { HORIZON } from './feed.js';
import type { Position } from './feed.rules.js';

/** Rows of an append-only table after one position, up to and with another. They are final. */
export interface Batch {
  readonly after: Position;
  readonly until: Position;
  /** At most so many rows: whoever asks for them in order and no more is given the index. */
  readonly limit: number;
}

/**
 * How the statements of a reader run that take a batch at once: by the indexes of large tables,
 * whatever the planner takes them for, and with memory for a batch, which else goes to the disk.
 */
export const BATCH_SETTINGS = `SET LOCAL enable_seqscan = off; SET LOCAL work_mem = '32MB'`;

/** What is made of the rows of a table, as they come. */
export interface Reader {
  /** The name of its mark; one for each reader, and never changed. */
  readonly name: string;
  /** An append-only table of every tenant with the columns txid and seq, unique together. */
  readonly table: string;
  /** Makes something of a batch, in the transaction that moves the mark. */
  readonly work: (client: PoolClient, batch: Batch) => Promise<unknown>;
  /** Forgets all that was made: the table comes from another server, and is read from its begin. */
  readonly forget: (client: PoolClient) => Promise<unknown>;
}

/**
 * How one step ended: `moved` where more rows may stand after it, `through` where it has read all
 * that it may, `busy` where another process holds the mark, or a transaction the rows.
 */
export type Step = 'moved' | 'through' | 'at_the_end' | 'busy' | 'restored';

/** True where a further step at once would find something: whoever goes on later reads crumbs. */
export function goesOn(step: Step): boolean {
  return step === 'moved' || step === 'restored';
}

/**
 * One step of a reader: the next `limit` rows and the mark in one transaction, so that a crash
 * leaves both as they were. One process at a time holds the mark, over all nodes. The mark stays
 * below the oldest open transaction, as cursors of feeds do: what commits late is read late, and no
 * row appears behind the mark.
 * @param pool sees the rows of all tenants
 */
export async function bringForward(pool: Pool, reader: Reader, limit: number): Promise<Step> {
  const client = await pool.connect();
  try {
    if (!(await isBehind(client, reader))) {
      client.release();
      return 'at_the_end';
    }
    await client.query('BEGIN');
    const step = await stepOf(client, reader, limit);
    await client.query(step === 'overtaken' ? 'ROLLBACK' : 'COMMIT');
    client.release();
    return step === 'overtaken' ? 'busy' : step;
  } catch (error) {
    // The transaction ends with its connection.
    client.release(true);
    throw error;
  }
}

/**
 * Looked up by one statement without a lock, so that a reader with nothing to do costs next to
 * nothing and leaves no transaction behind. The planner guesses that a third of a table stands
 * after a mark that it does not know, and reads it from its begin: the order gives it the index,
 * which EXISTS would drop. It is planned each time, since a plan that was kept from when the table
 * was empty sorts the whole of it.
 */
async function isBehind(client: PoolClient, { name, table }: Reader): Promise<boolean> {
  const sql = `SELECT m.txid >= ${NEXT_TXID} OR (
      SELECT TRUE FROM ${table} t WHERE (t.txid, t.seq) > (m.txid, m.seq)
      ORDER BY txid, seq LIMIT 1
    ) IS NOT NULL AS behind FROM reader_mark m WHERE name = $1`;
  const { rows } = await client.query<{ readonly behind: boolean }>(sql, [name]);
  return rows[0]?.behind ?? true;
}

/**
 * How many rows a reader takes at once: fewer after a step that failed, since the database may be
 * too slow for so many, and soon more again.
 */
export class StepRows {
  private rows: number;

  constructor(private readonly bounds: { readonly max: number; readonly min: number }) {
    this.rows = bounds.max;
  }

  /** One step, as `bringForward` makes it. */
  async bringForward(pool: Pool, reader: Reader): Promise<Step> {
    const { max, min } = this.bounds;
    try {
      const step = await bringForward(pool, reader, this.rows);
      if (step === 'moved' || step === 'through') this.rows = Math.min(this.rows * 2, max);
      return step;
    } catch (error) {
      this.rows = Math.max(Math.floor(this.rows / 4), min);
      throw error;
    }
  }
}

/** When it is worth to make something of rows: many at once cost much less than as many alone. */
export interface Pace {
  /** As soon as so many rows stand after the mark. */
  readonly rows: number;
  /** So long after the mark has moved, in milliseconds. */
  readonly ms: number;
}

/** How far a table has come is told by the counter of its column seq, and no row is read. */
const DUE_SQL = `SELECT bool_or(
    m.name IS NULL
    OR coalesce(pg_sequence_last_value(r.counter::regclass), 0) - m.seq >= $3
    OR m.moved_at < clock_timestamp() - $4 * interval '1 ms'
    OR m.txid >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint
  ) AS due
  FROM unnest($1::text[], $2::text[]) AS r (name, counter) LEFT JOIN reader_mark m USING (name)`;

/** Whether it is worth for one of some readers to read, or it has to begin anew. */
export async function isDue(
  pool: Pool,
  readers: readonly Pick<Reader, 'name' | 'table'>[],
  { rows: many, ms }: Pace,
): Promise<boolean> {
  const names = readers.map(({ name }) => name);
  const counters = readers.map(({ table }) => `${table}_seq_seq`);
  const values = [names, counters, many, ms];
  const { rows } = await named<{ readonly due: boolean }>(pool, 'readers_due', DUE_SQL, values);
  return rows[0]?.due === true;
}

/** The first transaction that has not begun. A mark at or above it is from another server. */
const NEXT_TXID = 'pg_snapshot_xmax(pg_current_snapshot())::text::bigint';

/**
 * The lock of a mark is of no table: it lets nobody wait, and the transaction has no number of its
 * own before it writes, so that the readers of feeds do not wait for the work either. A mark that
 * moved before the lock was had is seen by the statement that moves it on.
 */
const TAKE = `SELECT pg_try_advisory_xact_lock(hashtextextended('reader_mark ' || $1, 0)) AS taken,
    m.txid, m.seq, m.txid >= ${NEXT_TXID} AS restored
  FROM (VALUES ($1)) AS asked (name) LEFT JOIN reader_mark m USING (name)`;

interface Taken {
  readonly taken: boolean;
  /** Null where it has never read. */
  readonly txid: bigint | null;
  readonly seq: bigint | null;
  readonly restored: boolean | null;
}

async function stepOf(
  client: PoolClient,
  reader: Reader,
  limit: number,
): Promise<Step | 'overtaken'> {
  const { name, table } = reader;
  const { rows: taken } = await named<Taken & object>(client, 'reader_take', TAKE, [name]);
  const [mark] = taken;
  if (mark?.taken !== true) return 'busy';
  const { txid, seq } = mark;
  const after = txid === null || seq === null ? await beginning(client, name) : { txid, seq };
  if (mark.restored) {
    await requireWhole(client);
    await reader.forget(client);
    await setMark(client, name, { txid: 0n, seq: 0n });
    return 'restored';
  }
  const { rows: ends } = await client.query<Position & { readonly rows: bigint }>(
    `SELECT txid, seq, count(*) OVER () AS rows FROM (
       SELECT txid, seq FROM ${table} WHERE (txid, seq) > ($1, $2) AND txid < ${HORIZON}
       ORDER BY txid, seq LIMIT $3
     ) batch ORDER BY txid DESC, seq DESC LIMIT 1`,
    [after.txid, after.seq, limit],
  );
  const [until] = ends;
  // What has come is above the oldest open transaction.
  if (!until) return 'busy';
  await reader.work(client, { after, until, limit });
  // A mark that was set elsewhere meanwhile takes back all that was made of the batch.
  if (!(await hasMoved(client, name, { from: after, until }))) return 'overtaken';
  return until.rows < limit ? 'through' : 'moved';
}

/** What was made of rows that have been dropped cannot be made anew: it must not be forgotten. */
async function requireWhole(client: PoolClient): Promise<void> {
  const sql = 'SELECT EXISTS (SELECT FROM month_partition WHERE dropped_at IS NOT NULL) AS dropped';
  const { rows } = await client.query<{ readonly dropped: boolean }>(sql);
  if (rows[0]?.dropped === true) throw new Error(RESTORED_WITH_DROPPED_MONTHS);
}

/** Why a restored database cannot be read, and what helps. */
export const RESTORED_WITH_DROPPED_MONTHS =
  'the database was restored into a server whose transaction numbers are below those of its ' +
  'rows, and months of it have been dropped, whose sums cannot be made anew: raise the numbers ' +
  'by pg_resetwal --next-transaction-id, as OPERATIONS.md says';

/** The first one that ever reads makes its mark. */
async function beginning(client: PoolClient, name: string): Promise<Position> {
  await client.query('INSERT INTO reader_mark (name) VALUES ($1) ON CONFLICT DO NOTHING', [name]);
  return { txid: 0n, seq: 0n };
}

function setMark(client: PoolClient, name: string, { txid, seq }: Position): Promise<unknown> {
  const sql = `UPDATE reader_mark SET txid = $2, seq = $3, moved_at = clock_timestamp()
    WHERE name = $1`;
  return client.query(sql, [name, txid, seq]);
}

const MOVE = `UPDATE reader_mark SET txid = $4, seq = $5, moved_at = clock_timestamp()
  WHERE name = $1 AND txid = $2 AND seq = $3`;

async function hasMoved(
  client: PoolClient,
  name: string,
  { from, until }: { readonly from: Position; readonly until: Position },
): Promise<boolean> {
  const values = [name, from.txid, from.seq, until.txid, until.seq];
  return (await named(client, 'reader_move', MOVE, values)).rowCount === 1;
}
