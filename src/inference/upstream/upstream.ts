import type { Deployment, Registry } from '../../catalog/providers/model.js';
import type { Config } from '../../platform/config.js';
import { DeploymentBreaker } from './breaker.js';
import type { UpstreamAnswer, UpstreamCall } from './call.js';
import { type ChainTools, callUpstream } from './chain.js';
import { RetryBudget } from './retry.js';
import { SandboxCarrier } from './sandbox.js';
import { type EgressRecord, HttpCarrier } from './transport.js';

/** How a deployment does, as its circuit breaker and its recent calls say. */
export interface DeploymentHealth {
  readonly deployment: string;
  readonly state: 'closed' | 'open' | 'half_open';
  readonly calls: number;
  readonly failures: number;
  /** Moving average of the time to the first content byte, or null before the first success. */
  readonly latencyMs: number | null;
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
  readonly config: Pick<Config, 'GW_CONNECT_TIMEOUT_MS' | 'GW_REQUEST_TIMEOUT_MS'>;
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
  const breakers = new Map<string, DeploymentBreaker>();
  for (const { key, simulated } of registry.deploymentsByKey.values()) {
    breakers.set(key, new DeploymentBreaker({ opens: !simulated }));
  }
  const outer = [...registry.deploymentsByKey.values()].filter(({ simulated }) => !simulated);

  const breakerOf = (deployment: Deployment) => {
    const breaker = breakers.get(deployment.key);
    if (breaker === undefined) throw new Error(`${deployment.key} is not of the registry`);
    return breaker;
  };
  const tools: ChainTools = {
    carrierOf: ({ protocol }) => (protocol === 'in_process' ? sandbox : http),
    breakerOf,
    breakersDoubtful: () => {
      const open = outer.filter((deployment) => breakerOf(deployment).state !== 'closed').length;
      return open * 2 > outer.length;
    },
    budget: new RetryBudget(),
    random,
    totalMs: config.GW_REQUEST_TIMEOUT_MS,
  };
  return {
    call: (chain, call) => callUpstream(chain, call, tools),
    healthy: (deployment) => breakerOf(deployment).state === 'closed',
    health: () =>
      [...breakers].map(([deployment, breaker]) => ({
        deployment,
        state: breaker.state,
        ...breaker.figures,
      })),
    egress: () => http.egress(),
    close: () => http.close(),
  };
}
