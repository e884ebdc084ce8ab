import type { Listener, Unsubscribe } from '../platform/database/listen.js';

/** Tells readers of feeds that there may be something new. It is a hint: readers also poll. */
export interface FeedNotifier {
  /** Calls `wake` after each commit that wrote to this feed of this tenant. */
  watch(tenantId: string, feed: string, wake: () => void): Unsubscribe;
  /** Stops to listen. */
  close(): void;
}

declare module '../graph/ctx.js' {
  interface Services {
    readonly feedNotifier: FeedNotifier;
  }
}

/** The channel that the triggers of feed tables notify, with "<tenant id> <feed>" as payload. */
const FEED_CHANNEL = 'gw_feed';

/** One subscription of the channel for all readers of this process; a wake-up costs one look-up. */
export async function createFeedNotifier(listener: Listener): Promise<FeedNotifier> {
  const watchers = new Map<string, Set<() => void>>();
  const leave = await listener.listen(FEED_CHANNEL, (payload) => {
    for (const wake of watchers.get(payload) ?? []) wake();
  });
  // What was notified while the connection was down is lost, so everybody looks.
  const forget = listener.onConnected(() => {
    for (const group of watchers.values()) for (const wake of group) wake();
  });
  return {
    watch(tenantId, feed, wake) {
      const name = `${tenantId} ${feed}`;
      const group = watchers.get(name) ?? new Set();
      watchers.set(name, group.add(wake));
      return () => {
        group.delete(wake);
        if (group.size === 0 && watchers.get(name) === group) watchers.delete(name);
      };
    },
    close() {
      leave();
      forget();
    },
  };
}
