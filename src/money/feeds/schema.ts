import type { UsageEvent as UsageRow } from '../../generated/prisma/client.js';
import { builder } from '../../graph/builder.js';
import { shownFields, storedFields, typed } from '../../graph/table-types.js';
import type { Delivered } from '../../records/feed.js';
import { CURSOR, feedField } from '../../records/feed-field.js';
import type { LedgerLine } from '../billing/lists.js';
import { LedgerEntry, UsageEvent } from '../billing/schema.js';
import { LEDGER_FEED, USAGE_FEED } from './sources.js';

const ENTRY = { entry: typed(LedgerEntry, 'The line of the ledger that was written.') };

feedField({
  name: 'ledgerEvents',
  description: 'Ledger entries as they are written, each once and in order.',
  permission: 'billing.read',
  source: LEDGER_FEED,
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
  source: USAGE_FEED,
  item: builder.objectRef<Delivered<UsageRow>>('UsageFeedItem').implement({
    description: 'A usage event as it was written, with the cursor that resumes after it.',
    fields: (t) => ({
      ...storedFields(t, { cursor: CURSOR }),
      ...shownFields(t, USAGE, ({ event }) => ({ usage: event })),
    }),
  }),
});
