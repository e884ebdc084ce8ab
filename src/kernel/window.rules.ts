import type { Fault } from './errors/fail.js';
import { fault } from './errors/faults.js';

/** A window of time; the begin is inside, the end is not. */
export interface Window {
  readonly from: Date;
  readonly to: Date;
}

/** Days of the window of a report: by default, and at most. */
export const REPORT_DAYS = { default: 30, max: 366 } as const;

const DAY_MS = 86_400_000;

/** The window that a caller states, its open ends filled, with every fault. */
export function windowOf(
  stated: { readonly from?: Date | null; readonly to?: Date | null },
  now: Date,
): Window & { readonly faults: readonly Fault[] } {
  const to = stated.to ?? now;
  const from = stated.from ?? new Date(to.getTime() - REPORT_DAYS.default * DAY_MS);
  const days = (to.getTime() - from.getTime()) / DAY_MS;
  if (days > 0 && days <= REPORT_DAYS.max) return { from, to, faults: [] };
  const what = `must be before to, by at most ${REPORT_DAYS.max} days`;
  return { from, to, faults: [fault('from', 'out_of_range', what)] };
}
