import type { Fault } from '../../kernel/errors/fail.js';
import { fault } from '../../kernel/errors/faults.js';
import { moscowDay } from '../../kernel/time.js';
import { REPORT_DAYS, type Window } from '../../kernel/window.rules.js';
import type { SealQuestion } from './tables.js';
import { SETTLED_AFTER_MS } from './vocabulary.js';

const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;
const DAY_MS = 86_400_000;
/** Moscow is three hours ahead of UTC all year since 2014-10-26. */
const MOSCOW = '+03:00';

/** The first moment of a month, `YYYY-MM`, in Moscow; `later` is counted in months. */
function beginOf(month: string, later = 0): Date {
  const [year, number] = month.split('-').map(Number);
  const months = (year ?? 0) * 12 + (number ?? 1) - 1 + later;
  const text = `${String(Math.floor(months / 12)).padStart(4, '0')}`;
  return new Date(`${text}-${String((months % 12) + 1).padStart(2, '0')}-01T00:00:00${MOSCOW}`);
}

/** A calendar month of Moscow as a window. @throws RangeError for a text that is no month */
export function monthWindow(month: string): Window {
  if (!MONTH.test(month)) throw new RangeError(`${month} is no month`);
  return { from: beginOf(month), to: beginOf(month, 1) };
}

/** The last month that has ended, in Moscow. */
export function lastMonth(now: Date): string {
  const thisMonth = moscowDay(now.getTime()).slice(0, 7);
  return moscowDay(beginOf(thisMonth, -1).getTime()).slice(0, 7);
}

/** Every fault of a month that is to be closed: its spelling, and that it is not over. */
export function monthFaults(path: string, month: string, now: Date): Fault[] {
  if (!MONTH.test(month)) return [fault(path, 'invalid', 'must be a month, such as 2026-10')];
  return isOver(monthWindow(month), now) ? [] : [notOver(path)];
}

function isOver({ to }: Window, now: Date): boolean {
  return to.getTime() + SETTLED_AFTER_MS <= now.getTime();
}

function notOver(path: string): Fault {
  return fault(path, 'out_of_range', 'must have ended a minute ago, since rows may still come');
}

/** The period that is to be sealed: a month, or the window that is stated in place of one. */
export function periodOf(
  asked: Pick<SealQuestion, 'period' | 'from' | 'to'>,
  now: Date,
): Window & { readonly faults: readonly Fault[] } {
  const { period, from, to } = asked;
  if (from === null && to === null) {
    const month = period ?? lastMonth(now);
    const faults = monthFaults('input.period', month, now);
    return { ...monthWindow(MONTH.test(month) ? month : lastMonth(now)), faults };
  }
  const window = { from: from ?? now, to: to ?? now };
  return { ...window, faults: windowFaults(asked, now) };
}

function windowFaults(
  { period, from, to }: Pick<SealQuestion, 'period' | 'from' | 'to'>,
  now: Date,
): Fault[] {
  const doubled = fault('input.period', 'invalid', 'stands in place of from and to');
  const both = period === null ? [] : [doubled];
  if (from === null) return [...both, fault('input.from', 'missing', 'is needed beside to')];
  if (to === null) return [...both, fault('input.to', 'missing', 'is needed beside from')];
  const days = (to.getTime() - from.getTime()) / DAY_MS;
  const what = `must be before to, by at most ${REPORT_DAYS.max} days`;
  const isWindow = days > 0 && days <= REPORT_DAYS.max;
  const order = isWindow ? [] : [fault('input.from', 'out_of_range', what)];
  return [...both, ...order, ...(isOver({ from, to }, now) ? [] : [notOver('input.to')])];
}
