import { moscowDay } from '../../kernel/time.js';
import { allowsMore, reachedAlerts } from './budgets.rules.js';
import type { OnCapReached } from './vocabulary.js';

/** A recorded request of the scope of a budget. */
export interface PastSpend {
  /** Epoch milliseconds. */
  readonly atMs: number;
  readonly amountMicro: bigint;
}

/** The budget that is supposed to have held. */
export interface SupposedBudget {
  readonly capMicro: bigint;
  readonly period: 'day' | 'month' | 'total';
  readonly onCapReached: OnCapReached;
  readonly softAlerts: readonly number[];
  readonly active: boolean;
  /** What its scope had spent in the period in which the window begins, before the window. */
  readonly openingMicro: bigint;
}

/** What the budget would have done. */
export interface SupposedEffect {
  readonly requests: number;
  readonly blocked: number;
  readonly waiting: number;
  readonly degraded: number;
  readonly beyond: number;
  readonly blockedMicro: bigint;
  readonly passedMicro: bigint;
  readonly firstAtMs: number | null;
  readonly alerts: readonly number[];
}

const PERIOD_OF = {
  day: (atMs: number) => moscowDay(atMs),
  month: (atMs: number) => moscowDay(atMs).slice(0, 7),
  total: () => '',
} as const;

/**
 * What a budget would have done to recorded requests, in their order, by the rule of its cap. What
 * is refused is not counted and taken as not asked again; what gives way to a cheaper route counts
 * as it was, since nobody knows what it would have cost there.
 * @param fromMs when the window begins, in epoch milliseconds
 */
export function supposedEffect(
  requests: readonly PastSpend[],
  budget: SupposedBudget,
  fromMs: number,
): SupposedEffect {
  const periodOf = PERIOD_OF[budget.period];
  const spent = new Map([[periodOf(fromMs), budget.openingMicro]]);
  const counts = { allow: 0, block: 0, degrade: 0, require_approval: 0 };
  let [blockedMicro, passedMicro] = [0n, 0n];
  let firstAtMs: number | null = null;
  const alerts = new Set<number>();
  for (const { atMs, amountMicro } of requests) {
    const period = periodOf(atMs);
    const before = spent.get(period) ?? 0n;
    const standing = {
      spentMicro: before,
      heldMicro: 0n,
      grantedMicro: 0n,
      capMicro: budget.capMicro,
    };
    const isBeyond = budget.active && !allowsMore(standing, amountMicro);
    if (isBeyond) {
      counts[budget.onCapReached] += 1;
      firstAtMs ??= atMs;
    }
    if (isBeyond && REFUSING.has(budget.onCapReached)) {
      blockedMicro += amountMicro;
      continue;
    }
    passedMicro += amountMicro;
    const after = { ...standing, spentMicro: before + amountMicro };
    spent.set(period, after.spentMicro);
    if (budget.active) for (const each of reachedAlerts(budget.softAlerts, after)) alerts.add(each);
  }
  return {
    requests: requests.length,
    blocked: counts.block,
    waiting: counts.require_approval,
    degraded: counts.degrade,
    beyond: counts.allow,
    blockedMicro,
    passedMicro,
    firstAtMs,
    alerts: [...alerts].sort((left, right) => left - right),
  };
}

/** What refuses a request where nobody approves. */
const REFUSING: ReadonlySet<OnCapReached> = new Set(['block', 'require_approval']);
