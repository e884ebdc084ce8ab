import type { Fault } from '../../kernel/errors/fail.js';
import { fault } from '../../kernel/errors/faults.js';
import { type Window, windowOf } from '../../kernel/window.rules.js';
import { isTimeZone } from './plan.rules.js';
import { type Comparison, type Period, REPORT_ROWS_MAX, TIME_ZONE_DEFAULT } from './vocabulary.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

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
    ...(begin === undefined ? [fault('from', 'invalid', NO_MOMENT)] : []),
    ...(end === undefined ? [fault('to', 'invalid', NO_MOMENT)] : []),
  ];
  return { from: begin ?? null, to: end ?? null, faults };
}

const NO_MOMENT = 'must be a time such as 2026-01-31T09:00:00Z or a day such as 2026-01-31';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** A time, or the midnight of a day so many days on; undefined for what is neither. */
function momentOf(words: string, timeZone: string, daysOn: number): Date | undefined {
  const text = words.trim();
  if (!/^[12]\d{3}-\d\d-\d\d/.test(text)) return undefined;
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  const isDay = !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text.slice(0, 10));
  if (!isDay) return undefined;
  if (text.length === 10) return midnight(day.getTime() + daysOn * DAY_MS, timeZone);
  const at = TIME.test(text) ? new Date(text) : undefined;
  return at && !Number.isNaN(at.getTime()) ? at : undefined;
}

/** When a day, given as its midnight in UTC, begins in a time zone. */
function midnight(utcMs: number, timeZone: string): Date {
  const guess = utcMs - offsetMs(timeZone, utcMs);
  // Between the two a change of the offset may lie.
  return new Date(utcMs - offsetMs(timeZone, guess));
}

function offsetMs(timeZone: string, epochMs: number): number {
  return Date.parse(`${localText(timeZone, epochMs)}Z`) - Math.floor(epochMs / 1_000) * 1_000;
}

/** A time on the clocks of a zone as `YYYY-MM-DDTHH:mm:ss`. */
function localText(timeZone: string, epochMs: number): string {
  return clockOf(timeZone).format(epochMs).replace(' ', 'T');
}

/** Making a format takes as long as many uses of it, and each row of a report names its period. */
const CLOCKS = new Map<string, Intl.DateTimeFormat>();
const CLOCKS_MAX = 100;

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const kept = CLOCKS.get(timeZone);
  if (kept) return kept;
  if (CLOCKS.size >= CLOCKS_MAX) CLOCKS.clear();
  const made = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  CLOCKS.set(timeZone, made);
  return made;
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
