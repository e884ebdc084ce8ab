import type { Fault } from '../../kernel/errors/fail.js';
import { fault, fits } from '../../kernel/errors/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { formatRub } from '../../kernel/money.js';
import type { BUDGET_CHECK, BUDGET_INPUT } from './tables.js';
import {
  BUDGET_SCOPES,
  type BudgetScope,
  EACH_REF,
  EACH_SCOPES,
  EVERY_REF,
  type OnCapReached,
} from './vocabulary.js';

/** A budget as requests are judged by it. */
export interface ScopeBudget {
  readonly id: string;
  readonly name: string;
  readonly onCapReached: OnCapReached;
  /** The cheaper route; undefined unless it degrades. */
  readonly degradeTo: string | undefined;
}

/** Scopes whose budgets are asked by their ids: nothing that a request names says which. */
type KnownById = 'policy' | 'ephemeral_token' | 'workspace_user' | 'key' | 'each';

/** What a request names of each scope. */
export type RequestScopes = Readonly<Record<Exclude<BudgetScope, KnownById>, readonly string[]>>;

/** By the key of a scope and a reference. */
export type ByScope<T> = ReadonlyMap<string, readonly T[]>;

/** The key under which what holds for a reference of a scope is kept. */
export function scopeKey(scope: string, ref: string): string {
  return `${scope}\n${ref}`;
}

/** What is kept under the keys of a request's scopes, each thing once; `*` is any reference. */
export function concerning<T>(kept: ByScope<T>, scopes: RequestScopes): T[] {
  if (kept.size === 0) return [];
  const found = Object.entries(scopes).flatMap(([scope, refs]) =>
    (refs.length === 0 ? [] : [EVERY_REF, ...refs]).flatMap((ref) =>
      ref === EACH_REF ? [] : (kept.get(scopeKey(scope, ref)) ?? []),
    ),
  );
  return [...new Set(found)];
}

/** A budget that caps each of a scope, and the one that a request names. */
export interface EachBudget {
  readonly budget: ScopeBudget;
  readonly ref: string;
}

/**
 * The budgets that cap each of what a request names. Of keys these are the one that the request is
 * made with and those that have made it, so that no key has more by making others; members have
 * none.
 */
export function cappedEach(
  kept: ByScope<ScopeBudget>,
  scopes: RequestScopes,
  keyIds: readonly string[],
): EachBudget[] {
  if (kept.size === 0) return [];
  return EACH_SCOPES.flatMap((scope) => {
    const budgets = kept.get(scopeKey(scope, EACH_REF)) ?? [];
    const refs = scope === 'key' ? keyIds : scopes[scope];
    return budgets.flatMap((budget) => refs.map((ref) => ({ budget, ref })));
  });
}

/**
 * The ids of the budgets that concern a request, in the order in which the ledger is to ask them:
 * the first that refuses is told. Those that degrade come first, since the others then judge what
 * the cheaper route costs; what a person can turn comes after what nobody can.
 */
export function askingOrder(
  scoped: readonly ScopeBudget[],
  policyBudgetIds: readonly string[],
): readonly string[] {
  if (scoped.length === 0) return policyBudgetIds;
  const idsOf = (action: OnCapReached) =>
    scoped.filter(({ onCapReached }) => onCapReached === action).map(({ id }) => id);
  const others = ['block', 'require_approval', 'allow'] as const;
  return [...idsOf('degrade'), ...policyBudgetIds, ...others.flatMap(idsOf)];
}

/** Where a budget stands in its period, in micro-rubles. */
export interface BudgetStanding {
  readonly spentMicro: bigint;
  readonly heldMicro: bigint;
  /** The cap as it was set. */
  readonly capMicro: bigint;
  /** What exceptions have added to it for the period. */
  readonly grantedMicro: bigint;
}

/** What may be spent in the period: the cap, and what was granted. */
function allowedMicro({ capMicro, grantedMicro }: BudgetStanding): bigint {
  return capMicro + grantedMicro;
}

/** The least that a request can be billed: one micro-ruble. */
const LEAST_MICRO = 1n;

/** Whether a budget has room for a request: the rule by which the ledger refuses a hold. */
export function allowsMore(standing: BudgetStanding, estimateMicro: bigint): boolean {
  return !passesCap(standing, estimateMicro);
}

function passesCap(standing: BudgetStanding, estimateMicro: bigint = LEAST_MICRO): boolean {
  return standing.spentMicro + standing.heldMicro + estimateMicro > allowedMicro(standing);
}

/** A budget that is asked whether a request may be made. */
export interface GuardedBudget extends BudgetStanding {
  readonly onCapReached: OnCapReached;
  readonly degradeTo: string | null;
  readonly softAlerts: readonly number[];
  readonly active: boolean;
}

type Guarded = Omit<ValuesOf<typeof BUDGET_CHECK.fields>, 'periodStart' | 'provenance'>;

/** What the guard of a budget decides; on the chat path the ledger decides by the same rule. */
export function guard(budget: GuardedBudget, estimateMicro: bigint | null): Guarded {
  const { spentMicro, heldMicro, capMicro, grantedMicro, active } = budget;
  const allowed = allowedMicro(budget);
  const capReached = passesCap(budget, estimateMicro ?? undefined);
  const decision = active && capReached ? budget.onCapReached : 'allow';
  const usedMicro = spentMicro + heldMicro;
  return {
    decision,
    capReached,
    reason: reasonOf(budget, decision, capReached),
    spentMicro,
    heldMicro,
    hardCapMicro: capMicro,
    grantedMicro,
    leftMicro: usedMicro < allowed ? allowed - usedMicro : 0n,
    usedPercent: allowed === 0n ? 100 : Number((usedMicro * 10_000n) / allowed) / 100,
    alertsReached: reachedAlerts(budget.softAlerts, budget).map(percentOf),
    degradeTo: decision === 'degrade' ? budget.degradeTo : null,
    active,
  };
}

function reasonOf(budget: GuardedBudget, decision: OnCapReached, capReached: boolean): string {
  const cap = formatRub(allowedMicro(budget));
  const used = formatRub(budget.spentMicro + budget.heldMicro);
  if (!budget.active) return 'The budget is switched off.';
  if (!capReached) return `${used} of ${cap} RUB are spent or held, so that the request fits.`;
  const beyond = `${used} of ${cap} RUB are spent or held, so that the request passes the cap: `;
  if (decision === 'allow') return `${beyond}the budget counts it and refuses nothing.`;
  if (decision === 'degrade') return `${beyond}it takes the route ${budget.degradeTo}.`;
  if (decision === 'require_approval') return `${beyond}it needs an approval.`;
  return `${beyond}it is refused.`;
}

const WHOLE = 10_000n;

/** Those thresholds, in basis points of the cap, that spending has reached. */
export function reachedAlerts(softAlerts: readonly number[], standing: BudgetStanding): number[] {
  const spent = standing.spentMicro * WHOLE;
  return softAlerts.filter((each) => spent >= allowedMicro(standing) * BigInt(each));
}

/** Basis points as a percentage. */
export function percentOf(basisPoints: number): number {
  return basisPoints / 100;
}

/** Percentages as soft alerts are kept: basis points, ascending, each once. */
export function alertBasisPoints(stated: readonly number[]): number[] {
  const points = stated.map((each) => Math.round(each * 100));
  return [...new Set(points)].sort((left, right) => left - right);
}

/** Below 1 % nobody wants an alert: such a value is most likely meant as a share of the cap. */
function alertFaults(path: string, percent: number): Fault[] {
  if (percent >= 1) return [];
  const hint = percent > 0 ? `; did you mean ${Number((percent * 100).toPrecision(6))}?` : '';
  return [fault(path, 'out_of_range', `must be in percent of the cap, from 1 to 100${hint}`)];
}

/** Which requests a budget concerns, in a sentence. */
export function concernsOf(scope: string, scopeRef: string): string {
  if (scope === 'policy') return 'All requests of the project of the policy, taken together.';
  const named = NAMES[scope] ?? `name a ${scope}`;
  if (scope === 'each') return `Requests of one alone that its budget caps: ${scopeRef}.`;
  if (scopeRef === EACH_REF) {
    return `Requests that ${named}: each one has the cap for itself; no others.`;
  }
  if (scopeRef !== EVERY_REF) return `Requests that ${named}: ${scopeRef}.`;
  if (scope === 'route') return 'All requests, taken together, since each names a route.';
  return `All requests that ${named}, whichever it is, taken together; no others.`;
}

const NAMES: Readonly<Record<string, string>> = {
  use_case: 'name a use case in metadata.feature',
  route: 'ask or take the route',
  partner_client: 'name a partner client in metadata.client_id',
  agent_session: 'name an agent session in metadata.session_id',
  key: 'are made with the API key, or with what it has made',
};

const SET_ELSEWHERE =
  'is not set here: a policy (PATCH /v1/gw/policies/{id}), an API key (PATCH /api-keys/{id}), an ' +
  'ephemeral token and a workspace bring their own budgets';

const NOT_OF_EACH = 'is not for a budget with the reference each';

/** What no single field of a budget shows. */
export function budgetFaults(budget: ValuesOf<typeof BUDGET_INPUT.fields>): Fault[] {
  const { scope, scopeRef, softAlerts, onCapReached, degradeTo, ladder } = budget;
  const isEach = scopeRef === EACH_REF;
  const hasEach = (EACH_SCOPES as readonly string[]).includes(scope);
  const isSet = BUDGET_SCOPES.rows.find((row) => row.code === scope)?.set === true;
  return [
    ...fits('input.scope', isSet || (isEach && hasEach), SET_ELSEWHERE),
    ...fits('input.scopeRef', !isEach || hasEach || !isSet, `is for ${EACH_SCOPES.join(', ')}`),
    ...fits('input.softAlerts', !isEach || softAlerts.length === 0, NOT_OF_EACH),
    ...fits('input.ladder', !isEach || !ladder, NOT_OF_EACH),
    ...fits('input.scopeRef', scopeRef.trim() === scopeRef, 'must not begin or end with spaces'),
    ...softAlerts.flatMap((each, index) => alertFaults(`input.softAlerts.${index}`, each)),
    ...fits(
      'input.degradeTo',
      degradeTo === null || onCapReached === 'degrade',
      'goes with on_cap_reached degrade alone',
    ),
  ];
}
