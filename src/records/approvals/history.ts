import type { AuthorizedCtx } from '../../graph/ctx.js';
import type { ConnectionArgs, KeysetPage } from '../../graph/keyset.js';
import { PAGE_DEFAULT, PAGE_MAX } from '../../graph/limits.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { range } from '../../kernel/errors/faults.js';
import type { Delivered, FeedRow } from '../feed.js';
import { decodeCursor, encodeCursor, FEED_START } from '../feed.rules.js';
import { APPROVAL_FEED } from './events.js';

/**
 * A page of the feed of approvals, oldest first, from the beginning or after a cursor. It reads by
 * the positions that subscriptions go by, so whoever asks again after the last cursor misses
 * nothing and sees nothing twice, and a cursor of one serves the other.
 * @throws invalid_cursor, invalid_request
 */
export async function approvalHistory(
  { services, who }: AuthorizedCtx,
  args: ConnectionArgs,
): Promise<KeysetPage<Delivered<FeedRow>>> {
  const size = args.first ?? PAGE_DEFAULT;
  failOnFaults(range('first', size, { min: 1, max: PAGE_MAX }));
  const after = args.after == null ? FEED_START : decodeCursor(args.after);
  const rows = await APPROVAL_FEED.read(services.pool, who.tenantId, after, size + 1);
  const edges = rows.slice(0, size).map((event) => {
    const cursor = encodeCursor(event);
    return { cursor, node: { cursor, event } };
  });
  return {
    edges,
    pageInfo: {
      hasNextPage: rows.length > size,
      hasPreviousPage: args.after != null,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}
