const FIRST_MS = 100;
const WAIT_MS_MAX = 10_000;
/** A worker that lived for so long did not die of its start. */
const LIVED_MS_MIN = 30_000;

/**
 * How long a worker that died is waited with before it is started again: twice as long each time it
 * dies soon after its start, ten seconds at most.
 * @param lastMs the wait before the start that it died after; 0 for its first
 * @param livedMs since that start
 */
export function waitBeforeRestart(lastMs: number, livedMs: number): number {
  if (lastMs === 0 || livedMs >= LIVED_MS_MIN) return FIRST_MS;
  return Math.min(lastMs * 2, WAIT_MS_MAX);
}
