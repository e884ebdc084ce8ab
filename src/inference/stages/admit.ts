import { type Throttle, throttleOf } from '../../access/abuse/key-controls.js';
import type { EffectivePolicy } from '../../access/policies/rules.js';
import type { AuthorizedCtx, KeyBounds } from '../../graph/ctx.js';
import type { ErrorCode } from '../../kernel/errors/catalogue.js';
import { fail } from '../../kernel/errors/fail.js';
import type { Limit, LimitState, Admission as Taken } from '../../platform/counters/counters.js';
import { isAutomatic } from '../../routing/automatic.js';
import type { InferenceRequest } from '../request.js';
import { tokensAbout } from '../upstream/tokens.js';
import { outputCapOf } from '../workload/contract.js';
import { narrowed } from './token.js';

/** Limits of a project without a policy: high, but there. */
const DEFAULT_LIMITS = { rpm: 600_000, tpm: 1_000_000_000 } as const;

/** A slot outlives the longest request by this much, then it is taken back. */
const LEASE_SLACK_MS = 60_000;

/** A request that passed the policy, with what it must give back. */
export interface Admission {
  readonly policy: EffectivePolicy;
  /** The version of the tenant's controls under which everything is decided. */
  readonly controls: string;
  /** Tokens that were taken from the minute's bucket. */
  readonly tokensTaken: number;
  readonly slot: string | undefined;
  /** The throttle of the caller's key; undefined where there is none. */
  readonly throttle: Throttle | undefined;
  /** Longer than the request can take, its wait for an approval included. */
  readonly longestMs: number;
}

/**
 * Checks what the policy of the project limits, all limits in one step.
 * @param controls the version of the tenant's controls, taken before anything was looked at
 * @throws model_not_allowed, rate_limit_requests, rate_limit_tokens, rate_limit_concurrency,
 * key_throttled, key_rate_limit_requests, key_rate_limit_tokens
 */
export async function admit(
  ctx: AuthorizedCtx,
  request: InferenceRequest,
  controls: string,
): Promise<Admission> {
  const { tenantId, projectId } = ctx.who;
  const found = ctx.services.policies.forProject(tenantId, projectId);
  const whole = found instanceof Promise ? await found : found;
  const narrower = narrowed(whole, ctx, request.workspace);
  const policy = narrower instanceof Promise ? await narrower : narrower;
  const standing = ctx.services.keyControls.forTenant(tenantId);
  const throttle = throttleOf(standing instanceof Promise ? await standing : standing, ctx.who);
  requireAllowed(policy, request.model);
  const tokens = tokensOf(request, policy, ctx.who.bounds);
  const slot = policy.limits.concurrency === undefined ? undefined : ctx.requestId;
  const waitMs = (request.approvalWait?.waitSeconds ?? 0) * 1_000;
  const longestMs = ctx.services.config.GW_REQUEST_TIMEOUT_MS + waitMs + LEASE_SLACK_MS;
  const limits = limitsOf(policy, {
    projectId,
    slot: ctx.requestId,
    leaseMs: longestMs,
    throttle,
    keys: ctx.who.bounds,
    ...tokens,
  });
  const taking = ctx.services.counters.take(limits);
  const taken = taking instanceof Promise ? await taking : taking;
  addLimitHeaders(ctx.transport.headers, limits, taken.states);
  if (taken.refused !== undefined) refuse(limits, taken);
  return { policy, controls, tokensTaken: tokens.tokens, slot, throttle, longestMs };
}

/**
 * The tokens of the minute that a request takes: about its prompt, and its answer as long as
 * client, policy and contract let it be. What the client states must be there. An answer that only
 * the cap bounds counts against the requests that follow, at most a minute's worth, and need not be
 * there: most answers are far shorter than their cap, and the rest is given back.
 */
export function tokensOf(
  request: InferenceRequest,
  policy: Pick<EffectivePolicy, 'limits'>,
  keys: readonly KeyBounds[] = [],
): Pick<Taking, 'tokens' | 'tokensNeeded'> {
  const { operation, size, choices, outputTokensMax: stated } = request;
  const prompt = tokensAbout(size);
  const cap = operation === 'chat' ? outputCapOf(request, policy) : undefined;
  if (stated !== undefined) {
    const tokens = prompt + Math.min(stated, cap ?? stated) * choices;
    return { tokens, tokensNeeded: tokens };
  }
  const { tpm: ofProject = DEFAULT_LIMITS.tpm } = policy.limits;
  const perMinute = [ofProject, ...keys.flatMap(({ tpm }) => tpm ?? [])];
  return {
    tokens: prompt + Math.min((cap ?? 0) * choices, ...perMinute),
    tokensNeeded: prompt,
  };
}

/** Tells how the limits of the caller's project and key stand, and takes nothing. */
export async function showLimits(ctx: AuthorizedCtx, policy: EffectivePolicy): Promise<void> {
  const { projectId, bounds: keys } = ctx.who;
  const rates = limitsOf(policy, { projectId, slot: '', leaseMs: 0, tokens: 0, keys })
    .filter((limit) => limit.kind === 'rate')
    .map(untaken);
  const { states } = await ctx.services.counters.take(rates);
  addLimitHeaders(ctx.transport.headers, rates, states);
}

/** The limit of a rate, asked how it stands and nothing else. */
export function untaken(limit: Extract<Limit, { kind: 'rate' }>): Limit {
  return { ...limit, points: 0, needed: 0 };
}

/** Gives back what an admitted request no longer needs: its slot, and tokens it did not use. */
export function releaseAdmission(
  ctx: AuthorizedCtx,
  admission: Admission,
  tokensUsed: number,
): void {
  giveTokensBack(ctx, admission, admission.tokensTaken - tokensUsed);
  const { counters } = ctx.services;
  if (admission.slot !== undefined) counters.release(`slots:${ctx.who.projectId}`, admission.slot);
}

/** Gives back tokens of the minute that an admitted request did not use. */
export function giveTokensBack(
  { services, who }: AuthorizedCtx,
  { policy }: Pick<Admission, 'policy'>,
  unused: number,
): void {
  if (unused === 0) return;
  const { counters } = services;
  counters.adjust(`tpm:${who.projectId}`, policy.limits.tpm ?? DEFAULT_LIMITS.tpm, unused);
  for (const each of who.bounds ?? []) {
    if (each.tpm !== undefined) counters.adjust(`key-tpm:${each.id}`, each.tpm, unused);
  }
}

/** Gives back the request itself, which is admitted anew; its claim gives slot and tokens back. */
export function admitAnew(ctx: AuthorizedCtx, { policy, throttle }: Admission): void {
  const rpm = policy.limits.rpm ?? DEFAULT_LIMITS.rpm;
  const { counters } = ctx.services;
  counters.adjust(`rpm:${ctx.who.projectId}`, rpm, 1);
  if (throttle) counters.adjust(throttleKey(throttle), throttle.perMinute, 1);
  for (const each of ctx.who.bounds ?? []) {
    if (each.rpm !== undefined) counters.adjust(`key-rpm:${each.id}`, each.rpm, 1);
  }
}

/** True when the policy lets a client name this model; an alias is held to the list later. */
export function isAllowed(policy: EffectivePolicy, model: string): boolean {
  return !policy.allowedModels || policy.allowedModels.has(model) || isAutomatic(model);
}

/**
 * An allow-list holds for what the client names; what the gateway chooses is held to it later.
 * @throws model_not_allowed
 */
export function requireAllowed(policy: EffectivePolicy, model: string): void {
  if (isAllowed(policy, model)) return;
  fail('model_not_allowed', { values: { model, policy: policy.allowListOf }, param: 'model' });
}

/** What a request takes from the limits of its project and of its key. */
export interface Taking {
  readonly projectId: string;
  readonly slot: string;
  readonly leaseMs: number;
  readonly tokens: number;
  /** How many of the tokens must be there; all of them unless stated. */
  readonly tokensNeeded?: number;
  readonly throttle?: Throttle | undefined;
  readonly keys?: readonly KeyBounds[] | undefined;
}

function throttleKey({ keyId }: Throttle): string {
  return `throttle:${keyId}`;
}

/** The limits of a policy that a request must pass together. */
export function limitsOf(policy: EffectivePolicy, taking: Taking): Limit[] {
  const {
    projectId,
    slot,
    leaseMs,
    tokens,
    tokensNeeded: needed = tokens,
    throttle,
    keys,
  } = taking;
  const rpm = policy.limits.rpm ?? DEFAULT_LIMITS.rpm;
  const tpm = policy.limits.tpm ?? DEFAULT_LIMITS.tpm;
  const limits: Limit[] = [
    { kind: 'rate', key: `rpm:${projectId}`, perMinute: rpm, points: 1 },
    { kind: 'rate', key: `tpm:${projectId}`, perMinute: tpm, points: tokens, needed },
  ];
  const limit = policy.limits.concurrency;
  if (limit !== undefined) {
    limits.push({ kind: 'concurrency', key: `slots:${projectId}`, limit, slot, leaseMs });
  }
  if (throttle) {
    const { perMinute } = throttle;
    limits.push({ kind: 'rate', key: throttleKey(throttle), perMinute, points: 1 });
  }
  if (keys) limits.push(...keys.flatMap((each) => ratesOf(each, taking)));
  return limits;
}

function ratesOf(
  { id, rpm, tpm }: KeyBounds,
  { tokens: points, tokensNeeded: needed = points }: Taking,
): Limit[] {
  const limits: Limit[] = [];
  if (rpm !== undefined) {
    limits.push({ kind: 'rate', key: `key-rpm:${id}`, perMinute: rpm, points: 1 });
  }
  if (tpm !== undefined) {
    limits.push({ kind: 'rate', key: `key-tpm:${id}`, perMinute: tpm, points, needed });
  }
  return limits;
}

/** The refusals of limits, by what their keys begin with. */
const REFUSALS: Readonly<Record<string, ErrorCode>> = {
  rpm: 'rate_limit_requests',
  tpm: 'rate_limit_tokens',
  slots: 'rate_limit_concurrency',
  throttle: 'key_throttled',
  'key-rpm': 'key_rate_limit_requests',
  'key-tpm': 'key_rate_limit_tokens',
};

/** What a request is refused with that does not pass a limit of `limitsOf`. */
export function refusalOf(limit: Limit | undefined): ErrorCode {
  return REFUSALS[limit?.key.split(':', 1)[0] ?? ''] ?? 'rate_limit_requests';
}

function refuse(limits: readonly Limit[], { refused = 0, retryAfterMs, states }: Taken): never {
  const values = { limit: states[refused]?.limit ?? 0 };
  return fail(refusalOf(limits[refused]), { values, retryAfterMs });
}

/** Project first, then whichever key is nearer to its end. */
function addLimitHeaders(
  headers: Record<string, string>,
  limits: readonly Limit[],
  states: readonly LimitState[],
): void {
  let [requests, tokens] = states;
  for (let index = 2; index < states.length; index += 1) {
    const { key = '' } = limits[index] ?? {};
    const state = states[index];
    if (!state) continue;
    if (key.startsWith('key-rpm:')) requests = nearer(requests, state);
    if (key.startsWith('key-tpm:')) tokens = nearer(tokens, state);
  }
  if (requests) addHeaders(headers, 'requests', requests);
  if (tokens) addHeaders(headers, 'tokens', tokens);
}

function nearer(one: LimitState | undefined, other: LimitState): LimitState {
  return one && one.remaining < other.remaining ? one : other;
}

function addHeaders(headers: Record<string, string>, of: string, state: LimitState): void {
  headers[`x-ratelimit-limit-${of}`] = String(state.limit);
  headers[`x-ratelimit-remaining-${of}`] = String(state.remaining);
  headers[`x-ratelimit-reset-${of}`] = resetText(state.resetMs);
}

/** Durations as clients read them: `120ms`, `1s`, `6m0s`. */
function resetText(ms: number): string {
  if (ms < 1_000) return `${ms}ms`;
  const seconds = Math.ceil(ms / 1_000);
  if (seconds < 60) return `${seconds}s`;
  return `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
