import type { Logger } from 'pino';
import { briefError } from '../loggable-error.js';
import { saysAway } from './away.js';

/** A database that comes and goes, or has too few connections, is told of once in this time. */
const QUIET_MS = 2_000;

/**
 * Tells the log once that the database is away and once that it is back, however many followers of
 * a process find that out, and how often. Frames would say nothing: no line of code is at fault.
 */
class DatabaseOutage {
  private sinceMs: number | undefined;
  private failedMs = 0;

  constructor(private readonly log: Logger) {}

  /**
   * Takes the failure of work that is tried again.
   * @returns true when the database is away, of which the log knows then; other failures are the
   *   caller's to tell
   */
  explains(error: unknown, nowMs = performance.now()): boolean {
    const reason = saysAway(error);
    if (reason === undefined) return false;
    this.failedMs = nowMs;
    if (this.sinceMs === undefined) {
      this.sinceMs = nowMs;
      this.log.warn({ reason: briefError(reason) }, 'the database is away; all is tried again');
    }
    return true;
  }

  /** Takes that work has succeeded which needs the database. */
  answered(nowMs = performance.now()): void {
    if (this.sinceMs === undefined || nowMs - this.failedMs < QUIET_MS) return;
    const awayMs = Math.round(nowMs - this.sinceMs);
    this.sinceMs = undefined;
    this.log.warn({ away_ms: awayMs }, 'the database answers again');
  }
}

const OUTAGES = new WeakMap<Logger, DatabaseOutage>();

/** The outage of whoever writes this log: one process has one log and one database. */
export function outageOf(log: Logger): DatabaseOutage {
  const known = OUTAGES.get(log) ?? new DatabaseOutage(log);
  OUTAGES.set(log, known);
  return known;
}

/** Warns of a failure of work that is tried again, unless the database is away. */
export function warnUnlessAway(
  log: Logger,
  error: unknown,
  message: string,
  facts: Readonly<Record<string, unknown>> = {},
): void {
  if (!outageOf(log).explains(error)) log.warn({ err: error, ...facts }, message);
}
