import { whenEnough } from '../../kernel/verdict.js';
import { comparedBy } from './columns.js';
import type { FaultyRequest, WindowFacts } from './tally.rules.js';
import { completenessOf, dualMeterOf, replayOf } from './verdict.rules.js';

const CERTIFIED = { reason: null, needed: [] as readonly string[] } as const;

const PROOF = 'the proof of the latest rows, which is being made; or `full: true`, at any time';

/** The answer of a check that lacks what it compares, or of its rule. */
function judged<V extends string>(
  { isBehind }: WindowFacts,
  lacking: readonly string[],
  lack: string,
  rule: () => V,
): { verdict: V | 'cannot_certify'; reason: string | null; needed: readonly string[] } {
  const missing = isBehind ? [PROOF] : lacking;
  const reason = isBehind ? 'The proof of the books is far behind their rows.' : lack;
  return whenEnough(
    { value: undefined, missing },
    { otherwise: 'cannot_certify' as const, reason },
    () => ({ verdict: rule(), ...CERTIFIED }),
  );
}

function listed(faulty: readonly FaultyRequest[]) {
  return faulty.map(({ facts, faults }) => {
    const { requestId, chargedMicro, usedMicro, replayedMicro, heldAt, endedAt, usedAt } = facts;
    return { requestId, faults, chargedMicro, usedMicro, replayedMicro, heldAt, endedAt, usedAt };
  });
}

/** Completeness of a window by its lines and rows. */
export function completenessCheck(facts: WindowFacts) {
  const { sums, tally, faulty } = facts;
  const { holds, charges, releases, served, failed } = sums;
  const { orphans, doubles, danglings } = tally.counts;
  const isEmpty = holds + charges + releases + served + failed === 0n;
  const counts = {
    ledgerCharges: Number(charges),
    usageRows: Number(served),
    orphans,
    doubles,
    danglings,
  };
  return {
    ...judged(
      facts,
      isEmpty ? ['requests of the organization in the window'] : [],
      'The window holds no line of the ledger and no usage row.',
      () => completenessOf(counts),
    ),
    holds,
    charges,
    releases,
    usageRows: served,
    failedRows: failed,
    underWay: tally.underWay,
    orphans,
    doubles,
    danglings,
    faultyTotal: tally.incomplete,
    faulty: listed(faulty),
    compared: comparedBy('completeness'),
  };
}

/** Charges with their usage rows, of which alone something can be compared. */
function pairsOf({ sums, tally }: WindowFacts) {
  return {
    pairs: sums.charges - BigInt(tally.unpairedCharges),
    ledgerMicro: sums.chargedMicro - tally.unpairedChargedMicro,
    usageMicro: sums.usedMicro - tally.unpairedUsedMicro,
    replayedMicro: sums.replayedMicro - tally.unpairedReplayedMicro,
  };
}

const PAIR = 'a request in the window with both a charge and a usage row';

/** The dual meter of a window by its pairs. */
export function dualMeterCheck(facts: WindowFacts) {
  const { pairs, ledgerMicro, usageMicro } = pairsOf(facts);
  const { mismatches } = facts.tally.counts;
  return {
    ...judged(
      facts,
      pairs > 0n ? [] : [PAIR],
      'No request of the window has both a charge and a usage row.',
      () => dualMeterOf({ ledgerMicro, usageMicro, mismatches }),
    ),
    pairs,
    ledgerMicro,
    usageMicro,
    differenceMicro: ledgerMicro - usageMicro,
    mismatches,
    faulty: listed(facts.faulty),
    compared: comparedBy('dual_meter'),
  };
}

/** The financial replay of a window by its pairs; recorded rows have no tolerance. */
export function replayCheck(facts: WindowFacts) {
  const { pairs, ledgerMicro, replayedMicro } = pairsOf(facts);
  const { discrepancies } = facts.tally.counts;
  const figures = { ledgerMicro, replayedMicro, toleranceMicro: 0n, discrepancies };
  return {
    ...judged(
      facts,
      pairs > 0n ? [] : [PAIR],
      'The ledger has charged no request of the window that usage could explain.',
      () => replayOf(figures),
    ),
    replayedCharges: pairs,
    ledgerMicro,
    replayedMicro,
    differenceMicro: ledgerMicro - replayedMicro,
    discrepancies,
    faulty: listed(facts.faulty),
    compared: comparedBy('replay'),
  };
}
