import type { Features } from '../routing/decision/tables.js';
import type { LadderLimits } from './ladder.rules.js';
import type { InferenceRequest } from './request.js';
import type { Admission } from './stages/admit.js';
import type { Inspected } from './stages/firewall-in.js';
import { tokensWithoutImages } from './upstream/tokens.js';
import { outputCapOf } from './workload/contract.js';
import { effortInForce } from './workload/effort.rules.js';

/** Efforts that ask a model to reason. */
const REASONING_EFFORTS: readonly unknown[] = ['medium', 'high', 'xhigh'];

/**
 * What a router reads of a request: nothing of its text.
 * @param limits what the ladders of budgets take from the router
 */
export function featuresOf(
  request: InferenceRequest,
  { policy }: Admission,
  { dataClass, jurisdictionsAllowed }: Inspected,
  limits: LadderLimits,
): Features {
  const { operation, size, needs, body, outputTokensMax, choices } = request;
  const cap = outputCapOf(request, policy);
  const effortMax = request.workload?.terms.reasoningEffortMax;
  const effort = effortMax ? effortInForce(body, effortMax, false).effort : body.reasoning_effort;
  const reasons = REASONING_EFFORTS.includes(effort);
  return {
    operation,
    needs: reasons ? [...needs, 'reasoning'] : needs,
    textTokens: tokensWithoutImages(size),
    windowTokens: size.windowTokens ?? null,
    images: size.images,
    imagesLow: size.imagesLow,
    inputs: size.inputs,
    turns: Array.isArray(body.messages) ? body.messages.length : 0,
    outputTokensMax: outputLimit(request.operation, outputTokensMax, cap),
    choices,
    dataClass,
    jurisdictionsAllowed,
    modelsAllowed: policy.allowedModels ? [...policy.allowedModels] : null,
    modelsBarred: limits.modelsBarred,
    explores: limits.explores,
  };
}

/** Embeddings have no answer to limit; else the lower one of what the client and the policy say. */
function outputLimit(
  operation: InferenceRequest['operation'],
  asked: number | undefined,
  cap: number | undefined,
): number | null {
  if (operation === 'embeddings') return 0;
  if (asked === undefined) return cap ?? null;
  return cap === undefined ? asked : Math.min(asked, cap);
}
