import type { MicroRub } from '../kernel/money.js';

/** Below this many answer tokens an answer is of no use, unless the caller asks for fewer. */
const USEFUL_TOKENS_MIN = 256;

/** A limit on answer tokens that funds or a budget made lower than the request allows. */
export interface LoweredLimit {
  /** What the provider is asked for at most, for each choice. */
  readonly tokens: number;
  readonly askedTokens: number;
  readonly by: 'balance' | 'budget';
  /** The name of the budget. */
  readonly budget: string | undefined;
}

/** What there is to spend, and what an answer of so many tokens can cost. */
export interface Affordability {
  /** Answer tokens that the request allows. */
  readonly askedTokens: number;
  /** What is neither spent nor held. */
  readonly freeMicro: MicroRub;
  /** The upper estimate for a limit of answer tokens; it never falls as the limit grows. */
  readonly estimate: (tokens: number) => MicroRub;
}

/**
 * The limit that the free funds pay for. A request takes at most half of what is free, so that
 * others pass too, but always as much as the least useful answer costs.
 * @returns undefined when not even that is covered
 */
export function affordableTokens(given: Affordability): number | undefined {
  const { askedTokens, freeMicro, estimate } = given;
  const least = leastTokens(askedTokens);
  if (estimate(least) > freeMicro) return undefined;
  const allowance = freeMicro / 2n;
  let low = least;
  let high = askedTokens;
  while (low < high) {
    const middle = low + Math.ceil((high - low) / 2);
    if (estimate(middle) <= allowance) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The fewest answer tokens that make sense: what was asked, at most 256. */
export function leastTokens(askedTokens: number): number {
  return Math.min(USEFUL_TOKENS_MIN, askedTokens);
}
