/**
 * What is refused first, the last row first: a request of a class is taken while less than this
 * share of all room is in use, so that those above it always find some.
 */
export const REQUEST_CLASSES = [
  { name: 'sign_in', share: 1, about: 'signing in, deciding what waits for a person, revoking' },
  { name: 'chat', share: 0.9, about: 'chat, embeddings and models by REST' },
  { name: 'general', share: 0.8, about: 'everything else, and GraphQL' },
  { name: 'reports', share: 0.5, about: 'sums over usage, exports and tables' },
] as const;

/** How much a request matters when not all can be taken. */
export type RequestClass = (typeof REQUEST_CLASSES)[number]['name'];

const SHARES = Object.fromEntries(
  REQUEST_CLASSES.map(({ name, share }) => [name, share]),
) as Readonly<Record<RequestClass, number>>;

/** The room of a class, in requests; at least one. */
export function roomOf(requestClass: RequestClass, all: number): number {
  return Math.max(1, Math.floor(all * SHARES[requestClass]));
}

/** What is in use of some room, as one caller finds it. */
export interface Use {
  /** The requests of all callers. */
  readonly total: number;
  /** Those of this caller. */
  readonly own: number;
  /** How many callers have requests there, this one included. */
  readonly callers: number;
}

/** From this part of its room on, a class is shared out and not first come, first served. */
const SHARED_FROM = 0.9;
/** A caller that has nothing there gets a first place up to so many times the room. */
const FIRST_UP_TO = 1.5;

/**
 * Whether one more request of a caller finds room. Where room is short a caller gets no more than
 * an equal part of it, with one part kept for whoever comes next; and room that has just become
 * less, and is full of others, still has a first place for each.
 */
export function hasRoom({ total, own, callers }: Use, room: number): boolean {
  if (total < room * SHARED_FROM) return true;
  if (own === 0) return total < room * FIRST_UP_TO;
  return total < room && own < Math.max(1, room / (callers + 1));
}

/** Between what a limit moves. */
export interface LimitBounds {
  readonly min: number;
  readonly max: number;
}

/** What was seen since the last look. */
export interface Look {
  /** The delay that stood all the time, as a multiple of the one that is aimed at. */
  readonly pressure: number;
  /** The most requests that were worked on. */
  readonly peak: number;
}

/** Part of the limit that is taken back for each multiple of the aim that the delay is over it. */
const DECREASE = 0.2;
/** No single look takes more than this. */
const FACTOR_MIN = 0.7;

/**
 * How many requests may be worked on until the next look. Over the aim it is cut in proportion to
 * the excess, from what was in use; below, it grows by the square root of itself. The law is that
 * of Breakwater (Cho et al., "Overload Control for µs-Scale RPCs with Breakwater", OSDI 2020), its
 * step the headroom of Netflix's concurrency-limits; the delay is the smallest of an interval, as
 * in CoDel (Nichols and Jacobson, "Controlling Queue Delay", ACM Queue 2012), so that one slow turn
 * of the event loop is no overload.
 */
export function nextLimit(limit: number, look: Look, { min, max }: LimitBounds): number {
  const { pressure, peak } = look;
  if (pressure <= 1) return Math.min(max, limit + Math.ceil(Math.sqrt(limit)));
  const factor = Math.max(FACTOR_MIN, 1 - DECREASE * (pressure - 1));
  return Math.max(min, Math.floor(Math.min(limit, Math.max(peak, min)) * factor));
}
