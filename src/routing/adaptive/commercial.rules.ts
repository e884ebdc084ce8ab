import { type DecisionInputs, decideRoute } from '../decision/decide.rules.js';
import { orderByQuality } from '../decision/utility.rules.js';
import type { CommercialInfluence } from './vocabulary.js';

/**
 * Looks whether what a request earns has moved anything: the decision is made again without revenue
 * and margin, and every utility and the order by quality must be the same.
 */
export function commercialInfluence(inputs: DecisionInputs): CommercialInfluence {
  const { situation } = inputs;
  const terms = { ...situation.terms, revenueMicro: null, marginBasisPointsMin: null };
  const without = { ...inputs, situation: { ...situation, terms } };
  return weighed(inputs) === weighed(without) ? 'none' : 'found';
}

function weighed(inputs: DecisionInputs): string {
  const { candidates } = decideRoute(inputs);
  const ranked = orderByQuality(
    candidates.filter(({ utility }) => utility >= 0),
    inputs.situation,
  );
  const utilities = candidates.map(({ model, utility }) => [model.model, utility]);
  return JSON.stringify([utilities, ranked.map(({ model }) => model.model)]);
}
