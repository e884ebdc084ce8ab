import type { Deployment, Model, Registry } from '../../catalog/providers/model.js';
import { type PriceRow, priceOn, upperEstimate } from '../../catalog/providers/price.js';
import type { Operation } from '../../catalog/providers/vocabulary.js';
import { estimateOf } from '../decision/estimate.rules.js';
import type { RouteDeployment, RouteModel } from '../decision/tables.js';
import type { OutcomesOfTenant } from './outcome-memory.js';
import type { RoutingState } from './state.js';
import { DEFAULT_USE } from './terms.js';
import type { UsageOfTenant } from './usage-memory.js';

/** What the models of a situation are made from. */
export interface ModelsQuestion {
  readonly registry: Registry;
  readonly state: RoutingState;
  readonly outcomes: OutcomesOfTenant;
  readonly usage: UsageOfTenant;
  readonly operation: Operation;
  readonly useCase: string;
  /** The day whose prices hold, `YYYY-MM-DD`. */
  readonly day: string;
  readonly healthy: (deployment: Deployment) => boolean;
}

/** Every model of an operation that can be called, with what is estimated of it for a use case. */
export function routeModels(question: ModelsQuestion): RouteModel[] {
  const { registry, state, outcomes, usage, operation, useCase } = question;
  const scorecards = state.scorecards.get(useCase);
  const common = state.scorecards.get(DEFAULT_USE);
  const counts = outcomes.get(useCase);
  return [...registry.models.values()]
    .filter((model) => model.operation === operation)
    .map((model: Model) => {
      const card = scorecards?.get(model.id) ?? common?.get(model.id);
      return {
        model: model.id,
        operation,
        isSimulated: model.simulated,
        ...estimateOf(model, card, counts?.get(model.id), usage.get(model.id)),
        deployments: model.deployments.map((each) => routeDeployment(each, question)),
      };
    });
}

function routeDeployment(
  deployment: Deployment,
  { day, healthy }: ModelsQuestion,
): RouteDeployment {
  const price = usable(deployment, priceOn(deployment.prices, day));
  return {
    deployment: deployment.key,
    provider: deployment.providerId,
    jurisdiction: deployment.jurisdiction,
    capabilities: deployment.capabilities,
    contextWindow: deployment.contextWindow,
    maxOutputTokens: deployment.maxOutputTokens,
    imageTokensMax: deployment.imageTokensMax,
    imageTokensLowMax: deployment.imageTokensLowMax,
    priceFrom: price?.effectiveFrom ?? null,
    inputMicroPerMillion: price?.microRubPerMillion.input_uncached ?? null,
    outputMicroPerMillion: price?.microRubPerMillion.output_text ?? null,
    isHealthy: healthy(deployment),
  };
}

/** A price that lacks a part which the request may use is none. */
function usable({ operation }: Deployment, price: PriceRow | undefined): PriceRow | undefined {
  const answers = operation === 'chat' ? 1 : 0;
  return price && upperEstimate(1, answers, price) !== undefined ? price : undefined;
}
