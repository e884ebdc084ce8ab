/** After this time what an owner has used of a thread counts half. Milliseconds. */
export const USED_HALF_LIFE_MS = 60_000;

/** The time of a thread that an owner has used, as it counted at a moment. */
export interface UsedTime {
  readonly ms: number;
  readonly atMs: number;
}

/** An owner with work that waits. */
export interface WaitingOwner {
  readonly owner: string;
  /** The place of its oldest work in the order of arrival. */
  readonly arrival: number;
  readonly used: UsedTime | undefined;
}

/** What counts of a used time at a later moment: half of it after each half-life. Milliseconds. */
export function countedMs({ ms, atMs }: UsedTime, nowMs: number): number {
  return ms * 2 ** (-Math.max(0, nowMs - atMs) / USED_HALF_LIFE_MS);
}

/** The used time of an owner whose work has just taken so long. */
export function withWork(used: UsedTime | undefined, tookMs: number, nowMs: number): UsedTime {
  const before = used ? countedMs(used, nowMs) : 0;
  return { ms: before + Math.max(0, tookMs), atMs: nowMs };
}

/** Whether less than a millisecond of a used time still counts, which is as good as none. */
export function isForgotten(used: UsedTime, nowMs: number): boolean {
  return countedMs(used, nowMs) < 1;
}

/**
 * The owner whose work is next: the one that has used the least time lately, in whole milliseconds;
 * among equal ones the one whose work has waited longest. As used time falls to nothing, whoever
 * waits comes before all that arrive later, however many and however light they are.
 * @returns undefined where nobody waits
 */
export function nextOwner(waiting: Iterable<WaitingOwner>, nowMs: number): string | undefined {
  let first: WaitingOwner | undefined;
  let leastMs = 0;
  for (const each of waiting) {
    const usedMs = each.used ? Math.floor(countedMs(each.used, nowMs)) : 0;
    const isBefore = !first || usedMs < leastMs;
    const isOlder = usedMs === leastMs && first !== undefined && each.arrival < first.arrival;
    if (!isBefore && !isOlder) continue;
    first = each;
    leastMs = usedMs;
  }
  return first?.owner;
}
