import type { EffectivePolicy } from '../../access/policies/rules.js';
import { openRoutes } from '../data-routes.rules.js';
import type { Features } from '../decision/tables.js';
import type { StatedRequest } from './tables.js';

/** What a router reads of a stated request, less what the caller's policy closes. */
export function featuresUnder(policy: EffectivePolicy, asked: StatedRequest): Features {
  const { allowedModels } = policy;
  return {
    ...featuresOf(asked),
    jurisdictionsAllowed: openRoutes(policy, asked.dataClass),
    modelsAllowed: allowedModels ? [...allowedModels].sort() : null,
  };
}

/** The same where nothing but the request is stated. */
export function featuresOf(
  asked: StatedRequest,
): Omit<Features, 'jurisdictionsAllowed' | 'modelsAllowed'> {
  const { operation, needs, inputTokens, images, imagesLow, inputs, turns } = asked;
  const { outputTokensMax, choices, dataClass } = asked;
  return {
    operation,
    needs,
    textTokens: inputTokens,
    images,
    imagesLow,
    inputs,
    turns,
    outputTokensMax,
    choices,
    dataClass,
  };
}
