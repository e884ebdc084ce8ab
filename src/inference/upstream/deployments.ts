import { requireOperator } from '../../catalog/fleet/service.js';
import type { Deployment } from '../../catalog/providers/model.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { fail } from '../../kernel/errors/fail.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { change } from '../../records/change.js';
import type { LimitUse } from './gate.js';
import { probeCall } from './probe.js';
import type { DEPLOYMENT, OPERATOR_VIEW, PROBE } from './tables.js';
import type { DeploymentHealth } from './upstream.js';

type Shown = ValuesOf<typeof DEPLOYMENT.fields>;

/** How the deployments stand on this node; addresses and reasons are for operators. */
export async function listDeployments(ctx: AuthorizedCtx): Promise<Shown[]> {
  const { registry, upstream } = ctx.services;
  const used = await upstream.limitUse();
  const healthOf = new Map(upstream.health().map((health) => [health.deployment, health]));
  return [...registry.deploymentsByKey.values()].flatMap((deployment) => {
    const health = healthOf.get(deployment.key);
    return health ? [shown(ctx, deployment, health, used.get(deployment.key) ?? {})] : [];
  });
}

function shown(
  { who, services }: AuthorizedCtx,
  deployment: Deployment,
  health: DeploymentHealth,
  used: LimitUse,
): Shown {
  const { key, providerId, id, jurisdiction, simulated, selection, weight, limits } = deployment;
  const traffic = services.upstream.trafficOf(deployment);
  return {
    key,
    provider: providerId,
    model: id,
    jurisdiction,
    simulated,
    breaker: health.state,
    aside: health.aside,
    override: deployment.health.override,
    selection,
    weight,
    ...traffic,
    requests: useOf(limits?.requestsPerMinute, used.requests),
    tokens: useOf(limits?.tokensPerMinute, used.tokens),
    concurrent: useOf(limits?.concurrentRequests, traffic.inFlight),
    operatorView: who.platformAdmin ? operatorView(deployment, health) : null,
  };
}

function useOf(limit: number | undefined, used = 0) {
  return limit === undefined ? null : { limit, used };
}

function operatorView(
  { origin, upstreamName, health: { reason } }: Deployment,
  { calls, failures }: DeploymentHealth,
): ValuesOf<typeof OPERATOR_VIEW.fields> {
  return { origin, upstreamName, reason, calls, failures };
}

/**
 * Asks a deployment for the smallest answer there is. That it is asked is recorded before.
 * @throws platform_admin_required, not_found
 */
export async function probe(
  ctx: AuthorizedCtx,
  key: string,
  stream: boolean,
): Promise<ValuesOf<typeof PROBE.fields>> {
  requireOperator(ctx);
  const { registry, upstream } = ctx.services;
  const deployment = registry.deploymentsByKey.get(key);
  if (!deployment) {
    return fail('not_found', { values: { subject: 'deployment', id: key }, param: 'key' });
  }
  await change(ctx, { action: 'deploymentProbe', subject: 'Deployment' }, async () => ({
    result: undefined,
    id: key,
    after: { key, stream },
  }));
  const result = await upstream.probe(deployment, probeCall(deployment, stream, ctx.signal));
  return { key, simulated: deployment.simulated, ...result };
}
