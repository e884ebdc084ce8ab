import { missingMicro } from '../../access/budgets/rules.js';
import { requestPendingException } from '../../access/budgets/service.js';
import {
  askingOrder,
  cappedEach,
  concerning,
  type ScopeBudget,
  scopeKey,
} from '../../finops/budgets/budgets.rules.js';
import type { SpendControls } from '../../finops/budgets/spend-controls.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { sharedNowMs } from '../../kernel/clock.js';
import { fail } from '../../kernel/errors/fail.js';
import { formatRub, type MicroRub } from '../../kernel/money.js';
import type { BudgetState, ChargeOp, HoldOutcome } from '../../money/ledger/ledger.js';
import { waitsForDecision } from '../../records/approvals/queue.js';
import { holdWhenApproved } from '../approval-wait.js';
import { capsOfEach, keysOf } from '../caps-of-each.js';
import { ControlsChanged } from '../controls-changed.js';
import { degraded, type Routed } from '../degrade.js';
import { isUnaffordable, leastEstimate, lowerLimit } from '../lower-limit.js';
import { requireRunning } from '../paused.js';
import type { InferenceRequest } from '../request.js';
import { spendScopes } from '../spend-scopes.js';
import { knownUsage } from '../usage-row.js';
import type { Admission } from './admit.js';
import type { Inspected } from './firewall-in.js';
import type { ChosenRoute } from './route.js';

/** A hold that stands. */
export interface Held {
  /** As it came, or under the cheaper route that a budget has sent it on. */
  readonly request: InferenceRequest;
  /** The route that is paid for: its output limit may be lower than what was asked. */
  readonly route: ChosenRoute;
  /** Milliseconds that the request waited for an approval. */
  readonly waitedMs: number;
}

/** What is held for: it does not change while routes and limits do. */
interface Claimed {
  readonly ctx: AuthorizedCtx;
  readonly stages: readonly [Admission, Inspected];
  readonly controls: SpendControls;
  /** The budgets of the scopes that the request names, by their ids. */
  readonly budgets: ReadonlyMap<string, ScopeBudget>;
}

/** A try to hold, and how the ledger answered. */
interface Tried extends Routed {
  readonly outcome: HoldOutcome;
  /** The budgets that the request has given way to. */
  readonly beyond: readonly string[];
}

/** Others spend while a lower limit is computed; each refusal brings fresher figures. */
const TRIES_MAX = 4;

/**
 * Reserves the most that the request can cost. Key, member, tenant, funds and the budgets of the
 * policy and of every scope that the request names are checked in the same transaction; a refusal
 * has changed nothing. Where funds or a budget do not cover the upper bound, the output limit is
 * lowered to what they pay for; a budget that degrades sends the request on its cheaper route
 * instead. A request that would rather wait for an approval than be refused by an exhausted budget
 * waits here, with its slot held.
 * @throws ControlsChanged where the request has to be decided again
 * @throws insufficient_balance, budget_exhausted, budget_too_small, budget_reserved,
 * budget_approval_required, budget_degrade_unusable, api_key_revoked, ephemeral_token_expired,
 * invalid_token, tenant_suspended, ledger_unavailable; after a wait also approval_rejected and
 * approval_wait_timeout
 */
export async function hold(
  ctx: AuthorizedCtx,
  request: InferenceRequest,
  admission: Admission,
  inspected: Inspected,
  route: ChosenRoute,
): Promise<Held> {
  const known = ctx.services.spendControls.forTenant(ctx.who.tenantId);
  const controls = known instanceof Promise ? await known : known;
  const budgets = ownBudgets(ctx, request);
  const unclaimed = { ctx, stages: [admission, inspected], controls, budgets } as const;
  const [claimed, asked] = await claimFor(unclaimed, { request, route });
  const [last, tried] = await giveWay(claimed, await reserveAffordable(claimed, asked, []));
  if (stands(tried.outcome)) return { ...tried, waitedMs: 0 };
  return holdAfterDecision(last, tried);
}

const NO_BUDGETS: Claimed['budgets'] = new Map();

/** The budgets of token, keys and user of the workspace: they hold on any route. */
export function ownBudgets(
  { who }: AuthorizedCtx,
  { workspace }: InferenceRequest,
): ReadonlyMap<string, ScopeBudget> {
  const { token, bounds } = who;
  const user = workspace?.budget;
  if (!token && !user && !bounds) return NO_BUDGETS;
  const owned = [
    ...(token ? [{ id: token.budgetId, name: token.name }] : []),
    ...(bounds?.flatMap(({ budgets }) => budgets) ?? []),
    ...(user ? [user] : []),
  ];
  const blocking = { onCapReached: 'block', degradeTo: undefined } as const;
  return new Map(owned.map((each) => [each.id, { ...each, ...blocking }]));
}

/**
 * What is held for when a request takes a route: every budget that concerns it there joins those
 * that concern it already. A fallback whose own route has a budget or is paused does not stand in,
 * as the hold does not ask for it.
 */
async function claimFor(
  claimed: Claimed,
  { request, route }: Routed,
): Promise<readonly [Claimed, Routed]> {
  const { budgets, pauses } = claimed.controls;
  if (budgets.size === 0 && pauses.size === 0) return [claimed, { request, route }];
  const isLimited = (id: string) => {
    const key = scopeKey('route', id);
    return budgets.has(key) || pauses.has(key);
  };
  const chain = route.chain.filter(({ id }) => id === route.chosen.id || !isLimited(id));
  const scopes = spendScopes(request, route);
  const each = cappedEach(budgets, scopes, keysOf(claimed.ctx));
  const ofEach = await capsOfEach(claimed.ctx, { request, route }, each);
  const concerned = [...concerning(budgets, scopes), ...ofEach];
  const joined = new Map([
    ...claimed.budgets,
    ...concerned.map((each) => [each.id, each] as const),
  ]);
  return [
    { ...claimed, budgets: joined },
    { request, route: { ...route, chain } },
  ];
}

/** Whether a budget of any scope concerns a request on its route. */
export function isBudgeted(
  ctx: AuthorizedCtx,
  { policy }: Admission,
  { request, route }: Routed,
  { budgets }: SpendControls,
): boolean {
  if (policy.budgetIds.length > 0 || ownBudgets(ctx, request).size > 0) return true;
  if (budgets.size === 0) return false;
  const scopes = spendScopes(request, route);
  return concerning(budgets, scopes).length + cappedEach(budgets, scopes, keysOf(ctx)).length > 0;
}

/** True where the request is admitted. */
export function stands({ status }: HoldOutcome): boolean {
  return status === 'ok' || status === 'duplicate';
}

/**
 * Who holds, and under which controls.
 * @throws api_key_revoked for a secret that another one has followed
 */
export function holderOf(
  { who, requestId }: AuthorizedCtx,
  { controls }: Pick<Admission, 'controls'>,
): Omit<ChargeOp, 'amountMicro' | 'usage'> {
  // The ledger knows keys: that a secret is followed by another one ends here.
  const untilMs = who.secret?.formerUntilMs;
  if (untilMs !== undefined && untilMs <= sharedNowMs()) fail('api_key_revoked');
  const { accountId, tenantId } = who;
  const holder = who.kind === 'api_key' ? { keyId: who.id } : { userId: who.id };
  return { accountId, tenantId, requestId, ...holder, controls };
}

function reserve(
  { ctx, stages: [admission, inspected], budgets }: Claimed,
  { request, route }: Routed,
  beyondBudgetIds: readonly string[],
): Promise<HoldOutcome> {
  return ctx.services.ledger.hold({
    ...holderOf(ctx, admission),
    amountMicro: route.estimateMicro,
    budgetIds: askingOrder([...budgets.values()], admission.policy.budgetIds),
    ...(beyondBudgetIds.length > 0 && { beyondBudgetIds }),
    usage: knownUsage(ctx, request, route, inspected),
  });
}

/** Reserves the whole estimate, or what is left after lowering the output limit. */
async function reserveAffordable(
  claimed: Claimed,
  { request, route: asked }: Routed,
  beyond: readonly string[],
): Promise<Tried> {
  let route = asked;
  for (let tries = 1; ; tries += 1) {
    const outcome = await reserve(claimed, { request, route }, beyond);
    const tried = { request, route, outcome, beyond };
    const lower =
      tries < TRIES_MAX &&
      isUnaffordable(outcome) &&
      !degrading(claimed, tried) &&
      lowerLimit(request, route, outcome);
    if (!lower) return tried;
    route = lower;
  }
}

/** The budget that has refused and would rather send the request on a cheaper route. */
function degrading({ budgets }: Claimed, { outcome, beyond }: Tried): ScopeBudget | undefined {
  const { budgetId = '' } = 'budget' in outcome ? outcome.budget : {};
  const budget = beyond.includes(budgetId) ? undefined : budgets.get(budgetId);
  return budget?.onCapReached === 'degrade' ? budget : undefined;
}

/**
 * Gives way to each budget that asks for it, once. Budgets and pauses of the cheaper route concern
 * the request like those of its own.
 * @throws spend_paused
 */
async function giveWay(claimed: Claimed, refused: Tried): Promise<readonly [Claimed, Tried]> {
  const budget = degrading(claimed, refused);
  if (!budget) return [claimed, refused];
  const cheaper = await degraded(claimed.ctx, refused, claimed.stages, budget);
  await requireRunning(claimed.ctx, cheaper.request, cheaper.route);
  const [wider, asked] = await claimFor(claimed, cheaper);
  const beyond = [...refused.beyond, budget.id];
  return giveWay(wider, await reserveAffordable(wider, asked, beyond));
}

/** A refusal that an approval can turn waits for it where the request asks for that. */
async function holdAfterDecision(claimed: Claimed, refused: Tried): Promise<Held> {
  const { ctx, budgets } = claimed;
  const { request, route, outcome: first, beyond } = refused;
  const { approvalWait } = request;
  const leastMicro = leastEstimate(request, route);
  const turnable = ({ budgetId }: BudgetState) => {
    const scoped = budgets.get(budgetId);
    return !scoped || scoped.onCapReached === 'require_approval';
  };
  if (first.status !== 'budget_exhausted' || !turnable(first.budget)) {
    return refuse(ctx, first, leastMicro);
  }
  if (approvalWait === undefined) {
    if (budgets.has(first.budget.budgetId)) await askAhead(ctx, first.budget, leastMicro);
    return refuse(ctx, first, leastMicro);
  }
  const refusedMs = performance.now();
  const outcome = await holdWhenApproved(ctx, approvalWait, {
    refused: first,
    estimateMicro: route.estimateMicro,
    turnable,
    reserve: () => reserve(claimed, { request, route }, beyond),
  });
  if (!stands(outcome)) refuse(ctx, outcome, leastMicro);
  return { request, route, waitedMs: performance.now() - refusedMs };
}

/** What the decider reads of an exception that nobody waits for. */
const REASON = 'Requests were refused at the cap of the budget.';
/** Such an exception asks for a tenth of the cap, or for what the request needs: the larger. */
const SHARE = 10n;

/** @throws budget_approval_required, with the approval where the caller may ask for one */
async function askAhead(ctx: AuthorizedCtx, budget: BudgetState, leastMicro: MicroRub) {
  const { budgetId, name, capMicro } = budget;
  const { spent, held, cap, required } = budgetValues(budget, leastMicro);
  const needed = missingMicro(leastMicro, budget);
  const tenth = missingMicro(capMicro / SHARE, budget);
  const wish = { budgetId, amountMicro: needed > tenth ? needed : tenth, reason: REASON };
  const mayAsk = ctx.who.permissions.has('budgets.request');
  const ask = () => requestPendingException(ctx, wish);
  const { spendControls } = ctx.services;
  const stands = (id: string) => waitsForDecision(ctx, id);
  const approvalId = mayAsk
    ? await spendControls.approvalFor(budgetId, { ask, stands })
    : undefined;
  fail('budget_approval_required', {
    values: { budget: name, spent, held, cap, required },
    ...(approvalId !== undefined && { data: { approval_id: approvalId } }),
  });
}

/**
 * Tells why nothing could be held.
 * @throws the error of the outcome, always
 */
export function refuse(
  { who }: Pick<AuthorizedCtx, 'who'>,
  outcome: HoldOutcome,
  leastMicro: MicroRub,
): never {
  switch (outcome.status) {
    case 'insufficient': {
      const available = formatRub(outcome.availableMicro);
      return fail('insufficient_balance', {
        values: { available, required: formatRub(leastMicro) },
      });
    }
    case 'budget_exhausted': {
      const isSpent = outcome.budget.spentMicro >= outcome.budget.capMicro;
      const code = isSpent ? 'budget_exhausted' : 'budget_too_small';
      return fail(code, { values: budgetValues(outcome.budget, leastMicro) });
    }
    case 'budget_reserved':
      return fail('budget_reserved', { values: budgetValues(outcome.budget, leastMicro) });
    case 'key_revoked':
      return fail('api_key_revoked');
    case 'key_expired':
      return fail(who.token ? 'ephemeral_token_expired' : 'api_key_revoked');
    case 'user_removed':
      return fail('invalid_token', { values: { reason: 'its member was removed' } });
    case 'tenant_suspended':
      return fail('tenant_suspended');
    case 'controls_changed':
      throw new ControlsChanged();
    default:
      throw new Error(`the hold was refused: ${outcome.status}`);
  }
}

function budgetValues(
  { name, spentMicro, heldMicro, capMicro }: BudgetState,
  leastMicro: MicroRub,
) {
  return {
    budget: name,
    spent: formatRub(spentMicro),
    held: formatRub(heldMicro),
    left: formatRub(capMicro > spentMicro ? capMicro - spentMicro : 0n),
    cap: formatRub(capMicro),
    required: formatRub(leastMicro),
  };
}
