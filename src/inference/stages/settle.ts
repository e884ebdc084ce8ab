import type { EffectivePolicy } from '../../access/policies/rules.js';
import type { Deployment, Model } from '../../catalog/providers/model.js';
import {
  NO_USAGE,
  type PriceRow,
  priceOn,
  type UsageVector,
  usageCost,
} from '../../catalog/providers/price.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { toGatewayError } from '../../kernel/errors/fail.js';
import { ORIGIN_MEMBER } from '../../kernel/origin.js';
import type { SettleOutcome } from '../../money/ledger/ledger.js';
import type { PricesUsed, UsageRecord } from '../../money/ledger/usage-record.js';
import type { InferenceRequest, UsedPrompt } from '../request.js';
import type { Attempt } from '../upstream/call.js';
import { UpstreamAborted, UpstreamFailure } from '../upstream/failure.js';
import type { Admission } from './admit.js';
import type { Inspected } from './firewall-in.js';
import type { ChosenRoute } from './route.js';

/** What all stages before the call have decided about a request. */
export interface Prepared {
  readonly ctx: AuthorizedCtx;
  readonly request: InferenceRequest;
  readonly admission: Admission;
  readonly inspected: Inspected;
  readonly route: ChosenRoute;
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
  readonly finishReason: string | undefined;
  /** Whether the answer is by the prompt's output schema; undefined where not measured. */
  readonly schemaValid?: boolean | undefined;
  readonly timeToFirstTokenMs: number | undefined;
  readonly upstreamMs: number;
}

/** What was charged, with the times that the receipts state. */
export interface Settled {
  readonly outcome: Outcome;
  readonly price: PriceRow;
  readonly chargedMicro: bigint;
  readonly latencyMs: number;
  readonly overheadUs: number;
}

/** The exact cost of an outcome, half-even, by the price row of the day of the request. */
export function costOf(
  outcome: Pick<Outcome, 'deployment' | 'usage'>,
  day: string,
): { price: PriceRow; costMicro: bigint } {
  const price = priceOn(outcome.deployment.prices, day);
  const costMicro = price && usageCost(outcome.usage, price, 'half_even');
  if (!price || costMicro === undefined) {
    throw new Error(`${outcome.deployment.key} was called without a price for what it used`);
  }
  return { price, costMicro };
}

/**
 * Charges the exact cost and writes the usage row, in one transaction. The charge is final when
 * the answer has left; `unread` says that nobody waits for it any more.
 */
export async function settle(
  prepared: Prepared,
  outcome: Outcome,
  unread = false,
): Promise<Settled> {
  const { ctx, route, startedMs } = prepared;
  const { price, costMicro } = costOf(outcome, route.day);
  const latencyMs = performance.now() - startedMs;
  const overheadUs = Math.max(0, Math.round((latencyMs - outcome.upstreamMs) * 1_000));
  const finished = ctx.transport.onFinished;
  const ref = { accountId: ctx.who.accountId, requestId: ctx.requestId };
  const settled = await ctx.services.ledger.settle({
    ...ref,
    amountMicro: costMicro,
    usage: usageRecord(prepared, outcome, price, latencyMs, overheadUs),
    delivered: unread || finished === undefined,
  });
  if (!unread && finished) {
    finished(() => ctx.services.ledger.delivered(ref.accountId, ref.requestId));
  }
  warnWhenUncollected(ctx, settled);
  return { outcome, price, chargedMicro: settled.chargedMicro, latencyMs, overheadUs };
}

/** Gives the hold of a failed request back and records the failure. It costs nothing. */
export async function release(prepared: Prepared, thrown: unknown): Promise<void> {
  const { ctx, route, startedMs } = prepared;
  const attempts =
    thrown instanceof UpstreamFailure || thrown instanceof UpstreamAborted ? thrown.attempts : [];
  const aborted = thrown instanceof UpstreamAborted;
  const error = aborted ? undefined : toGatewayError(thrown);
  const deployment = lastTried(route, attempts);
  await ctx.services.ledger.release({
    accountId: ctx.who.accountId,
    requestId: ctx.requestId,
    usage: recordOf(prepared, {
      model: deployment ?? route.chosen,
      provider: deployment?.providerId ?? '',
      price: deployment && priceOn(deployment.prices, route.day),
      usage: NO_USAGE,
      usageSource: 'estimated',
      rawUsage: undefined,
      status: 'failed',
      errorCode: error?.code ?? 'client_closed_request',
      httpStatus: error?.status ?? CLIENT_CLOSED_REQUEST,
      finishReason: undefined,
      latencyMs: performance.now() - startedMs,
      timeToFirstTokenMs: undefined,
      upstreamMs: undefined,
      overheadUs: 0,
      attempts: attempts.length,
    }),
  });
}

/** The status that proxies log for a client that went away; it is never sent. */
const CLIENT_CLOSED_REQUEST = 499;

function lastTried(route: ChosenRoute, attempts: readonly Attempt[]): Deployment | undefined {
  const key = attempts.at(-1)?.deployment;
  return route.chain.find((deployment) => deployment.key === key) ?? route.chain[0];
}

function warnWhenUncollected(ctx: AuthorizedCtx, settled: SettleOutcome): void {
  if (settled.uncollectedMicro === 0n) return;
  const uncollectedMicro = settled.uncollectedMicro.toString();
  const facts = { requestId: ctx.requestId, uncollectedMicro };
  ctx.services.log.warn(facts, 'a request cost more than its hold and the free funds');
}

/** The usage row of an outcome. */
export function usageRecord(
  prepared: Prepared,
  outcome: Outcome,
  price: PriceRow,
  latencyMs: number,
  overheadUs: number,
): UsageRecord {
  const { deployment } = outcome;
  return recordOf(prepared, {
    model: deployment,
    provider: deployment.providerId,
    price,
    usage: outcome.usage,
    usageSource: outcome.usageSource,
    rawUsage: outcome.rawUsage,
    status: outcome.status,
    errorCode: undefined,
    httpStatus: 200,
    finishReason: outcome.finishReason,
    schemaValid: outcome.schemaValid,
    latencyMs,
    timeToFirstTokenMs: outcome.timeToFirstTokenMs,
    upstreamMs: outcome.upstreamMs,
    overheadUs,
    attempts: outcome.attempts.length,
  });
}

/** What differs between the usage rows of answers and of failures. Times in milliseconds. */
interface RecordFacts {
  readonly model: Pick<Model, 'id' | 'jurisdiction' | 'simulated'>;
  readonly provider: string;
  readonly price: PriceRow | undefined;
  readonly usage: UsageVector;
  readonly usageSource: UsageRecord['usageSource'];
  readonly rawUsage: unknown;
  readonly status: UsageRecord['status'];
  readonly errorCode: string | undefined;
  readonly httpStatus: number;
  readonly finishReason: string | undefined;
  readonly schemaValid?: boolean | undefined;
  readonly latencyMs: number;
  readonly timeToFirstTokenMs: number | undefined;
  readonly upstreamMs: number | undefined;
  readonly overheadUs: number;
  readonly attempts: number;
}

/** One object in one literal: spreading parts into it takes longer than all of the rest. */
function recordOf({ ctx, request, admission, inspected }: Prepared, facts: RecordFacts) {
  const { who } = ctx;
  const { metadata } = request;
  const { inspection } = inspected;
  const record: UsageRecord = {
    projectId: who.projectId,
    keyId: who.kind === 'api_key' ? who.id : undefined,
    userId: who.kind === 'user' ? who.id : undefined,
    operation: request.operation,
    requestedModel: request.model,
    model: facts.model.id,
    provider: facts.provider,
    route: facts.model.jurisdiction,
    simulated: facts.model.simulated,
    feature: metadata.feature,
    environment: metadata.environment,
    clientId: metadata.clientId,
    tokens: tokensOf(facts.usage),
    rawUsage: facts.rawUsage,
    usageSource: facts.usageSource,
    prices: pricesUsed(facts.price),
    status: facts.status,
    errorCode: facts.errorCode,
    httpStatus: facts.httpStatus,
    finishReason: facts.finishReason,
    streamed: request.stream,
    latencyMs: Math.round(facts.latencyMs),
    timeToFirstTokenMs: rounded(facts.timeToFirstTokenMs),
    upstreamMs: rounded(facts.upstreamMs),
    overheadUs: facts.overheadUs,
    attempts: facts.attempts,
    policyVersions: versionsOf(admission.policy),
    dataClass: inspection.dataClass,
    firewallFindings: findingsOf(inspected),
    metadata: metadataOf(ctx.origin, request, facts.schemaValid),
  };
  return record;
}

/** What the client stated, with what the gateway itself says under names of its own. */
function metadataOf(
  origin: AuthorizedCtx['origin'],
  { metadata, prompt }: InferenceRequest,
  schemaValid: boolean | undefined,
): UsageRecord['metadata'] {
  if (origin === undefined && prompt === undefined) return metadata.rest;
  return {
    ...metadata.rest,
    ...(prompt && { gw_prompt: promptRecord(prompt, schemaValid) }),
    ...(origin && { [ORIGIN_MEMBER]: origin }),
  };
}

/** How a usage row names its prompt; reports per version read it. */
function promptRecord({ version, variant }: UsedPrompt, schemaValid: boolean | undefined) {
  return {
    prompt_id: version.promptId,
    prompt_key: version.promptKey,
    version: version.version,
    content_hash: version.contentHash,
    variant,
    schema_valid: schemaValid ?? null,
  };
}

function rounded(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.round(value);
}

function tokensOf(usage: UsageVector): UsageRecord['tokens'] {
  return {
    inputUncached: usage.input_uncached,
    inputCached: usage.input_cached,
    cacheWrite: usage.cache_write,
    outputText: usage.output_text,
    outputReasoning: usage.output_reasoning,
  };
}

// Price rows and merged policies outlive many requests: what follows from them is made once.
const PRICES_USED = new WeakMap<PriceRow, PricesUsed>();
const VERSIONS = new WeakMap<EffectivePolicy, Readonly<Record<string, number>>>();

function pricesUsed(price: PriceRow | undefined): PricesUsed {
  if (!price) return pricesOf(undefined);
  const known = PRICES_USED.get(price) ?? pricesOf(price);
  PRICES_USED.set(price, known);
  return known;
}

function pricesOf(price: PriceRow | undefined): PricesUsed {
  const each = price?.microRubPerMillion ?? {};
  return {
    effectiveFrom: price?.effectiveFrom ?? '',
    inputUncached: each.input_uncached ?? 0n,
    inputCached: each.input_cached ?? 0n,
    cacheWrite: each.cache_write ?? 0n,
    outputText: each.output_text ?? 0n,
    outputReasoning: each.output_reasoning ?? 0n,
  };
}

function versionsOf(policy: EffectivePolicy): Readonly<Record<string, number>> {
  const known =
    VERSIONS.get(policy) ??
    Object.fromEntries(policy.versions.map(({ id, version }) => [id, version]));
  VERSIONS.set(policy, known);
  return known;
}

function findingsOf({ inspection }: Inspected): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const finding of inspection.findings) {
    counts[finding.class] = (counts[finding.class] ?? 0) + finding.count;
  }
  return counts;
}
