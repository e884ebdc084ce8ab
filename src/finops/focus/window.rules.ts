import type { Fault } from '../../kernel/errors/fail.js';
import { fault } from '../../kernel/errors/faults.js';
import { MOSCOW_OFFSET_MS, moscowDay } from '../../kernel/time.js';
import type { Window } from '../../kernel/window.rules.js';
import { FOCUS_GRANULARITIES, type FocusGranularity } from './vocabulary.js';

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;

/**
 * The window that a caller states, its open ends filled, with every fault: it ends with the present
 * second and begins with its billing period. Times are whole seconds, since FOCUS writes no others.
 */
export function exportWindow(
  stated: {
    readonly from: Date | null;
    readonly to: Date | null;
    readonly granularity: FocusGranularity;
  },
  now: Date,
): Window & { readonly faults: readonly Fault[] } {
  const second = Math.floor(now.getTime() / SECOND_MS) + 1;
  const to = stated.to ?? new Date(second * SECOND_MS);
  const from = stated.from ?? billingPeriodOf(new Date(to.getTime() - 1)).from;
  const parts = Object.entries({ from, to })
    .filter(([, at]) => at.getTime() % SECOND_MS !== 0)
    .map(([path]) => fault(path, 'invalid', 'must be a whole second, as FOCUS writes times'));
  const daysMax = FOCUS_GRANULARITIES.find(stated.granularity)?.days ?? 0;
  const days = (to.getTime() - from.getTime()) / DAY_MS;
  if (days > 0 && days <= daysMax) return { from, to, faults: parts };
  const periods = `periods of one ${stated.granularity}`;
  const what = `must be before to, by at most ${daysMax} days with ${periods}`;
  return { from, to, faults: [...parts, fault('from', 'out_of_range', what)] };
}

/** How long a charge period is, in milliseconds. */
export function periodMs(granularity: FocusGranularity): number {
  return FOCUS_GRANULARITIES.find(granularity)?.ms ?? DAY_MS;
}

/** The begin of the charge period that a time lies in; days are those of Moscow. */
export function periodBegin(at: Date, granularity: FocusGranularity): Date {
  const size = periodMs(granularity);
  const passed = (at.getTime() + MOSCOW_OFFSET_MS) % size;
  return new Date(at.getTime() - passed);
}

/** The billing period that a time lies in: the calendar month in Moscow, as closing papers go. */
export function billingPeriodOf(at: Date): Window {
  const [year = 0, month = 0] = moscowDay(at.getTime()).split('-').map(Number);
  return { from: monthBegin(year, month - 1), to: monthBegin(year, month) };
}

function monthBegin(year: number, monthIndex: number): Date {
  return new Date(Date.UTC(year, monthIndex, 1) - MOSCOW_OFFSET_MS);
}
