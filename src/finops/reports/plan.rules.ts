import { TIME_ZONE_DEFAULT } from '../../kernel/time.js';
import type { Window } from '../../kernel/window.rules.js';
import { CUBES, type Cube } from './cubes.js';
import type { Dimension, Grain, Period } from './vocabulary.js';

/** A part of a window, and where it is read: sums of a grain, or the usage rows themselves. */
export interface Segment extends Window {
  readonly grain: Grain | 'rows';
}

/** Moscow has no summer time: its days begin three hours before those of UTC. */
const MOSCOW_MS = 3 * 3_600_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The first Monday of the clock: its day 0 was a Thursday. */
const MONDAY_MS = 4 * DAY_MS;
const WEEK_MS = 7 * DAY_MS;

/** The begin of the unit that a time lies in. */
function floorTo(grain: Grain, epochMs: number): number {
  if (grain === 'hour') return Math.floor(epochMs / HOUR_MS) * HOUR_MS;
  const local = epochMs + MOSCOW_MS;
  if (grain === 'day') return Math.floor(local / DAY_MS) * DAY_MS - MOSCOW_MS;
  if (grain === 'week') {
    return Math.floor((local - MONDAY_MS) / WEEK_MS) * WEEK_MS + MONDAY_MS - MOSCOW_MS;
  }
  const at = new Date(local);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1) - MOSCOW_MS;
}

/** The begin of the first unit that does not begin before a time. */
function ceilTo(grain: Grain, epochMs: number): number {
  const floor = floorTo(grain, epochMs);
  if (floor === epochMs) return floor;
  // A unit is shorter than 32 days, and the floor of a time in the next one is its begin.
  const beyond = { hour: HOUR_MS, day: DAY_MS, week: WEEK_MS, month: 32 * DAY_MS }[grain];
  return floorTo(grain, floor + beyond);
}

/** A grain, and up to when its cells are made; all of them where it is not stated. */
export interface KeptGrain {
  readonly grain: Grain;
  readonly until?: number;
}

/**
 * A window in parts that follow one another without gap or overlap, each in the coarsest of the
 * grains that fits and is made; edges that fit none are read from the rows.
 * @param grains coarsest first
 */
export function segmentsOf(
  from: number,
  to: number,
  grains: readonly KeptGrain[],
): readonly Segment[] {
  if (from >= to) return [];
  const [kept, ...finer] = grains;
  if (!kept) return [{ grain: 'rows', from: new Date(from), to: new Date(to) }];
  const { grain, until = to } = kept;
  const [begin, end] = [ceilTo(grain, from), floorTo(grain, Math.min(to, until))];
  if (begin >= end) return segmentsOf(from, to, finer);
  return [
    ...segmentsOf(from, begin, finer),
    { grain, from: new Date(begin), to: new Date(end) },
    ...segmentsOf(end, to, finer),
  ];
}

/** What is asked of the sums. */
export interface PlanQuestion {
  /** By what it is grouped and narrowed. */
  readonly dimensions: readonly Dimension[];
  readonly period: Period | null;
  readonly timeZone: string;
  /** Whether percentiles are asked for. */
  readonly needsSketches: boolean;
  readonly windows: readonly Window[];
  /** Up to when days, and the weeks and months before, are made of finer cells; null: none yet. */
  readonly closedUntil: Date | null;
}

/** Which sums answer a question, and which part of its windows from what. */
export interface Plan {
  /** Undefined where no cube has these dimensions: everything is read from the rows. */
  readonly cube: Cube | undefined;
  readonly segments: readonly (readonly Segment[])[];
}

/** The smallest cube that answers, and the coarsest grains that its periods allow. */
export function planOf(question: PlanQuestion): Plan {
  const { dimensions, needsSketches, windows, closedUntil } = question;
  const coarsest = grainsFor(question);
  const cube = CUBES.find(
    ({ dimensions: kept, hasSketches, grains }) =>
      dimensions.every((each) => kept.includes(each)) &&
      (hasSketches || !needsSketches) &&
      grains.some((grain) => coarsest.includes(grain)),
  );
  const grains = coarsest
    .filter((grain) => cube?.grains.includes(grain))
    .map((grain) => ({
      grain,
      // The finest cells of a cube are written with each batch of rows.
      ...(grain !== cube?.grains[0] && { until: closedUntil?.getTime() ?? 0 }),
    }));
  const segments = windows.map(({ from, to }) => segmentsOf(from.getTime(), to.getTime(), grains));
  return { cube, segments };
}

/** The grains whose units never straddle a period of the question, coarsest first. */
function grainsFor({ period, timeZone, windows }: PlanQuestion): readonly Grain[] {
  if (period === null) return ['month', 'week', 'day', 'hour'];
  const zones = windows.map((window) => zoneOf(timeZone, window));
  if (zones.includes('uneven')) return [];
  if (period === 'hour' || zones.includes('whole_hours')) return ['hour'];
  return GRAINS_WITHIN[period];
}

/** The grains of Moscow that lie within a period of Moscow, coarsest first. */
const GRAINS_WITHIN = {
  hour: ['hour'],
  day: ['day', 'hour'],
  week: ['week', 'day', 'hour'],
  month: ['month', 'day', 'hour'],
} as const satisfies Record<Period, readonly Grain[]>;

/** How the days of a zone lie to those of Moscow over a window. */
function zoneOf(timeZone: string, { from, to }: Window): 'moscow' | 'whole_hours' | 'uneven' {
  if (timeZone === TIME_ZONE_DEFAULT) return 'moscow';
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  for (let at = from.getTime(); at < to.getTime() + DAY_MS; at += DAY_MS) {
    // GMT, GMT+03:00 or, long ago, GMT+02:30:17.
    const offset = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value;
    if (!/^GMT([+-]\d\d:00)?$/.test(offset ?? '')) return 'uneven';
  }
  return 'whole_hours';
}

/** Whether this is a zone of the time zone database. */
export function isTimeZone(name: string): boolean {
  try {
    // Offsets such as +03:00 are accepted by some runtimes, and mean the opposite in SQL.
    return /^[A-Za-z]/.test(name) && new Intl.DateTimeFormat('en', { timeZone: name }) !== null;
  } catch {
    return false;
  }
}
