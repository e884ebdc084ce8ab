import { type Compared, robust } from './judge.rules.js';
import { type AnomalyType, DRIVERS_MAX, REMEMBERED, TRAILING_MIN, WEEKS } from './vocabulary.js';

/** A row of usage as a scope remembers it. Micro-rubles of a request fit a double exactly. */
export interface SeenRequest {
  readonly id: string;
  /** Minutes since 1970. */
  readonly minute: number;
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly micro: number;
  /** It failed by no fault of its client. */
  readonly failed: boolean;
  /** A provider was asked, or could not be: no cache answered it, and nothing refused it before. */
  readonly isAsked: boolean;
  readonly attempts: number;
  /** A model answered that stood in for the one that was asked. */
  readonly fellBack: boolean;
}

/**
 * Sums of a minute: requests, failed, extra attempts, cost, answers that fell back, their cost, and
 * requests that reached a provider, which older minutes do not tell.
 */
type Minute = readonly [
  minute: number,
  requests: number,
  failed: number,
  retries: number,
  micro: number,
  fallbacks: number,
  fallbackMicro: number,
  asked?: number,
];

/** A request that may be repeated: how often it came, and between which minutes. */
type Repeat = readonly [key: string, count: number, first: number, last: number];

/**
 * One of the last requests: id, minute, prompt tokens, answer tokens, and what became of it, which
 * what was remembered before it was kept does not tell.
 */
type Recent = readonly [
  id: string,
  minute: number,
  inputTokens: number,
  outputTokens: number,
  outcome?: 'failed' | 'fell_back' | null,
];

/** What is remembered of the last hour of a scope; it stands in a row as it is. */
export interface WatchState {
  /** The first minute that was ever seen. */
  readonly since: number;
  readonly minutes: readonly Minute[];
  readonly repeats: readonly Repeat[];
  readonly recent: readonly Recent[];
  /** The minute in which a rule was last triggered, by its key. */
  readonly fired: Readonly<Record<string, number>>;
}

/** What the same hour of earlier weeks had, by week: requests and cost. */
export type WeekHour = readonly [requests: number, micro: number];

type Writable<Row> = { -readonly [Column in keyof Row]: Row[Column] };

/** What a scope remembers while requests are added to it, in place: there may be thousands. */
interface Folding {
  readonly minutes: Map<number, Writable<Minute>>;
  /** By key; what came last stands last. */
  readonly repeats: Map<string, Writable<Repeat>>;
  /** The minute of the last request that was added. */
  minute: number;
}

/** Adds requests to what is remembered, in their order, and forgets what is older than an hour. */
export function folded(before: WatchState | undefined, rows: readonly SeenRequest[]): WatchState {
  const folding: Folding = {
    minutes: new Map(before?.minutes.map((each) => [each[0], [...each]])),
    repeats: new Map(before?.repeats.toReversed().map((each) => [each[0], [...each]])),
    minute: 0,
  };
  for (const row of rows) add(folding, row);
  const last = rows.at(-1)?.minute ?? 0;
  const isKept = (minute: number) => minute > last - REMEMBERED.minutes;
  return {
    since: before?.since ?? rows[0]?.minute ?? 0,
    minutes: [...folding.minutes.values()]
      .filter(([minute]) => isKept(minute))
      .sort(([left], [right]) => left - right),
    repeats: repeatsOf(folding),
    recent: recentOf(before?.recent ?? [], rows),
    fired: Object.fromEntries(
      Object.entries(before?.fired ?? {}).filter(([, minute]) => isKept(minute)),
    ),
  };
}

function add(folding: Folding, row: SeenRequest): void {
  const { minute, micro, failed, isAsked, attempts, fellBack } = row;
  const sums = folding.minutes.get(minute) ?? [minute, 0, 0, 0, 0, 0, 0, 0];
  sums[1] += 1;
  sums[2] += failed ? 1 : 0;
  sums[3] += Math.max(0, attempts - 1);
  sums[4] += micro;
  sums[5] += fellBack ? 1 : 0;
  sums[6] += fellBack ? micro : 0;
  sums[7] = (sums[7] ?? sums[1] - 1) + (isAsked ? 1 : 0);
  folding.minutes.set(minute, sums);
  addRepeat(folding, row);
}

/** Repeats stop to count after ten minutes without one. */
const REPEAT_GAP = 10;

function addRepeat(folding: Folding, { model, inputTokens, minute }: SeenRequest): void {
  const { repeats } = folding;
  if (minute !== folding.minute) {
    for (const [key, [, , , last]] of repeats) if (last <= minute - REPEAT_GAP) repeats.delete(key);
    folding.minute = minute;
  }
  const key = `${model} ${inputTokens}`;
  const known = repeats.get(key) ?? [key, 0, minute, minute];
  known[1] += 1;
  known[3] = minute;
  if (!repeats.delete(key) && repeats.size >= REMEMBERED.distinct) forgetRarest(repeats);
  repeats.set(key, known);
}

/** The rarest gives way to a new one; of several, the one that came longest ago. */
function forgetRarest(repeats: Map<string, Writable<Repeat>>): void {
  let rarest: Repeat | undefined;
  for (const each of repeats.values()) if (!rarest || each[1] < rarest[1]) rarest = each;
  if (rarest) repeats.delete(rarest[0]);
}

/** The last one first, then the others by how often they came. */
function repeatsOf({ repeats }: Folding): readonly Repeat[] {
  const [last, ...others] = [...repeats.values()].reverse();
  return last ? [last, ...others.sort((left, right) => right[1] - left[1])] : [];
}

function recentOf(before: readonly Recent[], rows: readonly SeenRequest[]): readonly Recent[] {
  const fresh = rows.slice(-REMEMBERED.requests).map((row): Recent => {
    const outcome = row.failed ? 'failed' : row.fellBack ? 'fell_back' : null;
    return [row.id, row.minute, row.inputTokens, row.outputTokens, outcome];
  });
  return [...before, ...fresh].slice(-REMEMBERED.requests);
}

/** A window of a scope, with what it is compared with. */
export interface Window {
  readonly state: WatchState;
  /** The minute that it ends with. */
  readonly minute: number;
  readonly windowMinutes: number;
  /** How many of the last requests are judged now; the last one alone unless stated. */
  readonly fresh?: number;
  /** Those of the four earlier weeks that had requests. */
  readonly weeks: readonly WeekHour[];
  /** The latest forecast of the scope, and what was spent since it began; in micro-rubles. */
  readonly forecast?: { readonly baseMicro: number; readonly spentMicro: number } | undefined;
}

const MICRO = 1_000_000;

/** What a type compares in a window; undefined where too little is known. */
export function comparedIn(type: AnomalyType, window: Window): Compared | undefined {
  switch (type) {
    case 'retry_loop':
      return { observed: repeatsIn(window), expected: 0, method: 'threshold' };
    case 'error_spike': {
      const [asked, failed] = [sumIn(window, 7), sumIn(window, 2)];
      return asked === 0
        ? undefined
        : { observed: failed / asked, expected: 0, method: 'threshold' };
    }
    case 'context_explosion':
      return explodedIn(window, 2)?.compared;
    case 'output_explosion':
      return explodedIn(window, 3)?.compared;
    case 'fallback_cost_spike':
      return fallbackIn(window);
    case 'spend_over_forecast':
      return (
        window.forecast && {
          observed: window.forecast.spentMicro / MICRO,
          expected: window.forecast.baseMicro / MICRO,
          method: 'forecast',
        }
      );
    case 'cost_spike':
      return ratesIn(window, 4, MICRO);
    case 'request_spike':
      return ratesIn(window, 1, 1);
  }
}

/**
 * How many requests the window has that a type looks at: of errors those that reached a provider.
 */
export function requestsIn(type: AnomalyType, window: Window): number {
  return sumIn(window, type === 'error_spike' ? 7 : 1);
}

/**
 * The last requests of the window that drove what a type sees in it: those that failed, those that
 * another model answered, the one that exploded, else all of them.
 */
export function driversIn(type: AnomalyType, window: Window): string[] {
  const { state, minute, windowMinutes } = window;
  const own = state.recent.filter(([, each]) => each > minute - windowMinutes);
  const part = EXPLODING[type];
  const exploded = part && explodedIn(window, part);
  const outcome = OUTCOMES[type];
  const drivers = outcome ? own.filter((each) => each[4] === outcome) : own;
  const named = exploded ? [exploded.request] : drivers.length > 0 ? drivers : own;
  return named.map(([id]) => id).slice(-DRIVERS_MAX);
}

/** The place of the tokens that a type compares request by request. */
const EXPLODING: Partial<Record<AnomalyType, 2 | 3>> = {
  context_explosion: 2,
  output_explosion: 3,
};

/** What became of the requests that a type is about. */
const OUTCOMES: Partial<Record<AnomalyType, 'failed' | 'fell_back'>> = {
  error_spike: 'failed',
  fallback_cost_spike: 'fell_back',
};

function sumIn({ state, minute, windowMinutes }: Window, part: 1 | 2 | 3 | 4 | 5 | 6 | 7): number {
  const own = state.minutes.filter(([each]) => each > minute - windowMinutes && each <= minute);
  return own.reduce((sum, each) => sum + (each[part] ?? each[1]), 0);
}

function repeatsIn(window: Window): number {
  const { state, minute, windowMinutes } = window;
  const counts = state.repeats
    .filter(([, , , last]) => last > minute - windowMinutes)
    .map(([, count]) => count - 1);
  return Math.max(0, ...counts) + sumIn(window, 3);
}

/** A request with what it is compared with. */
interface Exploded {
  readonly request: Recent;
  readonly compared: Compared;
}

/** That of the requests which are judged now that is furthest beyond those right before it. */
function explodedIn({ state, fresh = 1 }: Window, part: 2 | 3): Exploded | undefined {
  const { recent } = state;
  const first = Math.max(recent.length - fresh, TRAILING_MIN.requests);
  const found = recent.slice(first).map((request, index): Exploded => {
    const before = recent.slice(0, first + index).map((each) => each[part]);
    const compared = {
      observed: request[part],
      ...robust(before),
      method: 'trailing_window' as const,
    };
    return { request, compared };
  });
  const beyond = ({ compared: { observed, expected } }: Exploded) =>
    observed / Math.max(expected, 1);
  return found.reduce<Exploded | undefined>(
    (most, each) => (most && beyond(most) >= beyond(each) ? most : each),
    undefined,
  );
}

function fallbackIn(window: Window): Compared | undefined {
  const whole = { ...window, windowMinutes: REMEMBERED.minutes };
  const [fallbacks, others] = [sumIn(window, 5), sumIn(whole, 1) - sumIn(whole, 5)];
  if (fallbacks === 0 || others < TRAILING_MIN.requests) return undefined;
  const observed = sumIn(window, 6) / fallbacks / MICRO;
  const expected = (sumIn(whole, 4) - sumIn(whole, 6)) / others / MICRO;
  return { observed, expected, method: 'trailing_window' };
}

/** The window against the same hour of earlier weeks, else against the windows right before. */
function ratesIn(window: Window, part: 1 | 4, unit: number): Compared | undefined {
  const { state, minute, windowMinutes, weeks } = window;
  const observed = sumIn(window, part) / unit;
  if (weeks.length >= WEEKS.needed) {
    const share = windowMinutes / REMEMBERED.minutes;
    const hours = weeks.map(([requests, micro]) => (part === 1 ? requests : micro) * share);
    return { observed, ...robust(hours.map((each) => each / unit)), method: 'same_hour' };
  }
  const first = Math.max(state.since, minute - REMEMBERED.minutes + 1);
  const count = Math.floor((minute - first + 1) / windowMinutes) - 1;
  if (count < TRAILING_MIN.windows) return undefined;
  const before = Array.from({ length: count }, (_, index) =>
    sumIn({ ...window, minute: minute - (index + 1) * windowMinutes }, part),
  );
  return { observed, ...robust(before.map((each) => each / unit)), method: 'trailing_window' };
}
