import { CACHED_ANSWER_BASIS_POINTS, type PriceRow } from '../../catalog/providers/price.js';
import { USAGE_DIMENSIONS } from '../../catalog/providers/vocabulary.js';
import type { LadderBudget } from '../../finops/budgets/spend-controls.js';
import type { JsonObject } from '../../kernel/json.js';
import { formatRub } from '../../kernel/money.js';
import { slaTargets } from '../../money/billing/vocabulary.js';
import { isPromoted } from '../../prompts/use/apply.rules.js';
import type { UsedAlias } from '../../routing/aliases/alias.rules.js';
import type { LoweredLimit } from '../affordable.rules.js';
import { requestedModel } from '../alias.js';
import type { Bill, Prepared } from '../bill.js';
import { contextReceipt } from '../context/receipt.js';
import { decidedCandidates, decisionReceipt } from '../decision-record.js';
import type { FirewallOut } from '../firewall/inspect.js';
import { oncePer } from '../once-per.js';
import type { Degraded, UsedPrompt } from '../request.js';
import type { CacheWay } from '../response-cache/way.js';
import { sourcesOnWire } from '../stated-classes.rules.js';
import { workloadReceipt } from '../workload/receipt.js';
import type { ChosenRoute } from './route.js';

/**
 * The receipts of an answer, as members that are added to it.
 * @param out what the firewall saw in the answer; undefined where nobody has looked at it
 */
export function receipts(prepared: Prepared, bill: Bill, out: FirewallOut | undefined): JsonObject {
  const added = {
    gw_routing: routingReceipt(prepared, bill),
    gw_slo: sloReceipt(prepared, bill),
    gw_firewall: firewallReceipt(prepared, out),
  };
  const { prompt, compiled } = prepared.request;
  if (!prompt && !compiled) return added;
  return {
    ...added,
    ...(prompt ? { gw_prompt: promptReceipt(prompt, bill) } : {}),
    ...(compiled ? { gw_context: contextReceipt(compiled) } : {}),
  };
}

/** The receipts in short, as headers, where they are known before the body. */
export function receiptHeaders(prepared: Prepared, bill: Bill): Record<string, string> {
  const { deployment } = bill.outcome;
  return {
    'x-gw-model': deployment.id,
    'x-gw-provider': deployment.providerId,
    'x-gw-cost-rub': formatRub(bill.costMicro),
    'x-gw-firewall': prepared.inspected.inspection.verdict,
    ...trialHeaders(prepared),
  };
}

/** What marks an answer that a version of a prompt has filled which is not promoted. */
export function trialHeaders({ request }: Pick<Prepared, 'request'>): Record<string, string> {
  const { prompt } = request;
  return prompt && !isPromoted(prompt.version) ? { 'x-gw-prompt-promoted': 'false' } : {};
}

function routingReceipt(prepared: Prepared, bill: Bill) {
  const { ctx, request, admission, inspected, route, cache } = prepared;
  const { outcome, price, costMicro } = bill;
  const { deployment, attempts } = outcome;
  return {
    request_id: ctx.requestId,
    requested_model: requestedModel(request),
    ...(request.alias ? { alias: aliasReceipt(request.alias) } : {}),
    model: deployment.id,
    provider: deployment.providerId,
    jurisdiction: deployment.jurisdiction,
    data_class: inspected.dataClass,
    simulated: deployment.simulated,
    strategy: route.strategy,
    candidates: route.decided ? decidedCandidates(route.decided) : named(route),
    fallbacks: attempts
      .filter((attempt) => attempt.error !== null)
      .map((attempt) => ({
        model: attempt.modelId,
        provider: attempt.providerId,
        status: attempt.status,
        error: attempt.error,
        latency_ms: Math.round(attempt.latencyMs),
      })),
    price: priceReceipt(price),
    usage: outcome.usage,
    usage_source: outcome.usageSource,
    ...(outcome.usageFault ? { usage_fault: outcome.usageFault } : {}),
    cost_rub: rubles(costMicro),
    ...(request.degraded ? { degraded: degradedReceipt(request.degraded) } : {}),
    ...(route.ladders?.length ? { budget_ladder: route.ladders.map(ladderReceipt) } : {}),
    ...(route.lowered ? { output_limit: outputLimit(route.lowered) } : {}),
    policies: admission.policy.versions,
    ...(route.decided && { decision: decisionReceipt(route.decided, bill) }),
    ...(cache ? { cache: cacheReceipt(cache, outcome.cachedMs) } : {}),
    ...(request.workload ? { workload: workloadReceipt(prepared, bill) } : {}),
  };
}

/** The model that the client has named. */
function named({ candidates, chosen }: ChosenRoute) {
  return candidates.map(({ model, estimateMicro }) => ({
    model: model.id,
    chosen: model.id === chosen.id,
    ...(estimateMicro === undefined ? {} : { estimate_rub: rubles(estimateMicro) }),
  }));
}

/** What the name that the client sent stands for. */
function aliasReceipt({ target, version }: UsedAlias) {
  return { target, version };
}

/** Whether the answer is a kept one, by which contract, or which rules close the cache to it. */
function cacheReceipt(
  { contractKey, contractVersion, closedBy }: CacheWay,
  cachedMs: number | undefined,
) {
  const isOpen = closedBy.length === 0;
  return {
    status: cachedMs !== undefined ? 'hit' : isOpen ? 'miss' : 'closed',
    contract: contractKey,
    contract_version: contractVersion,
    closed_by: closedBy,
    age_seconds: cachedMs === undefined ? null : Math.floor(cachedMs / 1_000),
    price_basis_points: cachedMs === undefined ? null : CACHED_ANSWER_BASIS_POINTS,
  };
}

/** The budget that is spent, and the cheaper route on which it has sent the request. */
function degradedReceipt({ budgetId, budget, from, to }: Degraded) {
  return { budget, budget_id: budgetId, from, to };
}

/** A budget that concerns the request, and the step of its ladder that acts on it. */
function ladderReceipt({ id, name, step }: LadderBudget) {
  return { budget: name, budget_id: id, step };
}

/** Why the answer may be shorter than it was asked to be. */
function outputLimit({ tokens, askedTokens, by, budget }: LoweredLimit) {
  return { tokens, asked_tokens: askedTokens, lowered_by: by, budget: budget ?? null };
}

/** Price rows outlive many requests, so each is written out once. */
const priceReceipt = oncePer((price: PriceRow) => {
  const each = USAGE_DIMENSIONS.codes.flatMap((dimension): [string, number][] => {
    const micro = price.microRubPerMillion[dimension];
    return micro === undefined ? [] : [[dimension, rubles(micro)]];
  });
  return {
    effective_from: price.effectiveFrom,
    rub_per_million_tokens: Object.fromEntries(each),
  };
});

function promptReceipt({ version, variant }: UsedPrompt, { outcome }: Bill) {
  return {
    prompt_id: version.promptId,
    prompt_key: version.promptKey,
    version: version.version,
    status: version.status,
    promoted: isPromoted(version),
    content_hash: version.contentHash,
    variant,
    schema_valid: outcome.schemaValid ?? null,
  };
}

function sloReceipt({ ctx, request }: Prepared, bill: Bill) {
  const target = slaTargets(ctx.who.slaClass);
  const { outcome, latencyMs, overheadUs } = bill;
  const firstMs = outcome.timeToFirstTokenMs;
  const firstInTime = firstMs === undefined || firstMs <= target.timeToFirstTokenMsMax;
  const met = latencyMs <= target.latencyMsMax && (!request.stream || firstInTime);
  return {
    sla_class: ctx.who.slaClass,
    target_latency_ms: target.latencyMsMax,
    target_time_to_first_token_ms: target.timeToFirstTokenMsMax,
    latency_ms: tenths(latencyMs),
    time_to_first_token_ms: firstMs === undefined ? null : tenths(firstMs),
    upstream_ms: tenths(outcome.upstreamMs),
    overhead_ms: overheadUs / 1_000,
    met,
  };
}

function firewallReceipt({ admission, inspected }: Prepared, out: FirewallOut | undefined) {
  const { inspection, classHeld, sources } = inspected;
  return {
    verdict: inspection.verdict,
    mode: admission.policy.firewall,
    data_class: classHeld,
    data_class_sources: sourcesOnWire(sources),
    findings: inspection.findings,
    masked: inspection.masked,
    unread: inspected.unread,
    answer: out ? { findings: out.findings, masked: out.masked } : null,
  };
}

function rubles(micro: bigint): number {
  return Number(formatRub(micro));
}

function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}
