import type { Probe } from './probe.js';

/** Nothing that a client sends may keep others waiting for longer. */
export const BLOCKED_MS_MAX = 200;
/** A machine that others use may be late by itself: a bomb is guilty when it is each time. */
const TRIES = 4;

/** The longest that `/livez` waited while a bomb was answered, over the best of a few tries. */
export async function blockedBy(
  beside: Probe,
  send: () => Promise<string>,
): Promise<{ readonly ms: number; readonly answer: string }> {
  let best = { ms: Number.POSITIVE_INFINITY, answer: '' };
  for (let tries = 0; tries < TRIES && best.ms > BLOCKED_MS_MAX; tries += 1) {
    beside.worstMs();
    const answer = await send();
    const ms = beside.worstMs();
    if (ms < best.ms) best = { ms, answer };
  }
  return best;
}
