import type { Transaction } from '../../graph/ctx.js';
import type { Sealable } from '../../kernel/canonical.js';
import { eventFeed, publish } from '../../records/feed.js';
import type { CheckEvent } from './vocabulary.js';

/** The feed of all checks of a tenant; its subject ids are those of the runs. */
export const CHECK_FEED = eventFeed('migration_checks');

/** What happened in a run. The payload never holds a credential. */
export interface CheckNews {
  readonly tenantId: string;
  readonly runId: string;
  readonly type: CheckEvent;
  readonly payload: { readonly [name: string]: Sealable };
}

/** Tells the feed, in the caller's transaction. */
export async function publishCheck(tx: Transaction, news: CheckNews): Promise<void> {
  const { tenantId, runId, type, payload } = news;
  await publish(tx, { tenantId, feed: CHECK_FEED.name, type, subjectId: runId, payload });
}
