/** A time as all records write it: UTC with milliseconds, `YYYY-MM-DDTHH:mm:ss.sssZ`. */
export function isoTime(at: Date): string {
  return at.toISOString();
}

/** The value added tax in force by date of supply (425-FZ of 2025-11-28 for the last row). */
export const VAT_RATES = [
  { effectiveFrom: '2004-01-01', basisPoints: 1800 },
  { effectiveFrom: '2019-01-01', basisPoints: 2000 },
  { effectiveFrom: '2026-01-01', basisPoints: 2200 },
] as const;

/** The tax rate for a service rendered on a day, given as `YYYY-MM-DD` in Moscow time. */
export function vatRateOn(day: string): number {
  const row = VAT_RATES.findLast((rate) => rate.effectiveFrom <= day);
  if (!row) throw new RangeError(`no VAT rate is known for ${day}`);
  return row.basisPoints;
}

/** The time zone in which days begin where a caller names no other. */
export const TIME_ZONE_DEFAULT = 'Europe/Moscow';

/** How far Moscow is ahead of UTC, all year since 2014-10-26. */
export const MOSCOW_OFFSET_MS = 3 * 3_600_000;

/** The calendar day in Moscow (UTC+3 all year since 2014-10-26) of a time in epoch milliseconds. */
export function moscowDay(epochMs: number): string {
  return new Date(epochMs + MOSCOW_OFFSET_MS).toISOString().slice(0, 10);
}
