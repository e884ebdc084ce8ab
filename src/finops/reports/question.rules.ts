import type { Fault } from '../../kernel/errors/fail.js';
import { fault } from '../../kernel/errors/faults.js';
import { localText, MOMENT_WORDS, momentOf } from '../../kernel/moment.rules.js';
import { TIME_ZONE_DEFAULT } from '../../kernel/time.js';
import { type Window, windowOf } from '../../kernel/window.rules.js';
import { isTimeZone } from './plan.rules.js';
import { type Comparison, type Period, REPORT_ROWS_MAX } from './vocabulary.js';

const DAY_MS = 86_400_000;

/** The words of a window, as a caller writes them. */
export interface StatedWindow {
  readonly from: string | null;
  readonly to: string | null;
  readonly timeZone: string;
}

/**
 * The window that a caller states in words, with every fault. A day begins at midnight of the time
 * zone, and as an end it is in the window to its own end.
 */
export function statedWindow(
  { from, to, timeZone }: StatedWindow,
  now: Date,
): Window & { readonly faults: readonly Fault[] } {
  const isKnown = isTimeZone(timeZone);
  const zone = isKnown ? timeZone : TIME_ZONE_DEFAULT;
  const bounds = boundsOf({ from, to }, zone);
  const window = windowOf(bounds, now);
  const faults = [
    ...(isKnown ? [] : [fault('timeZone', 'unknown_value', 'is no time zone of the IANA list')]),
    ...bounds.faults,
  ];
  // Where a bound cannot be read, nothing can be said of their order.
  return { ...window, faults: faults.length > 0 ? faults : window.faults };
}

/** The bounds of a window in words, null where one is open; each unreadable one is a fault. */
export function boundsOf({ from, to }: Omit<StatedWindow, 'timeZone'>, timeZone: string) {
  const begin = from === null ? null : momentOf(from, timeZone, 0);
  const end = to === null ? null : momentOf(to, timeZone, 1);
  const faults = [
    ...(begin === undefined ? [fault('from', 'invalid', `must be ${MOMENT_WORDS}`)] : []),
    ...(end === undefined ? [fault('to', 'invalid', `must be ${MOMENT_WORDS}`)] : []),
  ];
  return { from: begin ?? null, to: end ?? null, faults };
}

/** How a period is called: its first day in the zone, of hours with the time. */
export function periodName(period: Period, start: Date, timeZone: string): string {
  const local = localText(timeZone, start.getTime());
  return period === 'hour' ? local.slice(0, 16) : local.slice(0, 10);
}

/** The window that another is compared with. */
export function comparedWindow({ from, to }: Window, comparison: Comparison): Window {
  const lengthMs = to.getTime() - from.getTime();
  const backMs = {
    previous_period: lengthMs,
    previous_week: 7 * DAY_MS,
    previous_year: 365 * DAY_MS,
  }[comparison];
  return { from: new Date(from.getTime() - backMs), to: new Date(to.getTime() - backMs) };
}

/** What only its answer shows: that a report has too many rows. */
export function rowFaults(rows: number): readonly Fault[] {
  if (rows <= REPORT_ROWS_MAX) return [];
  const what = `must be so low that the report has at most ${REPORT_ROWS_MAX} rows`;
  return [fault('top', 'out_of_range', what)];
}
