import { WINDOW_SECONDS } from './counters.js';

const SECOND_MS = 1_000;

/**
 * Points of the last minute by the second in which they were taken. Whole seconds are counted, one
 * more than a minute has, so that no sixty seconds hold more points than are seen here.
 */
export class RollingMinute {
  readonly #points = new Map<number, number>();

  /** Milliseconds until so many points fit under a maximum; 0 when they do now. */
  waitMs(nowMs: number, points: number, max: number): number {
    if (max <= 0) return WINDOW_SECONDS * SECOND_MS;
    const need = Math.min(points, max);
    const seconds = this.#seconds(nowMs);
    let sum = total(seconds);
    let wait = 0;
    for (const [second, held] of seconds) {
      if (sum + need <= max) break;
      sum -= held;
      wait = waitOf(second, nowMs);
    }
    return wait;
  }

  /** Takes points in the second of a moment. */
  add(nowMs: number, points: number): void {
    const second = secondOf(nowMs);
    this.#points.set(second, (this.#points.get(second) ?? 0) + points);
  }

  /** Gives back points of the second in which they were taken; negative takes more. */
  correct(takenMs: number, points: number): void {
    const second = secondOf(takenMs);
    const held = this.#points.get(second);
    if (held !== undefined) this.#points.set(second, Math.max(0, held - points));
  }

  /** The points of the window, and milliseconds until it is empty. */
  state(nowMs: number): { readonly points: number; readonly resetMs: number } {
    const seconds = this.#seconds(nowMs);
    const last = seconds.findLast(([, held]) => held > 0);
    return { points: total(seconds), resetMs: last ? waitOf(last[0], nowMs) : 0 };
  }

  /** The seconds that count, oldest first. */
  #seconds(nowMs: number): [number, number][] {
    const first = secondOf(nowMs) - WINDOW_SECONDS + 1;
    for (const second of this.#points.keys()) if (second < first) this.#points.delete(second);
    return [...this.#points];
  }
}

function secondOf(ms: number): number {
  return Math.floor(ms / SECOND_MS);
}

function total(seconds: readonly (readonly [number, number])[]): number {
  return seconds.reduce((sum, [, held]) => sum + held, 0);
}

/** Milliseconds until a second no longer counts. */
function waitOf(second: number, nowMs: number): number {
  return Math.max(0, (second + WINDOW_SECONDS) * SECOND_MS - nowMs);
}
