/** How far the database's clock is ahead of the monotonic clock of this process, as it is known. */
export interface ClockOffset {
  readonly aheadMs: number;
  /** The true value lies within so much of it, on either side. */
  readonly errorMs: number;
}

/** One reading: what the database said, and the monotonic times before and after it was asked. */
export interface ClockReading {
  readonly saidMs: number;
  readonly askedMs: number;
  readonly answeredMs: number;
}

/**
 * What two clocks may drift apart between two readings, in milliseconds: NTP turns a clock by 500
 * parts in a million at most, which is 15 ms in half a minute, and mostly by a hundredth of that.
 */
const DRIFT_MS = 1;

/**
 * What is known after another reading. The database has read its clock at some time between
 * question and answer, so the true offset lies in an interval as wide as the round trip, and its
 * middle is wrong by half of it at most. A reading that is at least as narrow as what is known
 * replaces it. A wider one, as of a busy moment, moves it only where the two contradict each
 * other: to the nearer end, or all the way where the clock was set.
 */
export function offsetAfter(
  known: ClockOffset | undefined,
  { saidMs, askedMs, answeredMs }: ClockReading,
): ClockOffset {
  const [lowMs, highMs] = [saidMs - answeredMs, saidMs - askedMs];
  const errorMs = (highMs - lowMs) / 2;
  if (!known || errorMs <= known.errorMs) return { aheadMs: (lowMs + highMs) / 2, errorMs };
  const aheadMs = Math.min(Math.max(known.aheadMs, lowMs), highMs);
  const moved = Math.abs(aheadMs - known.aheadMs);
  if (moved > known.errorMs + DRIFT_MS) return { aheadMs: (lowMs + highMs) / 2, errorMs };
  return { aheadMs, errorMs: known.errorMs + DRIFT_MS };
}
