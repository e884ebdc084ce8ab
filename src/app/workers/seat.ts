import type { Counters } from '../../platform/counters/counters.js';
import type { WorkingConnections } from '../../platform/database/roles.js';

/** What one of several workers on a port has of its primary. */
export interface WorkerSeat {
  /** Its name among the nodes, the same after each restart. */
  readonly name: string;
  /** The names of all workers of the primary. */
  readonly names: readonly string[];
  /** How to work on the database, which the primary has migrated. */
  readonly connections: WorkingConnections;
  /** The primary's, which count for all workers. */
  readonly counters: Counters;
  /** The metrics of all workers and of the primary, as text. */
  readonly figures: () => Promise<string>;
}

/** The name of the worker of this number, from 1 on, under a primary of that name. */
export function workerName(primary: string, number: number): string {
  return `${primary}.w${number}`;
}
