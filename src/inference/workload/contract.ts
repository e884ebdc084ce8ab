import type { EffectivePolicy } from '../../access/policies/rules.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import type { WorkloadInForce } from '../../routing/workloads/contract-cache.js';
import type { InferenceRequest } from '../request.js';

/** The contract of requests that name no workload. */
const DEFAULT_WORKLOAD = 'default';

/**
 * The request with the contract of its workload, which `metadata.workload` names; the same object
 * where none is in force, which most requests find out by one look-up in memory.
 */
export function underContract(
  { services, who }: AuthorizedCtx,
  request: InferenceRequest,
): InferenceRequest | Promise<InferenceRequest> {
  if (request.operation !== 'chat') return request;
  const inForce = services.workloads.forTenant(who.tenantId);
  const under = (workloads: ReadonlyMap<string, WorkloadInForce>): InferenceRequest => {
    if (workloads.size === 0) return request;
    const named = request.metadata.rest.workload;
    const workload = workloads.get(typeof named === 'string' ? named : DEFAULT_WORKLOAD);
    return workload ? { ...request, workload } : request;
  };
  return inForce instanceof Promise ? inForce.then(under) : under(inForce);
}

/** The most answer tokens of one choice that policy and contract allow; undefined without both. */
export function outputCapOf(
  { workload }: Pick<InferenceRequest, 'workload'>,
  { limits }: Pick<EffectivePolicy, 'limits'>,
): number | undefined {
  return lower(limits.maxOutputTokens, workload?.terms.outputTokensMax);
}

/** The lower one of two limits of which either may be missing. */
export function lower(
  one: number | null | undefined,
  other: number | null | undefined,
): number | undefined {
  if (one == null) return other ?? undefined;
  return other == null ? one : Math.min(one, other);
}
