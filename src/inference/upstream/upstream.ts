import type { Logger } from 'pino';
import type { Deployment, Registry } from '../../catalog/providers/model.js';
import type { Config } from '../../platform/config.js';
import type { Counters } from '../../platform/counters/counters.js';
import { MemoryCounters } from '../../platform/counters/memory.js';
import type { AttemptWatch, UpstreamAnswer, UpstreamCall } from './call.js';
import { type ChainTools, callUpstream } from './chain.js';
import { FailureLog } from './failure-log.js';
import type { LimitUse } from './gate.js';
import { type ProbeResult, probeDeployment } from './probe.js';
import { RetryBudget } from './retry.js';
import { SandboxCarrier } from './sandbox.js';
import type { DiscreditReason, Standing, StandingFigures } from './standing.js';
import { Standings } from './standings.js';
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
  /** False while the breaker of the deployment is open, or an operator has taken it down. */
  healthy(deployment: Deployment): boolean;
  /** The keys of deployments whose breaker lets nobody in now, whatever an operator has said. */
  shut(): readonly string[];
  /**
   * Says that a deployment answered and misbehaved: counts as a failure in its breaker and in its
   * figures. Nothing is repeated.
   */
  discredit(deployment: Deployment, reason: DiscreditReason): void;
  health(): readonly DeploymentHealth[];
  /** What this node carries to a deployment, and how fast it answers. */
  trafficOf(deployment: Deployment): Standing['traffic'];
  /** How much of their limits the deployments have used, over all nodes that count together. */
  limitUse(): Promise<ReadonlyMap<string, LimitUse>>;
  /** Calls one deployment once, past breaker and limits; what comes of it counts nowhere. */
  probe(deployment: Deployment, call: UpstreamCall): Promise<ProbeResult>;
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
  > &
    Partial<Pick<Config, 'providerHostsAllowed'>>;
  /** Counts for the limits of deployments; of this process alone unless given. */
  readonly counters?: Counters;
  /** What this node may take of a limit while it counts for itself alone; all unless given. */
  readonly share?: (limit: number) => number;
  /** In [0, 1); for the jitter of repeats. */
  readonly random?: () => number;
  readonly watch?: AttemptWatch;
  /** Hears why providers could not be reached. */
  readonly log?: Pick<Logger, 'warn'>;
}

/** A slot at a deployment outlives the longest request by this much. */
const LEASE_SLACK_MS = 60_000;

/** Makes the way out: pools, breakers and the retry budget of this process. */
export function createUpstream(parts: UpstreamParts): Upstream {
  const { registry, config, random = Math.random } = parts;
  const http = new HttpCarrier({
    connectTimeoutMs: config.GW_CONNECT_TIMEOUT_MS,
    hostsAllowed: config.providerHostsAllowed ?? new Set(),
  });
  const sandbox = new SandboxCarrier();
  const standings = new Standings(registry, {
    counters: parts.counters ?? new MemoryCounters(),
    share: parts.share ?? ((limit) => limit),
    leaseMs: config.GW_REQUEST_TIMEOUT_MS + LEASE_SLACK_MS,
    now: () => performance.now(),
  });
  const adopt = () => {
    http.adopt(registry.deploymentsByKey.values());
    standings.adopt();
  };
  adopt();
  registry.onExchange(adopt);
  const tools: ChainTools = {
    carrierOf: ({ protocol }) => (protocol === 'in_process' ? sandbox : http),
    standingOf: (deployment) => standings.of(deployment).standing,
    gateOf: (deployment) => standings.of(deployment).gate,
    breakersDoubtful: () => standings.areDoubtful(),
    budget: new RetryBudget(),
    watch: parts.watch,
    failureLog: parts.log && new FailureLog(parts.log),
    random,
    totalMs: config.GW_REQUEST_TIMEOUT_MS,
    firstByteMs: config.GW_FIRST_BYTE_TIMEOUT_MS,
    firstByteTotalMs: config.GW_FIRST_BYTE_TOTAL_TIMEOUT_MS,
  };
  return {
    call: (chain, call) => callUpstream(chain, call, tools),
    healthy: (deployment) => isHealthy(deployment, tools.standingOf(deployment)),
    shut: () => standings.shut(),
    discredit: (deployment, reason) => tools.standingOf(deployment).discredit(reason),
    health: () =>
      standings.all().map(({ key, standing }) => ({
        deployment: key,
        state: standing.state,
        ...standing.figures,
      })),
    trafficOf: (deployment) => standings.of(deployment).standing.traffic,
    limitUse: () => standings.limitUse(),
    probe: (deployment, call) => probeDeployment(deployment, call, tools),
    egress: () => http.egress(),
    close: () => http.close(),
  };
}

/** A breaker that is open for long enough lets a probe in: somebody must choose it for that. */
function isHealthy({ health }: Deployment, standing: Standing): boolean {
  if (health.override !== 'auto') return health.override === 'forced_up';
  return standing.admits();
}
