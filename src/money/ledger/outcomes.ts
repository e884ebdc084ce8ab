import type { BudgetState, HoldOutcome, SettleOutcome } from './ledger.js';

/** One row of ledger_apply's answer: position from 1, status, amount, detail as JSON. */
export type AnswerRow = readonly [
  position: number,
  status: string,
  amount: string | null,
  detail: string | null,
];

/** True where what was asked for stands, now or from before. */
export function isDone([, status]: AnswerRow): boolean {
  return status === 'ok' || status === 'duplicate';
}

interface BudgetDetail {
  readonly budget: string;
  readonly name: string;
  readonly period: BudgetState['period'];
  readonly spent: string;
  readonly held: string;
  readonly cap: string;
}

/** What a hold's row means to its caller. */
export function holdOutcome([, status, amount, detail]: AnswerRow): HoldOutcome {
  switch (status) {
    case 'ok':
    case 'duplicate':
      return { status, heldMicro: BigInt(amount ?? 0) };
    case 'insufficient': {
      const { available } = JSON.parse(detail ?? '{}') as { available: string };
      return { status, availableMicro: BigInt(available) };
    }
    case 'budget_exhausted':
    case 'budget_reserved':
      return { status, budget: budgetState(JSON.parse(detail ?? '{}') as BudgetDetail) };
    default:
      return { status: status as 'key_revoked' };
  }
}

/** What a finalize's or a release's row means to its caller. */
export function settleOutcome([, status, amount, detail]: AnswerRow): SettleOutcome {
  const uncollected = detail && (JSON.parse(detail) as { uncollected: string }).uncollected;
  return {
    status: status === 'unknown_account' ? 'no_hold' : (status as SettleOutcome['status']),
    chargedMicro: BigInt(amount ?? 0),
    uncollectedMicro: BigInt(uncollected ?? 0),
  };
}

function budgetState(detail: BudgetDetail): BudgetState {
  return {
    budgetId: detail.budget,
    name: detail.name,
    period: detail.period,
    spentMicro: BigInt(detail.spent),
    heldMicro: BigInt(detail.held),
    capMicro: BigInt(detail.cap),
  };
}
