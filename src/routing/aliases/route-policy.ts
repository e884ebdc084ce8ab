import { latestContract } from '../../records/contracts.js';
import type { TenantScope } from '../../records/scope.js';

/** The kind of contract that route policies are. */
const ROUTE_POLICY_KIND = 'route_policy';

/** Whether the organization has a route policy with this key, so that an alias may name it. */
export async function routePolicyIsKnown(scope: TenantScope, policyKey: string): Promise<boolean> {
  const name = { kind: ROUTE_POLICY_KIND, key: policyKey };
  return policyKey !== '' && (await latestContract(scope, name)) !== null;
}
