import type { Deployment } from '../catalog/providers/model.js';
import { priceOn, upperEstimate } from '../catalog/providers/price.js';
import type { MicroRub } from '../kernel/money.js';
import type { HoldOutcome } from '../money/ledger/ledger.js';
import { affordableTokens, type LoweredLimit, leastTokens } from './affordable.rules.js';
import type { InferenceRequest } from './request.js';
import type { ChosenRoute } from './stages/route.js';
import { tokenBounds } from './upstream/tokens.js';

const UNAFFORDABLE = ['insufficient', 'budget_exhausted', 'budget_reserved'] as const;

/** A hold that funds or a budget refused. */
export type Unaffordable = Extract<HoldOutcome, { readonly status: (typeof UNAFFORDABLE)[number] }>;

/** True when less output could make the hold fit. */
export function isUnaffordable(outcome: HoldOutcome): outcome is Unaffordable {
  return (UNAFFORDABLE as readonly string[]).includes(outcome.status);
}

/**
 * The same route with the output limit that is still paid for. A fallback that is too dear even
 * for the least useful answer leaves the chain; the chosen model does not.
 * @returns undefined when the chosen model is too dear, or a lower limit would change nothing
 */
export function lowerLimit(
  request: InferenceRequest,
  route: ChosenRoute,
  refused: Unaffordable,
): ChosenRoute | undefined {
  const [first] = route.chain;
  if (request.operation !== 'chat' || !first) return undefined;
  const freeMicro = freeOf(refused);
  const affords = (deployment: Deployment) =>
    affordableTokens({
      askedTokens: askedTokens(request, deployment, route),
      freeMicro,
      estimate: (tokens) => estimateFor(request, deployment, route, tokens),
    });
  const chain = route.chain.filter((deployment) => affords(deployment) !== undefined);
  if (chain[0] !== first) return undefined;
  const tokens = Math.min(...chain.map((deployment) => affords(deployment) ?? 0));
  const estimateMicro = highest(chain.map((each) => estimateFor(request, each, route, tokens)));
  if (estimateMicro >= route.estimateMicro) return undefined;
  const lowered: LoweredLimit = {
    tokens,
    askedTokens: route.lowered?.askedTokens ?? askedTokens(request, first, route),
    by: refused.status === 'insufficient' ? 'balance' : 'budget',
    budget: refused.status === 'insufficient' ? undefined : refused.budget.name,
  };
  return { ...route, chain, estimateMicro, outputTokensCap: tokens, lowered };
}

/** What the least useful answer of the chosen model can cost: what a refusal asks for. */
export function leastEstimate(request: InferenceRequest, route: ChosenRoute): MicroRub {
  const [first] = route.chain;
  if (request.operation !== 'chat' || !first) return route.estimateMicro;
  const least = leastTokens(askedTokens(request, first, route));
  return estimateFor(request, first, route, least);
}

/** What the least useful answer of the cheapest deployment can cost: whatever answers, not less. */
export function lowestEstimate(request: InferenceRequest, route: ChosenRoute): MicroRub {
  const estimates = route.chain.map((each) => {
    const least = leastTokens(askedTokens(request, each, route));
    return estimateFor(request, each, route, least);
  });
  return estimates.reduce((lowest, each) => (each < lowest ? each : lowest), route.estimateMicro);
}

function freeOf(refused: Unaffordable): MicroRub {
  if (refused.status === 'insufficient') return positive(refused.availableMicro);
  const { capMicro, spentMicro, heldMicro } = refused.budget;
  return positive(capMicro - spentMicro - heldMicro);
}

function positive(micro: MicroRub): MicroRub {
  return micro > 0n ? micro : 0n;
}

/** Answer tokens of one choice that the request allows with a deployment. */
function askedTokens(request: InferenceRequest, deployment: Deployment, route: ChosenRoute) {
  const { outputTokensMax } = tokenBounds(request, deployment, route.outputTokensCap);
  return Math.floor(outputTokensMax / request.choices);
}

function estimateFor(
  request: InferenceRequest,
  deployment: Deployment,
  route: ChosenRoute,
  tokens: number,
): MicroRub {
  const { inputTokensMax, outputTokensMax } = tokenBounds(request, deployment, tokens);
  const price = priceOn(deployment.prices, route.day);
  const estimate = price && upperEstimate(inputTokensMax, outputTokensMax, price);
  if (estimate === undefined) throw new Error(`${deployment.key} has no price for the request`);
  return estimate;
}

function highest(estimates: readonly MicroRub[]): MicroRub {
  return estimates.reduce((most, each) => (each > most ? each : most), 0n);
}
