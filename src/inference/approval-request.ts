import { EXCEPTION_BOUNDS } from '../access/budgets/vocabulary.js';
import type { Fault } from '../kernel/errors/fail.js';
import { fault } from '../kernel/errors/faults.js';
import { asObject } from '../kernel/json.js';
import { reasonFaults } from '../records/approvals/rules.js';

/** Bounds of `gw_approval`. */
export const APPROVAL_WAIT = { secondsMin: 1, secondsMax: 300 } as const;

/** A client's wish to wait for an approval where a budget is exhausted. */
export interface ApprovalWait {
  readonly waitSeconds: number;
  /** What the decider reads; absent where the client gives none. */
  readonly reason: string | undefined;
}

/** Every fault of a `gw_approval` that is there. */
export function approvalWaitFaults(given: unknown): Fault[] {
  const wish = asObject(given);
  if (!wish) return [fault('gw_approval', 'wrong_type', 'must be an object with wait_seconds')];
  const { wait_seconds: seconds, reason } = wish;
  return [...secondsFaults(seconds), ...(reason == null ? [] : wishedReasonFaults(reason))];
}

function secondsFaults(seconds: unknown): Fault[] {
  const { secondsMin: min, secondsMax: max } = APPROVAL_WAIT;
  if (Number.isInteger(seconds) && Number(seconds) >= min && Number(seconds) <= max) return [];
  const code = seconds === undefined ? 'missing' : 'out_of_range';
  return [fault('gw_approval.wait_seconds', code, `must be a whole number from ${min} to ${max}`)];
}

function wishedReasonFaults(reason: unknown): Fault[] {
  const path = 'gw_approval.reason';
  if (typeof reason !== 'string') return [fault(path, 'wrong_type', 'must be a text')];
  return reasonFaults(path, reason, EXCEPTION_BOUNDS.reason);
}

/** The wish of a `gw_approval` without faults; undefined where there is none. */
export function readApprovalWait(given: unknown): ApprovalWait | undefined {
  const wish = asObject(given);
  if (!wish) return undefined;
  const { wait_seconds: waitSeconds, reason } = wish;
  return { waitSeconds: waitSeconds as number, reason: (reason as string | null) ?? undefined };
}
