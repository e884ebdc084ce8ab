import type { MicroRub } from '../../kernel/money.js';

/** How many requests each trace tells of, and how many of them are not whole. */
export interface CompletenessCounts {
  readonly ledgerCharges: number;
  readonly usageRows: number;
  readonly orphans: number;
  readonly doubles: number;
  readonly danglings: number;
}

/** Complete where both traces tell of as many requests and none of them is amiss. */
export function completenessOf(counts: CompletenessCounts): 'COMPLETE' | 'INCOMPLETE' {
  const { ledgerCharges, usageRows, orphans, doubles, danglings } = counts;
  const isWhole = ledgerCharges === usageRows && orphans + doubles + danglings === 0;
  return isWhole ? 'COMPLETE' : 'INCOMPLETE';
}

/** What two meters say of the same requests. */
export interface TwoMeters {
  readonly ledgerMicro: MicroRub;
  readonly usageMicro: MicroRub;
  /** Requests of which they say different things. */
  readonly mismatches: number;
}

/** Matched where no request differs, and the sums do not either. */
export function dualMeterOf(meters: TwoMeters): 'MATCHED' | 'MISMATCH' {
  const { ledgerMicro, usageMicro, mismatches } = meters;
  return mismatches === 0 && ledgerMicro === usageMicro ? 'MATCHED' : 'MISMATCH';
}

/** What was charged, and what the replay gives. */
export interface Replayed {
  readonly ledgerMicro: MicroRub;
  readonly replayedMicro: MicroRub;
  /** How far they may be apart; 0 for recorded rows. */
  readonly toleranceMicro: MicroRub;
  /** Requests that do not follow from their usage. */
  readonly discrepancies: number;
}

/** Reconciled where every request follows and the sums are within the tolerance. */
export function replayOf(replayed: Replayed): 'RECONCILED' | 'DISCREPANCY' {
  const { ledgerMicro, replayedMicro, toleranceMicro, discrepancies } = replayed;
  const offMicro = ledgerMicro - replayedMicro;
  const isWithin = (offMicro < 0n ? -offMicro : offMicro) <= toleranceMicro;
  return discrepancies === 0 && isWithin ? 'RECONCILED' : 'DISCREPANCY';
}

/** Intact where no row of a request was altered and no line of the account is gone. */
export function rowsOf(rows: { alterations: number; missing: number }): 'INTACT' | 'ALTERED' {
  return rows.alterations + rows.missing === 0 ? 'INTACT' : 'ALTERED';
}

const VIOLATIONS: ReadonlySet<string> = new Set([
  'INCOMPLETE',
  'MISMATCH',
  'DISCREPANCY',
  'ALTERED',
]);
const CLEAN: ReadonlySet<string> = new Set(['COMPLETE', 'MATCHED', 'RECONCILED', 'INTACT']);

/**
 * The word of a period: a proven violation outranks insufficient data, which outranks HEALTHY. A
 * verdict that is neither counts as insufficient.
 */
export function compositeOf(
  verdicts: readonly string[],
): 'VIOLATION' | 'cannot_certify' | 'HEALTHY' {
  if (verdicts.some((verdict) => VIOLATIONS.has(verdict))) return 'VIOLATION';
  const isProven = verdicts.length > 0 && verdicts.every((verdict) => CLEAN.has(verdict));
  return isProven ? 'HEALTHY' : 'cannot_certify';
}
