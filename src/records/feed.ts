import type { Pool } from 'pg';
import type { Prisma } from '../generated/prisma/client.js';
import type { Services, Transaction } from '../graph/ctx.js';
import type { Sealable } from '../kernel/canonical.js';
import { GatewayError } from '../kernel/errors/fail.js';
import { newId } from '../kernel/ids.js';
import { warnUnlessAway } from '../platform/database/outage.js';
import { named } from '../platform/database/pool.js';
import { tenantQuery } from '../platform/database/tenant-query.js';
import { Alarm } from './alarm.js';
import { decodeCursor, encodeCursor, FEED_START, type Position, SEQ_MAX } from './feed.rules.js';
import type {} from './feed-notifier.js';
import { type KeptRows, requireUnbroken } from './kept-detail.js';

/** An append-only journal that can be followed from a position. */
export interface FeedSource<Row extends Position> {
  /** The name under which its writers wake readers. */
  readonly name: string;
  /** At most `limit` rows after the position, in order, and none that a late commit may precede. */
  read(pool: Pool, tenantId: string, after: Position, limit: number): Promise<Row[]>;
  /** How long a reader may sleep where nothing wakes it, in milliseconds. */
  readonly pollMsMax?: number;
  /** Where its rows are kept for a time. */
  readonly kept?: KeptRows;
}

/** A row of `feed_event`. */
export interface FeedRow extends Position {
  readonly id: string;
  readonly feed: string;
  readonly type: string;
  readonly subjectId: string;
  readonly payload: Sealable;
  readonly createdAt: Date;
}

/** An event as it is published. */
export interface NewFeedEvent {
  readonly tenantId: string;
  readonly feed: string;
  readonly type: string;
  readonly subjectId: string;
  readonly payload: Sealable;
}

/** A row with the cursor that resumes after it. */
export interface Delivered<Row extends Position> {
  readonly cursor: string;
  readonly event: Row;
}

/** Writes an event in the transaction of what it tells: both become visible, or neither. */
export async function publish(tx: Transaction, event: NewFeedEvent): Promise<void> {
  const payload = event.payload as Prisma.JsonObject;
  await tx.feedEvent.create({ data: { ...event, payload, id: newId('FeedEvent') } });
}

/**
 * Transactions commit in another order than they begin. Rows of a transaction at or above this
 * horizon stay unread until every older transaction has ended, so no row appears behind a reader.
 */
export const HORIZON = 'pg_snapshot_xmin(pg_current_snapshot())::text::bigint';

/**
 * A source over an append-only table with the columns tenant_id, txid and seq.
 * `select` is its `SELECT … FROM …`, which must name txid and seq; `condition` may use $5 and on,
 * which are the `values`. One name stands for one statement.
 */
export function tableFeed<Row extends Position>(table: {
  readonly name: string;
  readonly statement: string;
  readonly select: string;
  readonly condition?: string;
  readonly values?: readonly unknown[];
  readonly pollMsMax?: number;
  readonly kept?: KeptRows;
}): FeedSource<Row> {
  const sql = `${table.select}
    WHERE tenant_id = $1 AND ${table.condition ?? 'TRUE'}
      AND (txid, seq) > ($2, $3) AND txid < ${HORIZON}
    ORDER BY txid, seq LIMIT $4`;
  return {
    name: table.name,
    pollMsMax: table.pollMsMax,
    kept: table.kept,
    async read(pool, tenantId, { txid, seq }, limit) {
      const values = [tenantId, txid, seq, limit, ...(table.values ?? [])];
      const statement = { name: table.statement, text: sql, values };
      return (await tenantQuery<Row>(pool, tenantId, statement)).rows;
    },
  };
}

/** A feed of published events, such as `approvals`. */
export function eventFeed(name: string): FeedSource<FeedRow> {
  return tableFeed({
    name,
    statement: 'feed_event_read',
    select: `SELECT txid, seq, id, feed, type, subject_id AS "subjectId", payload,
      created_at AS "createdAt" FROM feed_event`,
    condition: 'feed = $5',
    values: [name],
    kept: { table: 'feed_event', feed: name },
  });
}

const READ_LIMIT_MAX = 200;

/**
 * The next rows after a cursor, from the beginning of the feed without one.
 * @throws invalid_cursor, cursor_too_old
 */
export async function readFeed<Row extends Position>(
  pool: Pool,
  source: FeedSource<Row>,
  request: { readonly tenantId: string; readonly after?: string; readonly limit?: number },
): Promise<Delivered<Row>[]> {
  const after = request.after === undefined ? FEED_START : decodeCursor(request.after);
  const limit = Math.min(Math.max(request.limit ?? READ_LIMIT_MAX, 1), READ_LIMIT_MAX);
  const rows = await source.read(pool, request.tenantId, after, limit);
  if (request.after !== undefined) await requireSeen(pool, source, request.tenantId, after);
  return rows.map((event) => ({ cursor: encodeCursor(event), event }));
}

/**
 * Rows that a reader has not seen must not be gone without its knowing. Asked after it has read, it
 * misses no drop meanwhile.
 */
async function requireSeen<Row extends Position>(
  pool: Pool,
  { kept }: FeedSource<Row>,
  tenantId: string,
  after: Position,
): Promise<void> {
  if (kept) await requireUnbroken(pool, tenantId, kept, after);
}

const isTooOld = (error: unknown) =>
  error instanceof GatewayError && error.code === 'cursor_too_old';

/** Where "from now on" begins: a position, and what had committed beyond it by then. */
export interface FeedTip {
  readonly position: Position;
  /** True for transactions whose rows were there already. */
  seen(txid: bigint): boolean;
}

/**
 * From here everything is read that commits later, and nothing that had committed before. The
 * horizon alone is too early for that: it waits for the oldest transaction of the whole server.
 */
export async function feedTip(pool: Pool): Promise<FeedTip> {
  const { rows } = await named<{ snapshot: string }>(pool, 'feed_tip', SNAPSHOT, []);
  return tipOf(rows[0]?.snapshot ?? '');
}

/**
 * The cursor from which nothing is missed that commits later: that of the horizon, since a cursor
 * holds no list of the transactions that are open. Of what has just committed some may come.
 */
export async function feedHead(pool: Pool): Promise<string> {
  return encodeCursor((await feedTip(pool)).position);
}

/** Where a reader that keeps its place in the database begins, in the transaction that makes it. */
export async function feedSnapshot(tx: Transaction): Promise<string> {
  const rows = await tx.$queryRawUnsafe<{ snapshot: string }[]>(SNAPSHOT);
  return rows[0]?.snapshot ?? '';
}

const SNAPSHOT = 'SELECT pg_current_snapshot()::text AS snapshot';

/** The tip that a snapshot of the database says. */
export function tipOf(snapshot: string): FeedTip {
  const [xmin = '0', xmax = '0', running = ''] = snapshot.split(':');
  const open = new Set(running.split(',').filter(Boolean).map(BigInt));
  const end = BigInt(xmax);
  return {
    position: { txid: BigInt(xmin) - 1n, seq: SEQ_MAX },
    seen: (txid) => txid < end && !open.has(txid),
  };
}

/** Whom a subscription is for, and from where. */
export interface FeedSubscription<Row extends Position> {
  readonly source: FeedSource<Row>;
  readonly tenantId: string;
  /** The cursor of the last event that was handled; without it, from now on. */
  readonly after?: string;
  readonly signal: AbortSignal;
}

/** What a subscription uses. */
export type FeedServices = Pick<Services, 'pool' | 'feedNotifier' | 'log'>;

/**
 * Follows a feed: first what is there after the cursor, then what comes, each row once and in
 * order. Ends when the signal aborts or the iterator is returned.
 * @throws invalid_cursor, cursor_too_old; while iterating, the database's error once reading failed
 * 10 times on end
 */
export async function subscribeFeed<Row extends Position>(
  services: FeedServices,
  subscription: FeedSubscription<Row>,
): Promise<AsyncIterableIterator<Delivered<Row>>> {
  const { after, signal, source, tenantId } = subscription;
  if (after !== undefined) {
    await requireSeen(services.pool, source, tenantId, decodeCursor(after));
  }
  const start =
    after === undefined
      ? await feedTip(services.pool)
      : { position: decodeCursor(after), seen: () => false };
  const alarm = new Alarm();
  if (signal.aborted) alarm.stop();
  signal.addEventListener('abort', () => alarm.stop(), { once: true });
  const rows = follow(services, subscription, start, alarm);
  const iterator: AsyncIterableIterator<Delivered<Row>> = {
    [Symbol.asyncIterator]: () => iterator,
    next: () => rows.next(),
    // A generator that waits would be asked to return only when its wait is over.
    return: () => {
      alarm.stop();
      return rows.return(undefined);
    },
  };
  return iterator;
}

const POLL_MS_MIN = 50;
const POLL_MS_MAX = 5_000;
const FAILURES_MAX = 10;

async function* follow<Row extends Position>(
  services: FeedServices,
  { after, source, tenantId }: FeedSubscription<Row>,
  start: FeedTip,
  alarm: Alarm,
): AsyncGenerator<Delivered<Row>, undefined> {
  let { position } = start;
  const pollMsMax = source.pollMsMax ?? POLL_MS_MAX;
  let pollMs = POLL_MS_MIN;
  let failures = 0;
  let isCatchingUp = after !== undefined;
  // Watching begins before the first read, so a commit between the two rings the alarm.
  const unwatch = services.feedNotifier.watch(tenantId, source.name, () => alarm.ring());
  try {
    while (!alarm.stopped) {
      let rows: Row[] = [];
      try {
        rows = await source.read(services.pool, tenantId, position, READ_LIMIT_MAX);
        if (isCatchingUp) await requireSeen(services.pool, source, tenantId, position);
        isCatchingUp &&= rows.length === READ_LIMIT_MAX;
        failures = 0;
      } catch (error) {
        failures += 1;
        if (failures >= FAILURES_MAX || isTooOld(error)) throw error;
        const facts = { feed: source.name };
        warnUnlessAway(services.log, error, 'a feed cannot be read; trying again', facts);
      }
      for (const event of rows) {
        if (alarm.stopped) return;
        position = { txid: event.txid, seq: event.seq };
        if (start.seen(event.txid)) continue;
        yield { cursor: encodeCursor(event), event };
      }
      if (rows.length === READ_LIMIT_MAX) continue;
      if (rows.length > 0) pollMs = POLL_MS_MIN;
      // A row can be announced and still be above the horizon: soon after a ring, look often.
      pollMs = (await alarm.wait(pollMs)) ? POLL_MS_MIN : Math.min(pollMs * 2, pollMsMax);
    }
  } finally {
    unwatch();
  }
}
