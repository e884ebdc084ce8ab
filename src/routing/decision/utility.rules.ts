import type { Judged } from './gates.rules.js';
import type { Situation, Terms } from './tables.js';
import { BASIS_POINTS, ROUTING_MODES } from './vocabulary.js';

/**
 * Gives each candidate its utility, in basis points rounded down. It is the weighted mean of
 * quality, of the lowest cost divided by this cost, and of the lowest latency divided by this
 * latency. Cost is at the list price of the provider: what an organization pays by its terms, and
 * what anybody earns, is no part of it.
 */
export function weigh(passing: readonly Judged[], { mode }: Terms): void {
  const weights = ROUTING_MODES.find(mode)?.weights ?? { quality: 100, cost: 0, latency: 0 };
  let costLeast = Number.POSITIVE_INFINITY;
  let latencyLeast = Number.POSITIVE_INFINITY;
  for (const { costMicro, model } of passing) {
    if (costMicro < costLeast) costLeast = costMicro;
    if (model.latencyMs < latencyLeast) latencyLeast = model.latencyMs;
  }
  for (const one of passing) {
    const cheapness = share(costLeast, one.costMicro);
    const speed = share(latencyLeast, one.model.latencyMs);
    const sum = weights.quality * one.quality + weights.cost * cheapness + weights.latency * speed;
    one.utility = Math.floor(sum / 100);
  }
}

/** The candidate of the highest utility, found without sorting the others. */
export function bestOf(weighed: readonly Judged[], situation: Situation): Judged | undefined {
  return firstOf(weighed, byUtilityIn(situation));
}

/** The candidate of the best quality, whatever it costs. */
export function bestByQuality(judged: readonly Judged[], situation: Situation): Judged | undefined {
  return firstOf(judged, byQualityIn(situation));
}

function firstOf(judged: readonly Judged[], order: Order): Judged | undefined {
  let first = judged[0];
  for (const one of judged) if (first && order(one, first) < 0) first = one;
  return first;
}

/** Orders candidates, the better one first. */
type Order = (left: Judged, right: Judged) => number;

/**
 * Orders by utility. Ties are broken by jurisdiction (Russia first), cost, quality and name;
 * situations sealed before jurisdiction counted break them without it, so that they decide the
 * same again.
 */
export function byUtilityIn({ ties }: Situation): Order {
  return ties === null ? byUtilityFormerly : byUtility;
}

function byQualityIn({ ties, terms }: Situation): Order {
  if (ties === null) return byQualityFormerly;
  return terms.whenUnmeasured === null ? byQuality : byProvenQuality;
}

/**
 * Where equal qualities are reckoned with, as those that nothing proves, the expected one decides.
 */
function byProvenQuality(left: Judged, right: Judged): number {
  return (
    right.quality - left.quality ||
    byJurisdiction(left, right) ||
    right.model.qualityBasisPoints - left.model.qualityBasisPoints ||
    byQualityFormerly(left, right)
  );
}

function byUtility(left: Judged, right: Judged): number {
  return (
    right.utility - left.utility ||
    byJurisdiction(left, right) ||
    left.costMicro - right.costMicro ||
    byQualityFormerly(left, right)
  );
}

function byUtilityFormerly(left: Judged, right: Judged): number {
  return (
    right.utility - left.utility ||
    left.costMicro - right.costMicro ||
    byQualityFormerly(left, right)
  );
}

function byQuality(left: Judged, right: Judged): number {
  return (
    right.quality - left.quality || byJurisdiction(left, right) || byQualityFormerly(left, right)
  );
}

function byQualityFormerly(left: Judged, right: Judged): number {
  if (left === right) return 0;
  return right.quality - left.quality || (left.model.model < right.model.model ? -1 : 1);
}

function byJurisdiction(left: Judged, right: Judged): number {
  return Number(answersInRussia(right)) - Number(answersInRussia(left));
}

/** Whether the deployment that a candidate was judged by processes data in Russia. */
export function answersInRussia({ deployment }: Judged): boolean {
  return deployment?.jurisdiction === 'rf';
}

/**
 * The least of a figure as a share of this one, rounded down; nothing is better than what costs
 * nothing. Divided last, since a rounded quotient that is multiplied can fall below the exact one.
 */
function share(least: number, own: number): number {
  return own === 0 ? BASIS_POINTS : Math.floor((least * BASIS_POINTS) / own);
}

/** The same candidates by quality alone, the best first: no price and no margin changes it. */
export function orderByQuality(passing: readonly Judged[], situation: Situation): Judged[] {
  return [...passing].sort(byQualityIn(situation));
}
