import type { Deployment, Registry } from '../../catalog/providers/model.js';
import type { Config } from '../../platform/config.js';
import type { UpstreamAnswer, UpstreamCall } from './call.js';
import { type ChainTools, callUpstream } from './chain.js';
import { RetryBudget } from './retry.js';
import { SandboxCarrier } from './sandbox.js';
import { type DiscreditReason, Standing, type StandingFigures } from './standing.js';
import { type EgressRecord, HttpCarrier } from './transport.js';

/** How a deployment does, as its circuit breaker and its recent calls say. */
export interface DeploymentHealth extends StandingFigures {
  readonly deployment: string;
  readonly state: 'closed' | 'open' | 'half_open';
}

/** The one way out to models. */
export interface Upstream {
  /**
   * Calls the deployments in order, with retries and fallbacks until the first content byte.
   * @throws UpstreamFailure when all failed, with what was tried
   * @throws UpstreamAborted when the client went away first
   */
  call(chain: readonly Deployment[], call: UpstreamCall): Promise<UpstreamAnswer>;
  /** False while the breaker of the deployment is open. */
  healthy(deployment: Deployment): boolean;
  /**
   * Says that a deployment answered and misbehaved: counts as a failure in its breaker and in its
   * figures. Nothing is repeated.
   */
  discredit(deployment: Deployment, reason: DiscreditReason): void;
  health(): readonly DeploymentHealth[];
  egress(): readonly EgressRecord[];
  /** Closes the connections to upstreams; calls in flight are cut. */
  close(): Promise<void>;
}

declare module '../../graph/ctx.js' {
  interface Services {
    readonly upstream: Upstream;
  }
}

/** What the way out is made from. */
export interface UpstreamParts {
  readonly registry: Registry;
  readonly config: Pick<
    Config,
    | 'GW_CONNECT_TIMEOUT_MS'
    | 'GW_FIRST_BYTE_TIMEOUT_MS'
    | 'GW_FIRST_BYTE_TOTAL_TIMEOUT_MS'
    | 'GW_REQUEST_TIMEOUT_MS'
  >;
  /** In [0, 1); for the jitter of repeats. */
  readonly random?: () => number;
}

/** Makes the way out: pools, breakers and the retry budget of this process. */
export function createUpstream({
  registry,
  config,
  random = Math.random,
}: UpstreamParts): Upstream {
  const http = new HttpCarrier(registry, config.GW_CONNECT_TIMEOUT_MS);
  const sandbox = new SandboxCarrier();
  const standings = new Map<string, Standing>();
  const outer = [...registry.deploymentsByKey.values()].filter(({ simulated }) => !simulated);
  const standingOf = (deployment: Deployment) => {
    const standing = standings.get(deployment.key);
    if (standing === undefined) throw new Error(`${deployment.key} is not of the registry`);
    return standing;
  };
  const outerWhere = (test: (standing: Standing) => boolean) =>
    outer.filter((deployment) => test(standingOf(deployment))).length;
  const maySlow = () => (outerWhere(({ aside }) => aside === 'slow') + 1) * 2 <= outer.length;
  for (const { key, simulated } of registry.deploymentsByKey.values()) {
    standings.set(key, new Standing({ opens: !simulated, maySlow }));
  }
  const tools: ChainTools = {
    carrierOf: ({ protocol }) => (protocol === 'in_process' ? sandbox : http),
    standingOf,
    breakersDoubtful: () => outerWhere(({ state }) => state !== 'closed') * 2 > outer.length,
    budget: new RetryBudget(),
    random,
    totalMs: config.GW_REQUEST_TIMEOUT_MS,
    firstByteMs: config.GW_FIRST_BYTE_TIMEOUT_MS,
    firstByteTotalMs: config.GW_FIRST_BYTE_TOTAL_TIMEOUT_MS,
  };
  return {
    call: (chain, call) => callUpstream(chain, call, tools),
    healthy: (deployment) => standingOf(deployment).state === 'closed',
    discredit: (deployment, reason) => standingOf(deployment).discredit(reason),
    health: () =>
      [...standings].map(([deployment, standing]) => ({
        deployment,
        state: standing.state,
        ...standing.figures,
      })),
    egress: () => http.egress(),
    close: () => http.close(),
  };
}
