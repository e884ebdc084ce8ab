import type { LeadEvent } from './vocabulary.js';

const DAY_MS = 86_400_000;

/** What a rule needs, and within how many days. */
export interface SignalNeeds {
  readonly needs: readonly { readonly event: LeadEvent; readonly count: number }[];
  readonly withinDays: number;
}

/** An event that a rule looks at. */
export interface SignalEvent {
  readonly id: string;
  readonly type: LeadEvent;
  readonly atMs: number;
}

/** Events that together meet a rule: in the order of time, the last one completed it. */
export type Evidence = readonly SignalEvent[];

/**
 * What meets a rule among events that no signal of the rule has used. It walks along time; at the
 * first event with which all that the rule needs lies within its days, the latest of each kind are
 * taken, and none of them is looked at again. So every event serves a rule once, and walking on
 * what is left finds nothing.
 */
export function evidenceFor(
  { needs, withinDays }: SignalNeeds,
  events: readonly SignalEvent[],
): readonly Evidence[] {
  const wanted = new Set<string>(needs.map(({ event }) => event));
  const found: Evidence[] = [];
  let waiting: SignalEvent[] = [];
  for (const event of inOrder(events)) {
    if (!wanted.has(event.type)) continue;
    const since = event.atMs - withinDays * DAY_MS;
    waiting = [...waiting.filter(({ atMs }) => atMs >= since), event];
    const taken = takenOf(needs, waiting);
    if (!taken) continue;
    found.push(inOrder(taken));
    const ids = new Set(taken.map(({ id }) => id));
    waiting = waiting.filter(({ id }) => !ids.has(id));
  }
  return found;
}

/** The latest events of each kind that is needed; undefined where some are missing. */
function takenOf(
  needs: SignalNeeds['needs'],
  waiting: readonly SignalEvent[],
): SignalEvent[] | undefined {
  const taken = needs.map(({ event, count }) =>
    waiting.filter(({ type }) => type === event).slice(-count),
  );
  const isWhole = needs.every(({ count }, at) => taken[at]?.length === count);
  return isWhole ? taken.flat() : undefined;
}

function inOrder(events: readonly SignalEvent[]): SignalEvent[] {
  return [...events].sort((one, other) => one.atMs - other.atMs || (one.id < other.id ? -1 : 1));
}
