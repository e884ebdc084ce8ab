/** When a request that found no slot may ask again, in milliseconds. */
export const SLOT_RETRY_MS = 250;

/**
 * Tokens that may be missing without a refusal. A bucket is refilled in fractions, so after exactly
 * the time that a refusal names, rounding may leave it short by less than this.
 */
export const TOKENS_MISSING_MIN = 1e-6;

/** One limit that a request wants to pass. */
export type Limit =
  | {
      readonly kind: 'rate';
      readonly key: string;
      /** How many points a minute; also the size of the bucket. */
      readonly perMinute: number;
      readonly points: number;
      /** How many points must be there; `points` unless stated. The others may become a debt. */
      readonly needed?: number;
    }
  | {
      readonly kind: 'concurrency';
      readonly key: string;
      readonly limit: number;
      /** Names the slot, so that it is given back once and expires when its node dies. */
      readonly slot: string;
      readonly leaseMs: number;
      /** What this node may hold where it counts for itself alone; `limit` unless stated. */
      readonly alone?: number;
    }
  | {
      readonly kind: 'window';
      readonly key: string;
      /** How many points any sixty seconds may hold. */
      readonly limit: number;
      readonly points: number;
      /** What this node may take where it counts for itself alone; `limit` unless stated. */
      readonly alone?: number;
    };

/** Seconds that a window counts: a rolling minute touches so many whole seconds at most. */
export const WINDOW_SECONDS = 61;

/** How a limit stands after it was asked. */
export interface LimitState {
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds until the bucket is full, or the window empty, again; 0 for concurrency. */
  readonly resetMs: number;
}

/** The answer for a set of limits: all were taken, or none was. */
export interface Admission {
  /** The index of the limit that refused; undefined when all passed. */
  readonly refused: number | undefined;
  /** When the refusing limit could pass, in milliseconds. */
  readonly retryAfterMs: number;
  readonly states: readonly LimitState[];
  /**
   * Corrects what was taken of a window: gives points back or, negative, takes more. They count in
   * the second in which they were taken, so that a window never holds more than it seems to.
   * Present where a window was taken.
   */
  readonly correct?: (key: string, points: number) => void;
}

/**
 * Token buckets, windows and slots. A bucket lets a burst and what flows in meanwhile pass; a
 * window holds no more than its figure in any sixty seconds. All limits of a request are taken in
 * one step or not at all. The embedded default counts in this process; of several processes on one
 * port the primary counts for all, and over several nodes Redis does.
 */
export interface Counters {
  take(limits: readonly Limit[]): Admission | Promise<Admission>;
  /** Gives points back to (or, negative, takes more from) a bucket once the real use is known. */
  adjust(key: string, perMinute: number, points: number): void;
  /** Gives a slot back. */
  release(key: string, slot: string): void;
  close(): Promise<void>;
}
