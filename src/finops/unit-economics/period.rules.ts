import type { Fault } from '../../kernel/errors/fail.js';
import { fault, fits } from '../../kernel/errors/faults.js';
import { moscowDay } from '../../kernel/time.js';
import type { Window } from '../../kernel/window.rules.js';

/** A period as it is sealed: a month, as far as it has gone. */
export interface Period extends Window {
  /** The month in Moscow, as `2026-11`. */
  readonly month: string;
  /** Whether the month is over. */
  readonly isFinal: boolean;
}

const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;

/** The month in Moscow in which a time lies, as `2026-11`. */
export function monthOf(at: Date): string {
  return moscowDay(at.getTime()).slice(0, 7);
}

/** The window of a month in Moscow. */
export function windowOfMonth(month: string): Window {
  const [year = 0, number = 0] = month.split('-').map(Number);
  const next = number === 12 ? `${year + 1}-01` : `${year}-${String(number + 1).padStart(2, '0')}`;
  return { from: beginOf(month), to: beginOf(next) };
}

function beginOf(month: string): Date {
  return new Date(`${month}-01T00:00:00+03:00`);
}

/** Every fault of a month as text. */
export function monthFaults(path: string, month: string | null, now: Date): Fault[] {
  if (month === null) return [];
  const isMonth = MONTH.test(month) && Number(month.slice(0, 4)) >= 2019;
  if (!isMonth) return fits(path, false, 'must be a month from 2019-01 on, such as 2026-10');
  const isPast = month <= monthOf(now);
  return isPast ? [] : [fault(path, 'out_of_range', `must be ${monthOf(now)} or before`)];
}

/** A month as far as it has gone; what goes on ends now. */
export function periodOf(month: string, now: Date): Period {
  const { from, to } = windowOfMonth(month);
  const isFinal = to <= now;
  return { month, from, to: isFinal ? to : now, isFinal };
}

/** What a period is sealed under: once when it is over, and before that once a day. */
export function sealKeyOf({ month, isFinal, to }: Period): string {
  return isFinal ? month : `${month} until ${moscowDay(to.getTime())}`;
}
