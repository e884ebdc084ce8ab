/** What a stop may take after its drain: answers are settled and the books are flushed. */
const WORKER_SLACK_MS = 10_000;
const PROCESS_SLACK_MS = 12_000;
const HARD_SLACK_MS = 13_000;

/** When a stop that has not ended by itself is ended, in milliseconds since it began. */
export interface StopLimits {
  /** The primary kills the workers that are left. */
  readonly workersMs: number;
  /** The process exits with what it has. */
  readonly processMs: number;
  /** The watching thread kills the process, whose event loop has not even come to that. */
  readonly hardMs: number;
}

/** The limits of a stop whose drain may take this long; each comes after the one before. */
export function stopLimits(drainTimeoutMs: number): StopLimits {
  return {
    workersMs: drainTimeoutMs + WORKER_SLACK_MS,
    processMs: drainTimeoutMs + PROCESS_SLACK_MS,
    hardMs: drainTimeoutMs + HARD_SLACK_MS,
  };
}
