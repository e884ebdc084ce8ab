import { builder } from '../../graph/builder.js';
import { type Delivered, tableFeed } from '../../records/feed.js';
import type { Position } from '../../records/feed.rules.js';
import { feedField } from '../../records/feed-field.js';
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
      entry: t.expose('event', {
        type: LedgerEntry,
        description: 'The line of the ledger that was written.',
      }),
    }),
  });

const UsageFeedItem = builder
  .objectRef<Delivered<UsageLine & Position>>('UsageFeedItem')
  .implement({
    description: 'A usage event as it was written, with the cursor that resumes after it.',
    fields: (t) => ({
      cursor: t.exposeString('cursor', { description: 'Pass it as `after` to go on from here.' }),
      usage: t.expose('event', {
        type: UsageEvent,
        description: 'The usage of the request that was settled.',
      }),
    }),
  });

feedField({
  name: 'ledgerEvents',
  description: 'Ledger entries as they are written, each once and in order.',
  permission: 'billing.read',
  source: LEDGER_FEED,
  item: LedgerFeedItem,
});

feedField({
  name: 'usageEvents',
  description: 'Usage as it is settled, each event once and in order.',
  permission: 'usage.read',
  source: USAGE_FEED,
  item: UsageFeedItem,
});
