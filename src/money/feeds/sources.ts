import type { UsageEvent } from '../../generated/prisma/client.js';
import { tableFeed } from '../../records/feed.js';
import { LEDGER_SELECT, type LedgerLine, USAGE_SELECT } from '../billing/lists.js';

/** Batches of the ledger wake nobody: a notification each would slow every commit. */
const POLL_MS_MAX = 400;

/** Lines of a tenant's ledger as they are written. */
export const LEDGER_FEED = tableFeed<LedgerLine>({
  name: 'ledger',
  statement: 'ledger_feed_read',
  pollMsMax: POLL_MS_MAX,
  select: LEDGER_SELECT,
});

/** Usage of a tenant as it is settled. */
export const USAGE_FEED = tableFeed<UsageEvent>({
  name: 'usage',
  statement: 'usage_feed_read',
  pollMsMax: POLL_MS_MAX,
  select: USAGE_SELECT,
  kept: { table: 'usage_event', feed: '' },
});
