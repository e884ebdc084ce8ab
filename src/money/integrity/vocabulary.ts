import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';

/** The checks, each with its own words. */
export const INTEGRITY_CHECKS = vocabulary(
  'IntegrityCheck',
  'A comparison of the ledger with usage.',
  [
    {
      code: 'completeness',
      description: 'Every charge has its usage, every usage its charge, and every hold its end.',
    },
    {
      code: 'dual_meter',
      description: 'The ledger and usage tell the same amount and tax of each request.',
    },
    {
      code: 'replay',
      description: 'Each charge follows from the tokens and the dated price row of its usage.',
    },
    {
      code: 'rows',
      description:
        'Every line, hold row and usage row is the one that was written, and fits the rows ' +
        'beside it. A seal makes this check, which reads each of them.',
    },
  ],
);

/** What can be wrong with one request, and the check that names it. */
export const INTEGRITY_FAULTS = vocabulary('IntegrityFault', 'What is wrong with a request.', [
  {
    code: 'orphan_charge',
    description: 'The ledger has charged it, and no usage row says that it was served.',
    check: 'completeness',
    counted: 'orphans',
  },
  {
    code: 'orphan_usage',
    description: 'A usage row tells of it, and the ledger has not ended it that way.',
    check: 'completeness',
    counted: 'orphans',
  },
  {
    code: 'orphan_end',
    description: 'The ledger has charged or released it, and never held it.',
    check: 'completeness',
    counted: 'orphans',
  },
  {
    code: 'double',
    description: 'The ledger has held or ended it more than once.',
    check: 'completeness',
    counted: 'doubles',
  },
  {
    code: 'dangling',
    description: 'The ledger has held it and, long after any request has ended, not ended it.',
    check: 'completeness',
    counted: 'danglings',
  },
  {
    code: 'amount_differs',
    description: 'The ledger and usage tell different amounts of it.',
    check: 'dual_meter',
    counted: 'mismatches',
  },
  {
    code: 'tax_differs',
    description: 'The ledger and usage tell a different tax, or rate of tax, of it.',
    check: 'dual_meter',
    counted: 'mismatches',
  },
  {
    code: 'replay_differs',
    description: 'Its tokens, times the prices of its price row, are not what was charged.',
    check: 'replay',
    counted: 'discrepancies',
  },
  {
    code: 'tax_replay_differs',
    description: 'The tax inside its charge is not that of the rate of its line.',
    check: 'replay',
    counted: 'discrepancies',
  },
  {
    code: 'price_not_in_force',
    description: 'Its price row begins on a day after it was charged.',
    check: 'replay',
    counted: 'discrepancies',
  },
  {
    code: 'row_changed',
    description: 'A row of it does not have the hash that was taken when the row was new.',
    check: 'rows',
    counted: 'alterations',
  },
  {
    code: 'row_removed',
    description: 'Its usage row was hashed when it was new, and is gone.',
    check: 'rows',
    counted: 'alterations',
  },
  {
    code: 'row_added',
    description: 'A row of it stands among rows that were hashed, and never was.',
    check: 'rows',
    counted: 'alterations',
  },
  {
    code: 'foreign_row',
    description: 'A row of it names another organization than the account that it is of.',
    check: 'rows',
    counted: 'alterations',
  },
  {
    code: 'line_differs',
    description: 'A line of it contradicts itself: its type, amount, changes and tax do not agree.',
    check: 'rows',
    counted: 'alterations',
  },
  {
    code: 'hold_differs',
    description: 'Its hold row and its lines say different things, or one of them is missing.',
    check: 'rows',
    counted: 'alterations',
  },
  {
    code: 'balance_differs',
    description: 'The balance after a line of it does not follow from the line before.',
    check: 'rows',
    counted: 'alterations',
  },
  {
    code: 'rate_not_in_force',
    description: 'Its rate of tax was not in force when it was supplied.',
    check: 'rows',
    counted: 'alterations',
  },
  {
    code: 'usage_differs',
    description: 'The time or cost of its usage row is not that of its end in the ledger.',
    check: 'rows',
    counted: 'alterations',
  },
]);

/** A code of a fault. */
export type IntegrityFault = CodeOf<typeof INTEGRITY_FAULTS>;

/** The faults that a check names. */
export function faultsOfCheck(check: CodeOf<typeof INTEGRITY_CHECKS>): readonly IntegrityFault[] {
  return INTEGRITY_FAULTS.rows.filter((row) => row.check === check).map(({ code }) => code);
}

const COMPLETE = { code: 'COMPLETE', description: 'Nothing is missing, double or left open.' };
const INCOMPLETE = { code: 'INCOMPLETE', description: 'At least one request is not whole.' };
const MATCHED = { code: 'MATCHED', description: 'Both meters tell the same of every pair.' };
const MISMATCH = { code: 'MISMATCH', description: 'At least one pair differs.' };
const RECONCILED = { code: 'RECONCILED', description: 'The replay gives what was charged.' };
const DISCREPANCY = { code: 'DISCREPANCY', description: 'The replay gives something else.' };
const INTACT = { code: 'INTACT', description: 'No row contradicts its hash or its neighbours.' };
const ALTERED = { code: 'ALTERED', description: 'At least one row was changed, added or removed.' };
const CANNOT_DECLARED = {
  code: 'CANNOT_CERTIFY',
  description: 'What is stated does not suffice; `needed` says what would.',
};
const CANNOT_LIVE = {
  code: 'cannot_certify',
  description: 'The window holds nothing to compare; `needed` says what would lift it.',
};

/** What completeness answers on stated figures. */
export const COMPLETENESS_DECLARED = vocabulary(
  'CompletenessWhatIfVerdict',
  'What completeness answers on stated counts.',
  [COMPLETE, INCOMPLETE, CANNOT_DECLARED] as const,
);

/** What the dual meter answers on stated figures. */
export const DUAL_METER_DECLARED = vocabulary(
  'DualMeterWhatIfVerdict',
  'What the dual meter answers on stated amounts.',
  [MATCHED, MISMATCH, CANNOT_DECLARED] as const,
);

/** What the replay answers on stated figures. */
export const REPLAY_DECLARED = vocabulary(
  'FinancialReplayWhatIfVerdict',
  'What the financial replay answers on stated amounts.',
  [RECONCILED, DISCREPANCY, CANNOT_DECLARED] as const,
);

/** What completeness answers on recorded rows. */
export const COMPLETENESS_LIVE = vocabulary(
  'CompletenessVerdict',
  'What completeness answers on recorded rows.',
  [COMPLETE, INCOMPLETE, CANNOT_LIVE] as const,
);

/** What the dual meter answers on recorded rows. */
export const DUAL_METER_LIVE = vocabulary(
  'DualMeterVerdict',
  'What the dual meter answers on recorded rows.',
  [MATCHED, MISMATCH, CANNOT_LIVE] as const,
);

/** What the replay answers on recorded rows. */
export const REPLAY_LIVE = vocabulary(
  'FinancialReplayVerdict',
  'What the financial replay answers on recorded rows.',
  [RECONCILED, DISCREPANCY, CANNOT_LIVE] as const,
);

/** What a seal answers on the rows themselves. */
export const ROWS_SEALED = vocabulary('IntegrityRowsVerdict', 'What a seal says of the rows.', [
  INTACT,
  ALTERED,
  CANNOT_LIVE,
] as const);

/** What a receipt of a period says, the worst first. */
export const INTEGRITY_VERDICTS = vocabulary(
  'IntegrityVerdict',
  'What a receipt says of a period: the worst word of its checks.',
  [
    { code: 'VIOLATION', description: 'A check has proven that something is wrong.' },
    { code: 'cannot_certify', description: 'Nothing is proven wrong, and a check lacks data.' },
    { code: 'HEALTHY', description: 'Every check was made, and none has found anything.' },
  ],
);

/** How the sealing of a period stands. */
export const SEAL_STATES = vocabulary(
  'IntegritySealStatus',
  'How the sealing of a period stands.',
  [
    {
      code: 'pending',
      description: 'Its rows are being read; the receipt is sealed after the last.',
    },
    { code: 'sealed', description: 'Its receipt is sealed.' },
    { code: 'failed', description: 'It cannot be sealed; `failure` says why.' },
  ],
);

/** How a window was read. */
export const INTEGRITY_BASES = vocabulary('IntegrityBasis', 'How a window was read.', [
  {
    code: 'incremental',
    description:
      'From the proof of each hour, and from the rows that came after it. What the owner of the ' +
      'database changes in a row that was proven before does not show.',
  },
  { code: 'full', description: 'From every ledger line and usage row of the window, anew.' },
]);

/** The rules that no caller can move. */
export const INTEGRITY_RULES = vocabulary('IntegrityRule', 'A rule of billing integrity.', [
  {
    code: 'two_independent_traces',
    description: 'The ledger and usage are two traces; one is never derived from the other.',
  },
  {
    code: 'ledger_is_authoritative',
    description: 'The ledger says what was charged; usage has to explain it.',
  },
  {
    code: 'empty_is_cannot_certify',
    description: 'A window without anything to compare is `cannot_certify`, never healthy.',
  },
  {
    code: 'violation_outranks_insufficient',
    description: 'A proven violation outranks insufficient data, which outranks HEALTHY.',
  },
  {
    code: 'exact_to_the_micro_ruble',
    description: 'Recorded rows have no tolerance: one micro-ruble off is a difference.',
  },
  { code: 'requests_are_named', description: 'What is wrong is named by the ids of requests.' },
  {
    code: 'every_row_is_read',
    description:
      'A seal reads every line, hold row and usage row of its period, and rests on no proof of ' +
      'earlier. It has the root of a Merkle tree over them.',
  },
  { code: 'sealed_once', description: 'A period is sealed once; asking again gives the first.' },
  {
    code: 'contradictions_supersede',
    description:
      'Where the rows contradict a receipt later on, another one is sealed that names it. The ' +
      'earlier one stays as it is.',
  },
  {
    code: 'periods_have_ended',
    description: 'A period is sealed when it has ended, so that no row of it is still to come.',
  },
  {
    code: 'what_if_is_declared',
    description: 'Stated figures are `declared` and never `live_measured`.',
  },
]);

/**
 * So many rows may come after the proof for a check to read them one by one. More are there only
 * while the proof of a new or restored server is made, or is held up.
 */
export const ROWS_BEHIND_MAX = 100_000;
/** The most requests that an answer names; counts are always of all. */
export const FAULTS_SHOWN_MAX = 200;
/** A hold without an end is dangling after an hour, or after twice the longest request. */
export const DANGLING_AFTER_MS_MIN = 3_600_000;
/** So long after its end a period is sealed at the earliest: until then a batch may commit. */
export const SETTLED_AFTER_MS = 60_000;

/** A period with more lines and usage rows is read behind the request, which answers `pending`. */
export const SEALED_AT_ONCE_MAX = 50_000;
/** A sealed period is read again after so many days, and at once where something is found in it. */
export const REREAD_DAYS = 30;
