import type { Deployment } from '../catalog/providers/model.js';
import {
  cachedAnswerPrice,
  type PriceRow,
  priceOn,
  type UsageVector,
  usageCost,
} from '../catalog/providers/price.js';
import type { AuthorizedCtx } from '../graph/ctx.js';
import type { MicroRub } from '../kernel/money.js';
import type { Overrun } from '../money/ledger/ledger.js';
import type { Decided } from '../routing/automatic.js';
import type { TokenBounds } from '../routing/named.js';
import { withinBounds } from './bounds.rules.js';
import type { Claim } from './claim.js';
import { oncePer } from './once-per.js';
import type { InferenceRequest } from './request.js';
import type { CacheTurn } from './response-cache/response-cache.js';
import type { CacheWay } from './response-cache/way.js';
import type { Admission } from './stages/admit.js';
import type { Inspected } from './stages/firewall-in.js';
import type { ChosenRoute } from './stages/route.js';
import type { Attempt } from './upstream/call.js';
import { tokenBounds } from './upstream/tokens.js';
import type { UsageFault } from './usage-faults.rules.js';

/** What all stages before the call have decided about a request. */
export interface Prepared {
  readonly ctx: AuthorizedCtx;
  readonly request: InferenceRequest;
  readonly admission: Admission;
  readonly inspected: Inspected;
  readonly route: ChosenRoute;
  /** What the request owes back until it is settled or released. */
  readonly claim: Claim;
  /** What a workload contract says of the response cache; undefined where none switches it on. */
  readonly cache: CacheWay | undefined;
  /** A kept answer: nothing is held for it, since its charge brings its own hold. */
  readonly kept?: CacheTurn;
  /**
   * When work on the request began, by performance.now(): at its arrival, or later by as long as
   * it waited for a person. Latencies are counted from here.
   */
  readonly startedMs: number;
}

/** How a call went, as far as it must be billed and recorded. Times in milliseconds. */
export interface Outcome {
  readonly deployment: Deployment;
  readonly attempts: readonly Attempt[];
  readonly status: 'complete' | 'partial';
  readonly usage: UsageVector;
  readonly usageSource: 'upstream' | 'estimated';
  readonly rawUsage: unknown;
  /** Why the figures of the provider were not billed; undefined where they were. */
  readonly usageFault?: UsageFault | undefined;
  /** What the provider claims, billed or not; undefined where that cannot be read. */
  readonly claimed?: UsageVector | undefined;
  readonly finishReason: string | undefined;
  /** Whether the answer is by the prompt's output schema; undefined where not measured. */
  readonly schemaValid?: boolean | undefined;
  readonly timeToFirstTokenMs: number | undefined;
  readonly upstreamMs: number;
  /** How old an answer from the cache is; undefined where a provider has answered. */
  readonly cachedMs: number | undefined;
}

/**
 * What an answer costs, and why. It is complete before the ledger is asked: as no charge exceeds
 * its hold, what it says is what is charged.
 */
export interface Bill {
  /** With the usage that is billed: within the bounds of the request. */
  readonly outcome: Outcome;
  readonly price: PriceRow;
  readonly costMicro: MicroRub;
  /** What the same usage would have cost with the premium baseline of the router. */
  readonly baselineMicro: MicroRub | undefined;
  readonly latencyMs: number;
  readonly overheadUs: number;
  /** What the upstream reported beyond the bounds of the request. */
  readonly overrun: Overrun | undefined;
}

/** The exact cost, half-even, by the price row of the day of the request. */
export function billOf(prepared: Prepared, stated: Outcome): Bill {
  const { request, route, startedMs } = prepared;
  const { deployment } = stated;
  const bounds = tokenBounds(request, deployment, route.outputTokensCap);
  const { usage, isBeyond } = withinBounds(stated.usage, bounds);
  const listed = priceOn(deployment.prices, route.day);
  const price = listed && (stated.cachedMs === undefined ? listed : cachedPrice(listed));
  const costMicro = price && usageCost(usage, price, 'half_even');
  if (!price || costMicro === undefined) {
    throw new Error(`${deployment.key} was called without a price for what it used`);
  }
  const latencyMs = performance.now() - startedMs;
  return {
    outcome: isBeyond ? { ...stated, usage } : stated,
    price,
    costMicro,
    baselineMicro: route.decided && baselineCost(prepared, route.decided, stated, usage),
    latencyMs,
    overheadUs: Math.max(0, Math.round((latencyMs - stated.upstreamMs) * 1_000)),
    overrun: overrunOf(stated, price, bounds),
  };
}

/** What the upstream claims beyond the bounds of the request, whether or not it is billed. */
function overrunOf(
  { claimed, rawUsage, deployment }: Outcome,
  price: PriceRow,
  bounds: TokenBounds,
): Overrun | undefined {
  if (!claimed || !withinBounds(claimed, bounds).isBeyond) return undefined;
  return {
    costMicro: usageCost(claimed, price, 'half_even') ?? 0n,
    provider: deployment.providerId,
    model: deployment.id,
    rawUsage,
    ...bounds,
  };
}

/** The billed usage at the list price of the baseline; an answer from the cache at its share. */
function baselineCost(
  { ctx, route }: Prepared,
  { decision }: Decided,
  { cachedMs }: Outcome,
  usage: UsageVector,
): MicroRub | undefined {
  const key = decision.baseline?.deployment?.deployment;
  const deployment =
    key === undefined ? undefined : ctx.services.registry.deploymentsByKey.get(key);
  const listed = deployment && priceOn(deployment.prices, route.day);
  const price = listed && (cachedMs === undefined ? listed : cachedPrice(listed));
  return price && usageCost(usage, price, 'half_even');
}

/** One row prices many hits. */
const cachedPrice = oncePer(cachedAnswerPrice);
