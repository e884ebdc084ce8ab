import type { Sealable } from '../../kernel/canonical.js';
import type { Fault } from '../../kernel/errors/fail.js';
import { range } from '../../kernel/errors/faults.js';
import { divide, formatRub } from '../../kernel/money.js';
import { reasonFaults } from '../../records/approvals/rules.js';
import type { ApprovalStatus } from '../../records/approvals/vocabulary.js';
import { EXCEPTION_BOUNDS, type ExceptionStatus } from './vocabulary.js';

/** What a decision of the approval queue makes of the exception. */
export const STATUS_AFTER: Readonly<Record<ApprovalStatus, ExceptionStatus>> = {
  pending: 'pending',
  approved: 'granted',
  rejected: 'rejected',
  expired: 'expired',
};

/** How much is asked for, and why. */
export interface ExceptionWish {
  readonly amountMicro: bigint;
  readonly reason: string;
}

/** Every fault of a request, by the names of the mutation's arguments. */
export function exceptionFaults({ amountMicro, reason }: ExceptionWish): Fault[] {
  const { amountMicroMax, reason: bounds } = EXCEPTION_BOUNDS;
  return [
    ...reasonFaults('reason', reason, bounds),
    ...range('amountRub', amountMicro, { min: 1n, max: amountMicroMax }, formatRub),
  ];
}

/** A budget in its current period, as an exception from it is judged. Amounts in micro-rubles. */
export interface BudgetFacts {
  readonly budgetId: string;
  /** Null for a budget that is not of a policy. */
  readonly policyId: string | null;
  readonly policyName: string | null;
  readonly scope: string;
  readonly scopeRef: string;
  readonly name: string;
  readonly period: string;
  /** The first day of the period, `YYYY-MM-DD`. */
  readonly periodStart: string;
  readonly capMicro: bigint;
  /** What exceptions have added to the cap so far. */
  readonly grantedMicro: bigint;
  readonly spentMicro: bigint;
  readonly heldMicro: bigint;
}

/** What the decider sees: the budget as it stood when the exception was asked for. */
export function shownOf(facts: BudgetFacts, wish: ExceptionWish, requestId?: string): Sealable {
  return {
    ...(facts.policyId === null
      ? { scope: facts.scope, scope_ref: facts.scopeRef }
      : { policy: facts.policyName, policy_id: facts.policyId }),
    budget: facts.name,
    budget_id: facts.budgetId,
    period: facts.period,
    period_start: facts.periodStart,
    cap_rub: formatRub(facts.capMicro),
    granted_rub: formatRub(facts.grantedMicro),
    spent_rub: formatRub(facts.spentMicro),
    held_rub: formatRub(facts.heldMicro),
    requested_rub: formatRub(wish.amountMicro),
    reason: wish.reason,
    request_id: requestId ?? null,
  };
}

/** The line of the queue. */
export function summaryOf(facts: BudgetFacts, { amountMicro }: ExceptionWish): string {
  const cap = formatRub(facts.capMicro + facts.grantedMicro);
  const amount = formatRub(amountMicro);
  return `${amount} RUB beyond ${cap} RUB of "${facts.name}" from ${facts.periodStart}`;
}

const MICRO_PER_KOPEK = 10_000n;

/** A budget that has no room, in micro-rubles; the cap includes what was granted. */
export interface FullBudget {
  readonly spentMicro: bigint;
  readonly heldMicro: bigint;
  readonly capMicro: bigint;
}

/**
 * What a request must ask for so that its own approval is enough, up to the whole kopek: its
 * estimate, and what the budget already is beyond its cap. What is left below the cap is not
 * counted on, since others that wait count on it too.
 */
export function missingMicro(estimateMicro: bigint, budget: FullBudget): bigint {
  const beyond = budget.spentMicro + budget.heldMicro - budget.capMicro;
  const wanted = estimateMicro + (beyond > 0n ? beyond : 0n);
  return divide(wanted, MICRO_PER_KOPEK, 'ceil') * MICRO_PER_KOPEK;
}
