/** What a bound of a period must be, for messages. */
export const MOMENT_WORDS = 'a time such as 2026-01-31T09:00:00Z or a day such as 2026-01-31';

const DAY_MS = 86_400_000;

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/**
 * What a caller means by a bound of a period: a time, or a day. A day stands for its midnight in a
 * time zone, so many days on: none for a begin, one for an end, which is in the period to its own
 * end. Undefined for what is neither.
 */
export function momentOf(words: string, timeZone: string, daysOn: number): Date | undefined {
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
export function localText(timeZone: string, epochMs: number): string {
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
