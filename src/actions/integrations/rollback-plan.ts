import type { ProposedChange } from './changes.js';

/** How an action can be undone, as it is stored and sealed with it. */
export type RollbackPlan = {
  readonly available: boolean;
  /** Why not, or null. */
  readonly reason: string | null;
  /** What an undoing changes. */
  readonly changes: ProposedChange[];
  /** The version of the record after the action: an undoing needs it unmoved. Null without one. */
  readonly recordVersion: number | null;
};

/** The plan of an action that was not carried out. */
export const NOTHING_TO_UNDO: RollbackPlan = {
  available: false,
  reason: 'nothing was carried out',
  changes: [],
  recordVersion: null,
};
