import type { EffectivePolicy } from '../access/policies/rules.js';
import type { Deployment, Model } from '../catalog/providers/model.js';
import { NO_USAGE, type PriceRow, priceOn, type UsageVector } from '../catalog/providers/price.js';
import type { AuthorizedCtx } from '../graph/ctx.js';
import type { JsonObject } from '../kernel/json.js';
import { FINGERPRINT_MEMBER, ORIGIN_MEMBER } from '../kernel/origin.js';
import { keptTrace, TRACE_MEMBER } from '../kernel/trace.rules.js';
import type { KnownUsage, PricesUsed, UsageRecord } from '../money/ledger/usage-record.js';
import { isPromoted } from '../prompts/use/apply.rules.js';
import { requestedModel } from './alias.js';
import type { Bill, Prepared } from './bill.js';
import { decisionMember } from './decision-record.js';
import { promptFingerprint } from './fingerprint.js';
import { oncePer } from './once-per.js';
import type { InferenceRequest, UsedPrompt } from './request.js';
import type { Inspected } from './stages/firewall-in.js';
import type { ChosenRoute } from './stages/route.js';
import { DATA_CLASS_MEMBER, keptSources } from './stated-classes.rules.js';
import type { UsageFault } from './usage-faults.rules.js';
import type { UsedWorkspace } from './used-workspace.js';
import { workloadRecord } from './workload/receipt.js';

/** The usage row of an answer that is charged. */
export function usageRow(prepared: Prepared, bill: Bill): UsageRecord {
  const { outcome, price, latencyMs, overheadUs } = bill;
  const { deployment } = outcome;
  return recordOf(prepared, {
    model: deployment,
    provider: deployment.providerId,
    price,
    usage: outcome.usage,
    usageSource: outcome.usageSource,
    rawUsage: outcome.rawUsage,
    usageFault: outcome.usageFault,
    status: outcome.status,
    errorCode: undefined,
    httpStatus: 200,
    finishReason: outcome.finishReason,
    schemaValid: outcome.schemaValid,
    isCached: outcome.cachedMs !== undefined,
    baselineMicro: bill.baselineMicro,
    latencyMs,
    timeToFirstTokenMs: outcome.timeToFirstTokenMs,
    upstreamMs: outcome.upstreamMs,
    overheadUs,
    attempts: outcome.attempts.length,
  });
}

/** How a request failed, for its usage row. */
export interface FailedFacts {
  /** What was tried last; undefined where nothing was. */
  readonly deployment: Deployment | undefined;
  readonly errorCode: string;
  readonly httpStatus: number;
  readonly attempts: number;
}

/** The usage row of a request that failed and costs nothing. */
export function failedRow(prepared: Prepared, facts: FailedFacts): UsageRecord {
  const { route, startedMs } = prepared;
  const { deployment } = facts;
  return recordOf(prepared, {
    model: deployment ?? route.chosen,
    provider: deployment?.providerId ?? '',
    price: deployment && priceOn(deployment.prices, route.day),
    usage: NO_USAGE,
    usageSource: 'estimated',
    rawUsage: undefined,
    status: 'failed',
    errorCode: facts.errorCode,
    httpStatus: facts.httpStatus,
    finishReason: undefined,
    latencyMs: performance.now() - startedMs,
    timeToFirstTokenMs: undefined,
    upstreamMs: undefined,
    overheadUs: 0,
    attempts: facts.attempts,
  });
}

/** What is known of a request when its funds are held. */
export function knownUsage(
  ctx: AuthorizedCtx,
  request: InferenceRequest,
  { chosen, chain }: ChosenRoute,
  { classHeld, sources }: Inspected,
): KnownUsage {
  const { who } = ctx;
  const { metadata } = request;
  return {
    projectId: who.projectId,
    keyId: who.kind === 'api_key' ? who.id : undefined,
    userId: who.kind === 'user' ? who.id : undefined,
    operation: request.operation,
    requestedModel: requestedModel(request),
    model: chosen.id,
    provider: chain[0]?.providerId ?? '',
    route: chosen.jurisdiction,
    simulated: chosen.simulated,
    feature: metadata.feature,
    environment: metadata.environment,
    clientId: metadata.clientId,
    streamed: request.stream,
    dataClass: classHeld,
    metadata: heldMetadata(ctx, request, sources),
  };
}

/**
 * The metadata of a request that recovery writes when nothing more is learnt of it. The decision of
 * the router is left out: it is long, and only of a request that was answered is it made again.
 */
function heldMetadata(
  ctx: AuthorizedCtx,
  request: InferenceRequest,
  sources: Inspected['sources'],
): KnownUsage['metadata'] {
  const { rest } = request.metadata;
  const members = membersOf(ctx, request, sources, undefined);
  if (members) return { ...rest, ...members };
  return Object.keys(rest).length > 0 ? rest : undefined;
}

/** What differs between the usage rows of answers and of failures. Times in milliseconds. */
interface RecordFacts {
  readonly model: Pick<Model, 'id' | 'jurisdiction' | 'simulated'>;
  readonly provider: string;
  readonly price: PriceRow | undefined;
  readonly usage: UsageVector;
  readonly usageSource: UsageRecord['usageSource'];
  readonly rawUsage: unknown;
  readonly usageFault?: UsageFault | undefined;
  readonly status: UsageRecord['status'];
  readonly errorCode: string | undefined;
  readonly httpStatus: number;
  readonly finishReason: string | undefined;
  readonly schemaValid?: boolean | undefined;
  readonly isCached?: boolean;
  readonly baselineMicro?: bigint | undefined;
  readonly latencyMs: number;
  readonly timeToFirstTokenMs: number | undefined;
  readonly upstreamMs: number | undefined;
  readonly overheadUs: number;
  readonly attempts: number;
}

/** One object in one literal: spreading parts into it takes longer than all of the rest. */
function recordOf(prepared: Prepared, facts: RecordFacts) {
  const { ctx, request, admission, inspected } = prepared;
  const { who } = ctx;
  const { metadata } = request;
  const record: UsageRecord = {
    projectId: who.projectId,
    keyId: who.kind === 'api_key' ? who.id : undefined,
    userId: who.kind === 'user' ? who.id : undefined,
    operation: request.operation,
    requestedModel: requestedModel(request),
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
    prices: facts.price ? pricesOf(facts.price) : NO_PRICES,
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
    dataClass: inspected.classHeld,
    firewallFindings: findingsOf(inspected),
    metadata: markedMetadata(prepared, facts),
  };
  return record;
}

/** The metadata of a row; one whose reported usage was not billed says why. */
function markedMetadata(prepared: Prepared, facts: RecordFacts): UsageRecord['metadata'] {
  const own = metadataOf(prepared, facts);
  return facts.usageFault ? { ...own, [USAGE_FAULT_MEMBER]: facts.usageFault } : own;
}

/** The member of a row's metadata that counts the content that nothing read. */
const UNREAD_MEMBER = 'gw_unread';

/** The member of a row's metadata that names the fault of the reported usage. */
const USAGE_FAULT_MEMBER = 'gw_usage_fault';

/** What the client stated, with what the gateway itself says under names of its own. */
function metadataOf(
  prepared: Prepared,
  { schemaValid, baselineMicro, isCached = false, status }: RecordFacts,
): UsageRecord['metadata'] {
  const { ctx, request, inspected, route } = prepared;
  const { rest } = request.metadata;
  const fingerprint = status === 'failed' ? undefined : promptFingerprint(prepared);
  const said = fingerprint ? { ...rest, [FINGERPRINT_MEMBER]: fingerprint } : rest;
  const members = membersOf(ctx, request, inspected.sources, schemaValid);
  const { decided } = route;
  // Spreading what is absent takes longer than all the rest of an ordinary row.
  if (!(members || decided || isCached || inspected.unread.length > 0)) return said;
  return {
    ...said,
    ...members,
    ...unreadMember(inspected),
    ...(isCached && { gw_cache: 'hit' }),
    ...(decided && decisionMember(decided, baselineMicro)),
  };
}

/** What a request is made under, by the names of the gateway; undefined for an ordinary one. */
function membersOf(
  { origin, transport: { trace }, who: { token } }: AuthorizedCtx,
  request: InferenceRequest,
  sources: Inspected['sources'],
  schemaValid: boolean | undefined,
): Readonly<Record<string, unknown>> | undefined {
  const { prompt, alias, degraded, workspace, workload } = request;
  const stated = keptSources(sources);
  const special = [origin, prompt, alias, degraded, workspace, workload, token, trace, stated];
  if (special.every((each) => each === undefined)) return undefined;
  return {
    ...(alias && { gw_alias: { target: alias.target, version: alias.version } }),
    ...(degraded && { gw_degraded: { budget_id: degraded.budgetId, to: degraded.to } }),
    ...(prompt && { gw_prompt: promptRecord(prompt, schemaValid) }),
    ...(origin && { [ORIGIN_MEMBER]: origin }),
    ...(workspace && { gw_workspace: workspaceRecord(workspace) }),
    ...(workload && { gw_workload: workloadRecord(request) }),
    ...(stated && { [DATA_CLASS_MEMBER]: stated }),
    ...(trace && { [TRACE_MEMBER]: keptTrace(trace) }),
    ...(token && { gw_token: { scope: token.scope, issued_by: token.issuedBy } }),
  };
}

/** How a usage row names its workspace; dashboards read it. */
function workspaceRecord({ workspace, user, department, isImplied }: UsedWorkspace) {
  const { id, version } = workspace;
  const record = { id, version, user: user ?? null, department: department ?? null };
  return isImplied ? { ...record, implied: true } : record;
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
    ...(isPromoted(version) ? {} : { promoted: false }),
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
const pricesOf = oncePer(
  (row: Pick<PriceRow, 'effectiveFrom' | 'microRubPerMillion'>): PricesUsed => {
    const { effectiveFrom, microRubPerMillion: each } = row;
    return {
      effectiveFrom,
      inputUncached: each.input_uncached ?? 0n,
      inputCached: each.input_cached ?? 0n,
      cacheWrite: each.cache_write ?? 0n,
      outputText: each.output_text ?? 0n,
      outputReasoning: each.output_reasoning ?? 0n,
    };
  },
);
const versionsOf = oncePer(({ versions }: EffectivePolicy) =>
  Object.fromEntries(versions.map(({ id, version }) => [id, version])),
);

/** Of a request that was not called. */
const NO_PRICES = pricesOf({ effectiveFrom: '', microRubPerMillion: {} });

/** How much content nothing read, by kind; a policy's dry run reads it. */
function unreadMember({ unread }: Inspected): JsonObject {
  if (unread.length === 0) return {};
  return { [UNREAD_MEMBER]: Object.fromEntries(unread.map(({ kind, count }) => [kind, count])) };
}

function findingsOf({ inspection }: Inspected): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const finding of inspection.findings) {
    counts[finding.class] = (counts[finding.class] ?? 0) + finding.count;
  }
  return counts;
}
