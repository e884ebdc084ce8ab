import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { type Delivered, subscribeFeed, tableFeed } from '../../records/feed.js';
import type { Position } from '../../records/feed.rules.js';
import type { LedgerLine, UsageLine } from '../billing/lists.js';
import { LedgerEntry, UsageEvent } from '../billing/schema.js';

/** Batches of the ledger wake nobody: a notification each would slow every commit. */
const POLL_MS_MAX = 400;

const LEDGER_FEED = tableFeed<LedgerLine & Position>({
  name: 'ledger',
  statement: 'ledger_feed_read',
  pollMsMax: POLL_MS_MAX,
  select: `SELECT * FROM (
      SELECT e.*, u.model, u.feature, u.client_id
      FROM ledger_entry e
      LEFT JOIN usage_event u ON u.tenant_id = e.tenant_id AND u.id = e.request_id
    ) lines`,
});

const USAGE_FEED = tableFeed<UsageLine & Position>({
  name: 'usage',
  statement: 'usage_feed_read',
  pollMsMax: POLL_MS_MAX,
  select: 'SELECT * FROM usage_event',
});

const LedgerFeedItem = builder
  .objectRef<Delivered<LedgerLine & Position>>('LedgerFeedItem')
  .implement({
    description: 'A ledger entry as it was written, with the cursor that resumes after it.',
    fields: (t) => ({
      cursor: t.exposeString('cursor', { description: 'Pass it as `after` to go on from here.' }),
      entry: t.expose('event', { type: LedgerEntry, description: 'The entry.' }),
    }),
  });

const UsageFeedItem = builder
  .objectRef<Delivered<UsageLine & Position>>('UsageFeedItem')
  .implement({
    description: 'A usage event as it was written, with the cursor that resumes after it.',
    fields: (t) => ({
      cursor: t.exposeString('cursor', { description: 'Pass it as `after` to go on from here.' }),
      usage: t.expose('event', { type: UsageEvent, description: 'The event.' }),
    }),
  });

const AFTER = 'The cursor of the last event that was handled; without it, from now on.';

builder.subscriptionFields((t) => ({
  ledgerEvents: t.field({
    type: LedgerFeedItem,
    description: 'Ledger entries as they are written, each once and in order.',
    authScopes: { can: 'billing.read' },
    args: { after: t.arg.string({ description: AFTER }) },
    subscribe: (_root, { after }, ctx) =>
      subscribeFeed(ctx.services, {
        source: LEDGER_FEED,
        tenantId: authorized(ctx).who.tenantId,
        after: after ?? undefined,
        signal: ctx.signal,
      }),
    resolve: (item) => item,
  }),
  usageEvents: t.field({
    type: UsageFeedItem,
    description: 'Usage as it is settled, each event once and in order.',
    authScopes: { can: 'usage.read' },
    args: { after: t.arg.string({ description: AFTER }) },
    subscribe: (_root, { after }, ctx) =>
      subscribeFeed(ctx.services, {
        source: USAGE_FEED,
        tenantId: authorized(ctx).who.tenantId,
        after: after ?? undefined,
        signal: ctx.signal,
      }),
    resolve: (item) => item,
  }),
}));
