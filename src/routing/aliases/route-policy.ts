import type { TenantScope } from '../../records/scope.js';
import { ROUTE_POLICIES } from '../economics/records.js';

/** Whether the organization has a route policy with this key, so that an alias may name it. */
export async function routePolicyIsKnown(scope: TenantScope, policyKey: string): Promise<boolean> {
  return policyKey !== '' && (await ROUTE_POLICIES.latest(scope, policyKey)) !== undefined;
}
