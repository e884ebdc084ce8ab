import type { BooksState } from './vocabulary.js';

/** What a node knows of the checks, in milliseconds since 1970. */
export interface KnownOfChecks {
  readonly startedMs: number;
  /** When a check last came to its end; undefined where none has since the node knows. */
  readonly succeededMs: number | undefined;
  readonly hasFailed: boolean;
  readonly violations: number;
}

/**
 * How the monitor stands: what is wrong goes before what is not known. A check that hangs is
 * overdue as one that fails.
 */
export function booksState(
  { startedMs, succeededMs, hasFailed, violations }: KnownOfChecks,
  nowMs: number,
  overdueMs: number,
): BooksState {
  if (violations > 0) return 'violated';
  if (nowMs - (succeededMs ?? startedMs) > overdueMs) return 'overdue';
  if (hasFailed) return 'failing';
  return succeededMs === undefined ? 'pending' : 'verified';
}
