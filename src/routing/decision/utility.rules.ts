import { type Judged, reckonedQuality } from './gates.rules.js';
import type { Terms } from './tables.js';
import { BASIS_POINTS, ROUTING_MODES } from './vocabulary.js';

/**
 * Gives each candidate its utility, in basis points rounded down, and puts the best first. It is
 * the weighted mean of quality, of the lowest cost divided by this cost, and of the lowest latency
 * divided by this latency. Cost is at the list price of the provider: what an organization pays by
 * its terms, and what anybody earns, is no part of it.
 */
export function orderByUtility(passing: Judged[], terms: Terms): void {
  const weights = ROUTING_MODES.find(terms.mode)?.weights ?? { quality: 100, cost: 0, latency: 0 };
  let costLeast = Number.POSITIVE_INFINITY;
  let latencyLeast = Number.POSITIVE_INFINITY;
  for (const { costMicro, model } of passing) {
    if (costMicro < costLeast) costLeast = costMicro;
    if (model.latencyMs < latencyLeast) latencyLeast = model.latencyMs;
  }
  for (const one of passing) {
    const { costMicro, model } = one;
    const cheapness = share(costLeast, costMicro);
    const speed = share(latencyLeast, model.latencyMs);
    const sum =
      weights.quality * reckonedQuality(model, terms) +
      weights.cost * cheapness +
      weights.latency * speed;
    one.utility = Math.floor(sum / 100);
  }
  passing.sort((left, right) => before(left, right, terms));
}

/** Equal utilities are told apart by cost, then by quality, then by name. */
function before(left: Judged, right: Judged, terms: Terms): number {
  return (
    right.utility - left.utility ||
    left.costMicro - right.costMicro ||
    reckonedQuality(right.model, terms) - reckonedQuality(left.model, terms) ||
    (left.model.model < right.model.model ? -1 : 1)
  );
}

/**
 * The least of a figure as a share of this one, rounded down; nothing is better than what costs
 * nothing. Divided last, since a rounded quotient that is multiplied can fall below the exact one.
 */
function share(least: number, own: number): number {
  return own === 0 ? BASIS_POINTS : Math.floor((least * BASIS_POINTS) / own);
}

/** The same candidates by quality alone, the best first: no price and no margin changes it. */
export function orderByQuality(passing: readonly Judged[], terms: Terms): Judged[] {
  return [...passing].sort(
    (left, right) =>
      reckonedQuality(right.model, terms) - reckonedQuality(left.model, terms) ||
      (left.model.model < right.model.model ? -1 : 1),
  );
}
