import { BEAT_EVERY_MS, hasHung, nextSilenceMs } from '../hangs/silence.rules.js';

/** A worker that is watched. */
export interface WatchedWorker {
  readonly isServing: boolean;
  /** Kills it. @param silenceMs how long it has been silent */
  kill(silenceMs: number): void;
}

interface Standing {
  silenceMs: number;
  hasBeaten: boolean;
  isDebugged: boolean;
}

/**
 * Kills workers that are silent for too long, one at each look and the longest silent first: they
 * should not all start at the same moment. Only time in which the primary looked itself counts.
 */
export class SilentWorkers {
  private readonly standings = new Map<WatchedWorker, Standing>();
  private readonly timer: NodeJS.Timeout;
  private lookedMs = performance.now();

  constructor(private readonly hangTimeoutMs: number) {
    this.timer = setInterval(() => this.look(performance.now()), BEAT_EVERY_MS).unref();
  }

  /** Watches one from its start on. */
  add(worker: WatchedWorker): void {
    this.standings.set(worker, { silenceMs: 0, hasBeaten: true, isDebugged: false });
  }

  /** Watches one no more, since it has ended. */
  remove(worker: WatchedWorker): void {
    this.standings.delete(worker);
  }

  /** A worker has beaten. */
  heard(worker: WatchedWorker, isDebugged: boolean): void {
    const standing = this.standings.get(worker);
    if (standing) Object.assign(standing, { hasBeaten: true, isDebugged });
  }

  /** Watches none any more. */
  stop(): void {
    clearInterval(this.timer);
  }

  /** Looks at all of them. @param nowMs by the monotonic clock */
  look(nowMs: number): void {
    const elapsedMs = nowMs - this.lookedMs;
    this.lookedMs = nowMs;
    for (const standing of this.standings.values()) {
      standing.silenceMs = nextSilenceMs(standing.silenceMs, { elapsedMs, ...standing });
      standing.hasBeaten = false;
    }
    const [longest] = [...this.standings]
      .filter(([{ isServing }, { silenceMs }]) => hasHung(silenceMs, this.hangTimeoutMs, isServing))
      .sort(([, one], [, other]) => other.silenceMs - one.silenceMs);
    if (!longest) return;
    const [worker, { silenceMs }] = longest;
    // It ends when the system has come to it, and is not killed twice.
    this.remove(worker);
    worker.kill(silenceMs);
  }
}
