import type { UsageEvent as UsageRow } from '../../generated/prisma/client.js';
import { builder } from '../../graph/builder.js';
import { shownFields, storedFields, typed } from '../../graph/table-types.js';
import { type Delivered, tableFeed } from '../../records/feed.js';
import { CURSOR, feedField } from '../../records/feed-field.js';
import { LEDGER_SELECT, type LedgerLine, USAGE_SELECT } from '../billing/lists.js';
import { LedgerEntry, UsageEvent } from '../billing/schema.js';

/** Batches of the ledger wake nobody: a notification each would slow every commit. */
const POLL_MS_MAX = 400;

const ENTRY = { entry: typed(LedgerEntry, 'The line of the ledger that was written.') };

feedField({
  name: 'ledgerEvents',
  description: 'Ledger entries as they are written, each once and in order.',
  permission: 'billing.read',
  source: tableFeed<LedgerLine>({
    name: 'ledger',
    statement: 'ledger_feed_read',
    pollMsMax: POLL_MS_MAX,
    select: LEDGER_SELECT,
  }),
  item: builder.objectRef<Delivered<LedgerLine>>('LedgerFeedItem').implement({
    description: 'A ledger entry as it was written, with the cursor that resumes after it.',
    fields: (t) => ({
      ...storedFields(t, { cursor: CURSOR }),
      ...shownFields(t, ENTRY, ({ event }) => ({ entry: event })),
    }),
  }),
});

const USAGE = { usage: typed(UsageEvent, 'The usage of the request that was settled.') };

feedField({
  name: 'usageEvents',
  description: 'Usage as it is settled, each event once and in order.',
  permission: 'usage.read',
  source: tableFeed<UsageRow>({
    name: 'usage',
    statement: 'usage_feed_read',
    pollMsMax: POLL_MS_MAX,
    select: USAGE_SELECT,
  }),
  item: builder.objectRef<Delivered<UsageRow>>('UsageFeedItem').implement({
    description: 'A usage event as it was written, with the cursor that resumes after it.',
    fields: (t) => ({
      ...storedFields(t, { cursor: CURSOR }),
      ...shownFields(t, USAGE, ({ event }) => ({ usage: event })),
    }),
  }),
});
