import type { Services } from '../../../graph/ctx.js';
import { newId } from '../../../kernel/ids.js';
import type { Unsubscribe } from '../../../platform/database/listen.js';
import { feedTip, tipOf } from '../../../records/feed.js';
import type { Position } from '../../../records/feed.rules.js';
import { bodyOf, type EventSource, SOURCES, type WebhookEvent } from '../sources.js';
import { type Cursor, fanOut, isFull, type NewDelivery, readCursors } from './statements.js';

/** What following feeds uses. */
type FollowingServices = Pick<Services, 'pool' | 'platformPool' | 'feedNotifier' | 'log'>;

/** One endpoint's reading of one feed. */
interface Follower {
  cursor: Cursor;
  readonly source: EventSource;
  /** When to look next, by `performance.now`. */
  dueMs: number;
  pollMs: number;
  /** When the place of a feed without news was moved up last. */
  movedUpMs: number;
  readonly unwatch: Unsubscribe;
}

const ROWS_MAX = 200;
/** So many followers are read before attempts have their turn again. */
const READS_MAX = 25;
const POLL_MS_MIN = 50;
/** Feeds that wake their readers are looked at all the same now and then. */
const POLL_MS_MAX = 30_000;
const FULL_MS = 500;
const MOVE_UP_EVERY_MS = 30_000;

/**
 * Follows the feeds of all active endpoints, each from its own durable place: what is read is owed
 * to the endpoint in the statement that moves the place, so a crash neither skips nor doubles it.
 */
export class FeedFollowers {
  private readonly followers = new Map<string, Follower>();

  constructor(
    private readonly services: FollowingServices,
    private readonly wake: () => void,
  ) {}

  /** How many places of endpoints in feeds are followed; none without an active endpoint. */
  get size(): number {
    return this.followers.size;
  }

  /** The endpoints that are active, by their ids. */
  endpointIds(): Set<string> {
    return new Set([...this.followers.values()].map(({ cursor }) => cursor.endpointId));
  }

  /** Follows exactly what is active now, each from the place that the database has. */
  async reload(): Promise<void> {
    const cursors = await readCursors(this.services.platformPool);
    const wanted = new Set(cursors.map(nameOf));
    for (const name of this.followers.keys()) if (!wanted.has(name)) this.leave(name);
    for (const cursor of cursors) {
      const known = this.followers.get(nameOf(cursor));
      if (!known) this.enter(cursor);
      else if (known.cursor.txid !== cursor.txid || known.cursor.seq !== cursor.seq) {
        known.dueMs = 0;
      }
      if (known) known.cursor = cursor;
    }
  }

  /** Lets go of everything; `reload` begins again. */
  clear(): void {
    for (const name of this.followers.keys()) this.leave(name);
  }

  /** Reads those that are due, some at once. @returns true when more are due right now */
  async readDue(): Promise<boolean> {
    const nowMs = performance.now();
    const due = [...this.followers.values()]
      .filter(({ dueMs }) => dueMs <= nowMs)
      .sort((a, b) => a.dueMs - b.dueMs);
    for (const follower of due.slice(0, READS_MAX)) await this.read(follower);
    return due.length > READS_MAX;
  }

  /** Until the next one is due, in milliseconds; Infinity when there is none. */
  untilDueMs(): number {
    let dueMs = Number.POSITIVE_INFINITY;
    for (const follower of this.followers.values()) dueMs = Math.min(dueMs, follower.dueMs);
    return Math.max(0, dueMs - performance.now());
  }

  private enter(cursor: Cursor): void {
    const source = SOURCES.get(cursor.feed);
    // A later version of the gateway may know feeds that this one does not.
    if (!source) return;
    const unwatch = this.services.feedNotifier.watch(cursor.tenantId, cursor.feed, () => {
      Object.assign(follower, { dueMs: 0, pollMs: POLL_MS_MIN });
      this.wake();
    });
    const movedUpMs = performance.now();
    const follower: Follower = {
      ...{ cursor, source, unwatch, movedUpMs },
      dueMs: 0,
      pollMs: POLL_MS_MIN,
    };
    this.followers.set(nameOf(cursor), follower);
  }

  private leave(name: string): void {
    this.followers.get(name)?.unwatch();
    this.followers.delete(name);
  }

  private async read(follower: Follower): Promise<void> {
    const { cursor, source } = follower;
    const { pool, platformPool } = this.services;
    const startMs = performance.now();
    // Set before the read, so that a notification meanwhile is not forgotten.
    follower.dueMs = startMs + follower.pollMs;
    const isTimeToMoveUp = source.byTransaction && startMs - follower.movedUpMs > MOVE_UP_EVERY_MS;
    const tip = isTimeToMoveUp ? (await feedTip(pool)).position : undefined;
    const rows = await source.feed.read(pool, cursor.tenantId, cursor, ROWS_MAX);
    const last = rows.at(-1);
    if (!last) {
      this.sleepLonger(follower);
      if (tip && tip.txid > cursor.txid) await this.move(follower, tip, []);
      return;
    }
    if (await isFull(platformPool, cursor.endpointId)) {
      follower.dueMs = performance.now() + FULL_MS;
      return;
    }
    follower.pollMs = POLL_MS_MIN;
    if (rows.length === ROWS_MAX) follower.dueMs = 0;
    await this.move(follower, last, this.owedOf(follower, rows));
  }

  /** A row can be announced and stay unread until older transactions end: look ever less often. */
  private sleepLonger(follower: Follower): void {
    const { source, pollMs } = follower;
    follower.pollMs = Math.min(pollMs * 2, source.feed.pollMsMax ?? POLL_MS_MAX);
  }

  private async move(
    follower: Follower,
    { txid, seq }: Position,
    owed: readonly NewDelivery[],
  ): Promise<void> {
    const { cursor } = follower;
    const moved = await fanOut(this.services.platformPool, cursor, { txid, seq }, owed);
    follower.movedUpMs = performance.now();
    if (moved) follower.cursor = { ...cursor, txid, seq };
    else this.leave(nameOf(cursor));
  }

  private owedOf({ cursor, source }: Follower, rows: readonly Position[]): NewDelivery[] {
    const { snapshot, eventTypes } = cursor;
    const start = snapshot === '' ? undefined : tipOf(snapshot);
    return rows
      .filter(({ txid }) => !start?.seen(txid))
      .flatMap((row) => this.eventOf(source, row) ?? [])
      .filter(({ type }) => eventTypes.includes(type))
      .map((event) => ({
        id: newId('WebhookDelivery'),
        eventId: event.id,
        eventType: event.type,
        body: bodyOf(event),
      }));
  }

  /** A row that cannot be told, such as one of a later version, must not stop those behind it. */
  private eventOf(source: EventSource, row: Position): WebhookEvent | undefined {
    try {
      return source.eventOf(row);
    } catch (error) {
      const { txid, seq } = row;
      const place = { feed: source.feed.name, txid: String(txid), seq: String(seq) };
      this.services.log.error({ err: error, ...place }, 'an event cannot be told to webhooks');
      return undefined;
    }
  }
}

function nameOf({ endpointId, feed }: Cursor): string {
  return `${endpointId} ${feed}`;
}
