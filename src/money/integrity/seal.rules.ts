import { whenEnough } from '../../kernel/verdict.js';
import type { Window } from '../../kernel/window.rules.js';
import { completenessCheck, dualMeterCheck, replayCheck } from './checks.rules.js';
import { SEALED_COLUMNS } from './columns.js';
import { type Reading, rootOfReading } from './reading.rules.js';
import type { FaultTally, FaultyRequest, WindowFacts } from './tally.rules.js';
import { compositeOf, rowsOf } from './verdict.rules.js';

/** All that a reading of a period has found. */
export interface PeriodFacts {
  readonly window: Window;
  readonly reading: Reading;
  readonly tally: FaultTally;
  readonly faulty: readonly FaultyRequest[];
  /** How many requests have a fault. */
  readonly total: number;
}

/** What the rows say by themselves, apart from what both traces say of a request. */
function rowsCheck({ reading, tally }: PeriodFacts) {
  const { alterations } = tally.counts;
  const { missingTotal: missing, leaves } = reading;
  const isEmpty = leaves === 0 && alterations + missing === 0;
  return whenEnough(
    { value: undefined, missing: isEmpty ? ['a row of the organization in the period'] : [] },
    { otherwise: 'cannot_certify' as const, reason: 'The period holds no row of the books.' },
    () => ({ verdict: rowsOf({ alterations, missing }), reason: null, needed: [] as string[] }),
  );
}

/**
 * What is sealed of a period: its checks under one word, the worst one, closed where data lacks;
 * and the root over the rows that they are of.
 */
export function sealedCheck(facts: PeriodFacts) {
  const { window, reading, tally, faulty, total } = facts;
  const { sums } = reading;
  const read: WindowFacts = { sums, tally, faulty, isBehind: false, basis: 'full' };
  const completeness = completenessCheck(read);
  const meter = dualMeterCheck(read);
  const replay = replayCheck(read);
  const rows = rowsCheck(facts);
  const checks = [completeness, meter, replay, rows];
  const verdict = compositeOf(checks.map((check) => check.verdict));
  const isRefused = verdict === 'cannot_certify';
  const reasons = checks.flatMap(({ reason }) => (reason === null ? [] : [reason]));
  return {
    ...completeness,
    ...window,
    verdict,
    reason: isRefused ? [...new Set(reasons)].join(' ') : null,
    needed: isRefused ? [...new Set(checks.flatMap(({ needed }) => needed))] : [],
    basis: 'full' as const,
    rowsRead: sums.rawRows,
    completeness: completeness.verdict,
    dualMeter: meter.verdict,
    replay: replay.verdict,
    pairs: meter.pairs,
    ledgerMicro: meter.ledgerMicro,
    usageMicro: meter.usageMicro,
    differenceMicro: meter.differenceMicro,
    mismatches: meter.mismatches,
    replayedCharges: replay.replayedCharges,
    replayedMicro: replay.replayedMicro,
    discrepancies: replay.discrepancies,
    rows: rows.verdict,
    alterations: tally.counts.alterations,
    missingLines: reading.missing.map(BigInt),
    missingLinesTotal: reading.missingTotal,
    namedTotal: total,
    leaves: BigInt(reading.leaves),
    rootSha256: rootOfReading(reading),
    witnessed: BigInt(reading.witnessed),
    logged: BigInt(reading.logged),
    compared: SEALED_COLUMNS,
  };
}

/** What a period was sealed as. */
export interface SealedAs {
  readonly verdict: string;
  /** Null for a receipt of before there was a root. */
  readonly rootSha256: string | null;
}

/** Whether the rows of a period say something else than its receipt. */
export function contradicts(sealed: SealedAs, now: SealedAs): boolean {
  const hasOtherRoot = sealed.rootSha256 !== null && sealed.rootSha256 !== now.rootSha256;
  return hasOtherRoot || sealed.verdict !== now.verdict;
}

/** The key of the receipt of a reading: that of the period, and behind it of which reading. */
export function receiptKey(sealKey: string, generation: number, isFirst: boolean): string {
  return isFirst ? sealKey : `${sealKey}#${generation}`;
}

/** The period and the reading that a receipt is of, by its key. */
export function readingOfKey(key: string): { sealKey: string; generation: number } {
  const [sealKey = '', generation = '1'] = key.split('#');
  return { sealKey, generation: Number(generation) };
}
