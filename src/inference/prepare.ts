import { setTimeout as sleep } from 'node:timers/promises';
import type { AuthorizedCtx } from '../graph/ctx.js';
import { GatewayError, toGatewayError } from '../kernel/errors/fail.js';
import { aliased } from './alias.js';
import type { Prepared } from './bill.js';
import { chosenRoute } from './chosen-route.js';
import { Claim } from './claim.js';
import { ControlsChanged } from './controls-changed.js';
import { requireSomeFunds } from './funds-first.js';
import { identifiedAnew, isBehind } from './identified-anew.js';
import { requireRunning } from './paused.js';
import type { InferenceRequest } from './request.js';
import { maskedSize } from './request-size.js';
import { keptAtOnce } from './response-cache/at-once.js';
import { cacheWay } from './response-cache/way.js';
import { type Admission, admit, admitAnew } from './stages/admit.js';
import { context, withAllBlocks } from './stages/context.js';
import { firewallIn, type Inspected, withLabelsMasked } from './stages/firewall-in.js';
import { hold } from './stages/hold.js';
import { requireWindow } from './stages/route.js';
import { outcomeOf, release } from './stages/settle.js';
import { giveTokenRequestBack, requireScope, takeTokenRequest } from './stages/token.js';
import { recordBlock, requireApproved, workspaceOf } from './stages/workspace.js';
import { UpstreamAborted } from './upstream/failure.js';
import type { UsedWorkspace } from './used-workspace.js';
import { underContract } from './workload/contract.js';

/** Changes of an organization may overtake a request this often. */
const TRIES_MAX = 8;
const RETRY_AFTER_MS = 1_000;
const PAUSE_MS = 15;

/**
 * Everything that happens before a provider is called. When it resolves, funds are held, or a kept
 * answer stands ready whose charge brings its hold; when it throws, nothing is held. A request that
 * a change of policies, budgets, contracts or switches has overtaken is decided again: none is
 * answered under what is not in force when its funds are held. So is a key that was remembered from
 * before the change, with its limits and rights.
 * @param way whether a kept answer may be charged without a hold before it
 * @throws controls_changing, and whatever a stage refuses with
 */
export async function prepare(
  caller: AuthorizedCtx,
  given: InferenceRequest,
  way: 'at_once' | 'hold_first' = 'at_once',
): Promise<Prepared> {
  const { controls } = caller.services;
  const { tenantId } = caller.who;
  let ctx = caller;
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const asking = controls.of(tenantId);
    const version = asking instanceof Promise ? await asking : asking;
    if (isBehind(ctx, version)) ctx = await identifiedAnew(ctx);
    const attempt = newAttempt(version, way);
    try {
      return await prepareUnder(attempt, ctx, given);
    } catch (thrown) {
      if (!(await isOvertaken(ctx, attempt, thrown))) {
        if (attempt.workspace) await recordBlock(ctx, attempt.workspace, thrown);
        // What was released after its hold has been counted there.
        if (!attempt.isEnded) countEnd(ctx, given, thrown);
        throw thrown;
      }
      // It counts once, however often it is decided.
      if (attempt.admission) admitAnew(ctx, attempt.admission);
      controls.forget(tenantId);
      // Where changes come in a row, the next one is let by.
      if (tries > 1) await sleep(Math.random() * tries * PAUSE_MS);
    }
  }
  const failure = new GatewayError('controls_changing', { retryAfterMs: RETRY_AFTER_MS });
  countEnd(ctx, given, failure);
  throw failure;
}

/** Counts a request that reached no provider, under the model that it names. */
function countEnd({ services }: AuthorizedCtx, { model }: InferenceRequest, thrown: unknown): void {
  const error = thrown instanceof UpstreamAborted ? undefined : toGatewayError(thrown);
  services.modelMetrics.ended(undefined, model, outcomeOf(error));
}

/**
 * The tokens of the minute that a refused request keeps. Work that was done counts: a text that
 * took all the time that a scan is given would else be sent again and again for nothing.
 */
function tokensSpent({ tokensTaken }: Admission, thrown: unknown): number {
  const isScanned = thrown instanceof GatewayError && thrown.code === 'firewall_scan_too_long';
  return isScanned ? tokensTaken : 0;
}

/** A decision under one version of the tenant's controls. */
interface Attempt {
  readonly controls: string;
  /** Whether a kept answer may be charged without a hold before it. */
  readonly way: 'at_once' | 'hold_first';
  /** The ledger has been asked, which says itself when the version is not in force any more. */
  isConfirmed: boolean;
  /** Its hold was given back, and its end was counted with that. */
  isEnded: boolean;
  /** The workspace that the request is made under, as soon as it is known. */
  workspace: UsedWorkspace | undefined;
  /** What it has taken of the limits of requests, as soon as it has passed them. */
  admission: Admission | undefined;
}

function newAttempt(controls: string, way: Attempt['way']): Attempt {
  const unknown = { workspace: undefined, admission: undefined };
  return { controls, way, isConfirmed: false, isEnded: false, ...unknown };
}

/**
 * Whether a refusal may be one of what is not in force any more. A hold has asked; what is refused
 * before it asks now. Rates are refused as they are remembered: a flood must stay cheap to refuse.
 */
async function isOvertaken(
  { services, who }: AuthorizedCtx,
  { controls, isConfirmed }: Attempt,
  thrown: unknown,
): Promise<boolean> {
  if (thrown instanceof ControlsChanged) return true;
  if (isConfirmed || !(thrown instanceof GatewayError)) return false;
  const isOfControls = thrown.status < 500 && thrown.status !== 429;
  return isOfControls && !(await services.controls.isCurrent(who.tenantId, controls));
}

/** One attempt. @throws ControlsChanged, and whatever a stage refuses with */
async function prepareUnder(
  attempt: Attempt,
  ctx: AuthorizedCtx,
  given: InferenceRequest,
): Promise<Prepared> {
  const isStale = given.prompt !== undefined && given.prompt.controls !== attempt.controls;
  const current = (isStale && (await given.filledAnew?.(ctx))) || given;
  const resolving = aliased(ctx, current);
  const resolved = resolving instanceof Promise ? await resolving : resolving;
  const binding = underContract(ctx, resolved);
  const bound = binding instanceof Promise ? await binding : binding;
  const placing = underWorkspace(attempt, ctx, bound);
  const asked = placing instanceof Promise ? await placing : placing;
  requireWindow(ctx, asked);
  const admission = await admit(ctx, withAllBlocks(asked), attempt.controls);
  attempt.admission = admission;
  const { spans } = ctx.transport;
  spans?.passed('admit');
  const claim = new Claim(ctx, admission);
  let isCounted = false;
  try {
    const funding = requireSomeFunds(ctx, asked, admission);
    if (funding instanceof Promise) await funding;
    const filling = context(ctx, asked, admission);
    const filled = filling instanceof Promise ? await filling : filling;
    const by = { keys: ctx.who.bounds, workspace: filled.workspace?.workspace };
    const asker = { owner: ctx.who.tenantId, signal: ctx.signal };
    const inspecting = firewallIn(filled, admission.policy, by, asker);
    const inspected = inspecting instanceof Promise ? await inspecting : inspecting;
    const request = asSent(withLabelsMasked(filled, inspected, admission.policy), inspected);
    spans?.passed('firewall_in');
    if (request.workspace) requireApproved(request.workspace, request, inspected);
    const choosing = chosenRoute(ctx, request, admission, inspected);
    const chosen = choosing instanceof Promise ? await choosing : choosing;
    const running = requireRunning(ctx, request, chosen);
    if (running instanceof Promise) await running;
    if (ctx.who.token) isCounted = await takeTokenRequest(ctx);
    spans?.passed('route');
    const cache = cacheWay(ctx, request, admission, inspected, chosen);
    if (attempt.way === 'at_once' && cache !== undefined) {
      const kept = await keptAtOnce(ctx, request, admission, chosen, cache);
      const { startedMs } = ctx;
      const ready = { ctx, request, admission, inspected, route: chosen, claim, cache, startedMs };
      if (kept) return { ...ready, kept };
    }
    attempt.isConfirmed = true;
    const held = await hold(ctx, request, admission, inspected, chosen);
    spans?.passed('hold');
    const startedMs = ctx.startedMs + held.waitedMs;
    const { request: heldFor, route } = held;
    const paidFor = { ctx, request: heldFor, admission, inspected, route, claim, startedMs };
    const isAsAsked = heldFor === request && route.outputTokensCap === chosen.outputTokensCap;
    return isAsAsked ? { ...paidFor, cache } : await withCache(paidFor);
  } catch (thrown) {
    attempt.isEnded = !claim.close(tokensSpent(admission, thrown));
    claim.settled();
    if (isCounted) await giveTokenRequestBack(ctx);
    throw thrown;
  }
}

/** The request with the size of what is sent; the same object where nothing is masked. */
function asSent(request: InferenceRequest, { inspection }: Inspected): InferenceRequest {
  if (inspection.verdict !== 'masked') return request;
  return { ...request, size: maskedSize(request.size, request.operation, inspection.body) };
}

/**
 * The request with the workspace that it is made under; the same object where it names none.
 * @throws ephemeral_scope_exceeded, workspace_boundary, workspace_required, workspace_not_found,
 * workspace_policy_blocked
 */
function underWorkspace(
  attempt: Attempt,
  ctx: AuthorizedCtx,
  request: InferenceRequest,
): InferenceRequest | Promise<InferenceRequest> {
  requireScope(ctx, request);
  const finding = workspaceOf(ctx, request);
  if (finding === undefined) return request;
  const under = (workspace: UsedWorkspace | undefined) => {
    attempt.workspace = workspace;
    if (workspace) requireApproved(workspace, request);
    return { ...request, workspace };
  };
  return finding instanceof Promise ? finding.then(under) : under(finding);
}

/** With what the response cache may do. Funds are held by now: a fault gives them back. */
async function withCache(paidFor: Omit<Prepared, 'cache'>): Promise<Prepared> {
  const { ctx, request, admission, inspected, route } = paidFor;
  try {
    return { ...paidFor, cache: cacheWay(ctx, request, admission, inspected, route) };
  } catch (thrown) {
    await release({ ...paidFor, cache: undefined }, thrown);
    throw thrown;
  }
}
