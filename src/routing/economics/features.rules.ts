import type { EffectivePolicy } from '../../access/policies/rules.js';
import type { Capability } from '../../catalog/providers/vocabulary.js';
import { openRoutes } from '../data-routes.rules.js';
import type { Features } from '../decision/tables.js';
import type { RouteQuestion } from './tables.js';

/** What the policies of a project leave to a router. */
export type RoutingLimits = Pick<EffectivePolicy, 'allowedModels' | 'hybrid' | 'limits'>;

/**
 * What a router reads of a stated request. As on the chat path, the policies of the project add
 * their allow-list, their ceiling of the answer and the data routes that are open to its class.
 */
export function featuresOf(question: RouteQuestion, policy: RoutingLimits): Features {
  const { operation, inputTokens, outputTokensMax, dataClass } = question;
  const { images, imagesLow, inputs, turns, choices } = question;
  const cap = operation === 'chat' ? policy.limits.maxOutputTokens : undefined;
  return {
    operation,
    needs: needsOf(question),
    textTokens: inputTokens,
    images,
    imagesLow,
    inputs,
    turns,
    outputTokensMax: cap === undefined ? outputTokensMax : Math.min(cap, outputTokensMax ?? cap),
    choices,
    dataClass,
    jurisdictionsAllowed: openRoutes(policy, dataClass),
    modelsAllowed: policy.allowedModels ? [...policy.allowedModels] : null,
  };
}

/** What is stated, and what the rest of the request needs in any case. */
function needsOf({ needs, operation, images, imagesLow }: RouteQuestion): Capability[] {
  const implied: Capability[] = [
    ...(operation === 'embeddings' ? (['embeddings'] as const) : []),
    ...(images + imagesLow > 0 ? (['vision'] as const) : []),
  ];
  return [...new Set([...needs, ...implied])];
}
