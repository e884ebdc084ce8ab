/** How often a process beats, and how often its watcher looks for a beat. Milliseconds. */
export const BEAT_EVERY_MS = 500;

/** A look counts for no more than this, however long ago the one before it was. */
const COUNTED_MS_MAX = 2 * BEAT_EVERY_MS;

/**
 * The part of the time between two looks that counts. A watcher that was away itself, because the
 * machine was suspended or it had no processor, could not have heard a beat.
 */
export function countedMs(elapsedMs: number): number {
  return Math.min(elapsedMs, COUNTED_MS_MAX);
}

/** What a watcher finds when it looks. */
interface Look {
  /** Since the look before, by the monotonic clock. */
  readonly elapsedMs: number;
  readonly hasBeaten: boolean;
  /** A process that stands at a breakpoint does not beat. */
  readonly isDebugged: boolean;
}

/** How long a process has been silent after a look, in milliseconds of the watcher's own time. */
export function nextSilenceMs(silenceMs: number, { elapsedMs, ...found }: Look): number {
  return found.hasBeaten || found.isDebugged ? 0 : silenceMs + countedMs(elapsedMs);
}

/** How many times the timeout a worker may be silent while it starts. */
const STARTING_FACTOR = 6;

/** Whether a process that has been silent for so long has hung. */
export function hasHung(silenceMs: number, hangTimeoutMs: number, isServing: boolean): boolean {
  return silenceMs >= hangTimeoutMs * (isServing ? 1 : STARTING_FACTOR);
}
