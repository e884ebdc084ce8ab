import { ALERT_PAYLOAD } from '../../finops/budgets/alert-feed.js';
import type { UsageEvent } from '../../generated/prisma/client.js';
import type { Transaction } from '../../graph/ctx.js';
import { openedContent, type SealedContent, sealedContent } from '../../kernel/fields/sealed.js';
import type { LedgerLine } from '../../money/billing/lists.js';
import { LEDGER_FEED, USAGE_FEED } from '../../money/feeds/sources.js';
import { ANOMALY_FEED } from '../../records/anomaly-feed.js';
import { APPROVAL_FEED } from '../../records/approvals/events.js';
import {
  eventFeed,
  type FeedRow,
  type FeedSource,
  feedSnapshot,
  tipOf,
} from '../../records/feed.js';
import type { Position } from '../../records/feed.rules.js';
import { RECEIPT_FEED, receiptFeedTip, type SealedNotice } from '../../records/receipt-feed.js';
import {
  ALERT_DATA,
  ANOMALY_TYPES_SENT,
  APPROVAL_DATA,
  DISABLED_DATA,
  ENDPOINT_DISABLED,
  ENDPOINT_FEED,
  LEDGER_DATA,
  RECEIPT_DATA,
  USAGE_DATA,
} from './event-types.js';

/** An event as it is sent; its id is the `webhook-id`, the same to every endpoint. */
export interface WebhookEvent {
  readonly id: string;
  readonly type: string;
  readonly at: Date;
  readonly data: SealedContent;
}

/** Where a cursor begins: `snapshot` is empty where the position says all. */
export interface CursorStart extends Position {
  readonly snapshot: string;
}

/** A feed that webhooks follow. */
export interface EventSource<Row extends Position = Position> {
  readonly feed: FeedSource<Row>;
  /** Where "from now on" begins, in a transaction of the tenant. */
  readonly start: (tx: Transaction, tenantId: string) => Promise<CursorStart>;
  /** What is told of a row; undefined where nothing is. */
  readonly eventOf: (row: Row) => WebhookEvent | undefined;
  /** Rows are ordered by transactions, so what is below the oldest open one has been read. */
  readonly byTransaction: boolean;
}

async function byTransactions(tx: Transaction): Promise<CursorStart> {
  const snapshot = await feedSnapshot(tx);
  return { ...tipOf(snapshot).position, snapshot };
}

/** An id without a full stop, which separates the parts of what is signed. */
const eventId = (feed: string, ...parts: readonly string[]) => [feed, ...parts].join('_');

function publishedEvent(
  { feed, id, createdAt }: FeedRow,
  type: string,
  data: SealedContent,
): WebhookEvent {
  return { id: eventId(feed, id), type, at: createdAt, data };
}

const APPROVALS: EventSource<FeedRow> = {
  feed: APPROVAL_FEED,
  start: byTransactions,
  byTransaction: true,
  eventOf: (row) => {
    const data = sealedContent(APPROVAL_DATA.fields, row.payload as never);
    return publishedEvent(row, `approval.${row.type}`, data);
  },
};

const ENDPOINTS: EventSource<FeedRow> = {
  feed: eventFeed(ENDPOINT_FEED),
  start: byTransactions,
  byTransaction: true,
  eventOf: (row) => {
    const { reason, failingSince } = row.payload as {
      readonly reason: never;
      readonly failingSince: string | null;
    };
    const values = {
      endpointId: row.subjectId,
      reason,
      failingSince: failingSince === null ? null : new Date(failingSince),
    };
    return publishedEvent(row, ENDPOINT_DISABLED, sealedContent(DISABLED_DATA.fields, values));
  },
};

/** The facts of this feed are published as they are sent, but for the names of budgets. */
const ANOMALIES: EventSource<FeedRow> = {
  feed: ANOMALY_FEED,
  start: byTransactions,
  byTransaction: true,
  eventOf: (row) => {
    const type = ANOMALY_TYPES_SENT.get(row.type)?.type;
    const payload = row.payload as SealedContent;
    if (type === undefined) return undefined;
    if (row.type !== 'budget_alert') return publishedEvent(row, type, payload);
    const alert = openedContent(ALERT_PAYLOAD.fields, payload);
    const values = { ...alert, alertId: row.subjectId };
    return publishedEvent(row, type, sealedContent(ALERT_DATA.fields, values));
  },
};

const RECEIPTS: EventSource<SealedNotice> = {
  feed: RECEIPT_FEED,
  start: async (tx, tenantId) => ({ ...(await receiptFeedTip(tx, tenantId)), snapshot: '' }),
  byTransaction: false,
  eventOf: ({ id, createdAt: at, ...row }) => ({
    id: eventId('receipts', id),
    type: 'receipt.sealed',
    at,
    data: sealedContent(RECEIPT_DATA.fields, { ...row, receiptId: id, sealedAt: at }),
  }),
};

/** Reservations and their releases change nothing that the account owns, and are not told. */
const LEDGER: EventSource<LedgerLine> = {
  feed: LEDGER_FEED,
  start: byTransactions,
  byTransaction: true,
  eventOf: (line) => {
    if (line.postedDelta === 0n) return undefined;
    const { requestId, type, chargedRequestId, amountMicro, vatMicro } = line;
    const values = {
      ...{ requestId, chargedRequestId, amountMicro, vatMicro },
      type: type as never,
      sequence: line.accountVersion,
      postedDeltaMicro: line.postedDelta,
      postedAfterMicro: line.postedAfter,
    };
    return {
      id: eventId('ledger', requestId, type),
      type: 'ledger.posted',
      at: line.createdAt,
      data: sealedContent(LEDGER_DATA.fields, values),
    };
  },
};

const USAGE: EventSource<UsageEvent> = {
  feed: USAGE_FEED,
  start: byTransactions,
  byTransaction: true,
  eventOf: (row) => {
    const values = {
      ...row,
      operation: row.operation as never,
      status: row.status as never,
      requestId: row.id,
      inputTokens: row.inputUncached + row.inputCached + row.cacheWrite,
      outputTokens: row.outputText + row.outputReasoning,
    };
    return {
      id: eventId('usage', row.id),
      type: 'usage.settled',
      at: row.createdAt,
      data: sealedContent(USAGE_DATA.fields, values),
    };
  },
};

const ALL = [APPROVALS, ANOMALIES, ENDPOINTS, RECEIPTS, LEDGER, USAGE] as readonly unknown[];

/** The feeds that webhooks follow, by their names. */
export const SOURCES: ReadonlyMap<string, EventSource> = new Map(
  (ALL as readonly EventSource[]).map((source) => [source.feed.name, source]),
);

/** What is sent of an event, by Standard Webhooks: the same bytes in every attempt. */
export function bodyOf({ type, at, data }: Omit<WebhookEvent, 'id'>): string {
  return JSON.stringify({ type, timestamp: at.toISOString(), data });
}
