import type { Journal } from '../../records/journals.js';
import { GATE_STATUSES, type GateStatus } from './gate/vocabulary.js';
import { PROMPT_HAPPENINGS, type PromptHappening, type PromptStatus } from './vocabulary.js';

/** What happened to a prompt package; the subject is its id. */
export const PROMPT_JOURNAL: Journal<PromptHappening> = {
  kind: 'prompt_lifecycle',
  values: PROMPT_HAPPENINGS.map(({ code }) => code),
};

/** The gate runs of a prompt package; the subject is its id, the value how the run ended. */
export const GATE_JOURNAL: Journal<GateStatus> = {
  kind: 'prompt_gate_run',
  values: GATE_STATUSES.map(({ code }) => code),
};

/** The body of an entry of the journal of a package, as it is kept. */
export type HappeningBody = {
  readonly version: number;
  /** Statuses of the version before and after; null before a version was written. */
  readonly from: PromptStatus | null;
  readonly to: PromptStatus;
  /** The version that was current after it. */
  readonly current_version: number;
  /** The gate receipt that a promotion rested on. */
  readonly receipt_id: string | null;
  readonly reason: string | null;
  /** The member or key that acted. */
  readonly actor_id: string;
};
