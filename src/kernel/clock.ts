/**
 * The time that all nodes share, which is the database's: what one node writes as an instant
 * another one compares, and the wall clocks of two machines may differ by an hour. It runs by the
 * monotonic clock of this process, which the database's was measured to be ahead of
 * (`platform/database/clock-follower.ts`), so a wall clock that is wrong or set moves nothing.
 * Until the first measurement, and in a process that has no database, it begins at the wall clock.
 * A duration is measured by `performance.now()` and by neither.
 */
let aheadMs = Date.now() - performance.now();

/** When a time of `performance.now()` was, in epoch milliseconds and parts of one. */
export function sharedMsOf(monotonicMs: number): number {
  return monotonicMs + aheadMs;
}

/** The present time in epoch milliseconds, whole ones. */
export function sharedNowMs(): number {
  return Math.floor(sharedMsOf(performance.now()));
}

/** The present time. */
export function sharedNow(): Date {
  return new Date(sharedNowMs());
}

/** Sets how far the shared time is ahead of `performance.now()`, in milliseconds. */
export function setClockAhead(milliseconds: number): void {
  aheadMs = milliseconds;
}
