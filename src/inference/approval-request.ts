import { EXCEPTION_BOUNDS } from '../access/budgets/vocabulary.js';
import type { Fault } from '../kernel/errors/fail.js';
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
  const { secondsMin, secondsMax } = APPROVAL_WAIT;
  const wish = asObject(given);
  if (!wish) {
    const message = 'gw_approval must be an object with wait_seconds.';
    return [{ path: 'gw_approval', code: 'wrong_type', message }];
  }
  const faults: Fault[] = [];
  const seconds = wish.wait_seconds;
  const isInside = Number(seconds) >= secondsMin && Number(seconds) <= secondsMax;
  if (!Number.isInteger(seconds) || !isInside) {
    const path = 'gw_approval.wait_seconds';
    const message = `${path} must be a whole number from ${secondsMin} to ${secondsMax}.`;
    faults.push({ path, code: seconds === undefined ? 'missing' : 'out_of_range', message });
  }
  const { reason } = wish;
  const path = 'gw_approval.reason';
  if (typeof reason === 'string') {
    faults.push(...reasonFaults(path, reason, EXCEPTION_BOUNDS.reason));
  } else if (reason != null) {
    faults.push({ path, code: 'wrong_type', message: `${path} must be a text.` });
  }
  return faults;
}

/** The wish of a `gw_approval` without faults; undefined where there is none. */
export function readApprovalWait(given: unknown): ApprovalWait | undefined {
  const wish = asObject(given);
  if (!wish) return undefined;
  const { wait_seconds: waitSeconds, reason } = wish;
  return { waitSeconds: waitSeconds as number, reason: (reason as string | null) ?? undefined };
}
