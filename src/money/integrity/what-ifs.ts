import { whatIf } from '../../records/what-if.js';
import { amountsMissing, countFaults, meterFaults, toleranceFaults } from './stated.rules.js';
import {
  COMPLETENESS_INPUT,
  COMPLETENESS_WHAT_IF,
  DUAL_METER_INPUT,
  DUAL_METER_WHAT_IF,
  REPLAY_INPUT,
  REPLAY_WHAT_IF,
} from './tables.js';
import { completenessOf, dualMeterOf, replayOf } from './verdict.rules.js';

function absent(values: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(values).flatMap(([name, value]) => (value === null ? [name] : []));
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

whatIf({
  field: 'billingCompletenessWhatIf',
  description: 'Whether stated counts of ledger and usage are complete; declared, never measured.',
  input: COMPLETENESS_INPUT,
  output: COMPLETENESS_WHAT_IF,
  faults: countFaults,
  failClosed: {
    otherwise: 'CANNOT_CERTIFY',
    reason: 'Completeness compares two independent sources, and one of them is not there.',
    missing: ({ ledgerCharges, usageRows }) =>
      ledgerCharges === 0 && usageRows === 0
        ? ['ledger_charges or usage_rows above 0']
        : absent({ ledger_charges: ledgerCharges, usage_rows: usageRows }),
  },
  rule: ({ ledgerCharges, usageRows, orphans, doubles, danglings }) => {
    const counts = { ledgerCharges: ledgerCharges ?? 0, usageRows: usageRows ?? 0 };
    return {
      verdict: completenessOf({ ...counts, orphans, doubles, danglings }),
      ...counts,
      faultyTotal: orphans + doubles + danglings,
    };
  },
});

whatIf({
  field: 'billingDualMeterWhatIf',
  description: 'Whether two stated meters tell the same of each request; declared.',
  input: DUAL_METER_INPUT,
  output: DUAL_METER_WHAT_IF,
  faults: meterFaults,
  failClosed: {
    otherwise: 'CANNOT_CERTIFY',
    reason: 'There is no pair of a ledger amount and a usage amount.',
    missing: ({ pairs, ledgerMicro, usageMicro }) =>
      pairs.length > 0 ? [] : amountsMissing({ ledger_rub: ledgerMicro, usage_rub: usageMicro }),
  },
  rule: ({ pairs: stated, ledgerMicro, usageMicro }) => {
    const whole = { requestId: null, ledgerMicro: ledgerMicro ?? 0n, usageMicro: usageMicro ?? 0n };
    const pairs = stated.length > 0 ? stated : [whole];
    const different = pairs.filter((pair) => pair.ledgerMicro !== pair.usageMicro);
    const meters = {
      ledgerMicro: sum(pairs.map((pair) => pair.ledgerMicro)),
      usageMicro: sum(pairs.map((pair) => pair.usageMicro)),
      mismatches: different.length,
    };
    return {
      verdict: dualMeterOf(meters),
      pairs: pairs.length,
      ...meters,
      differenceMicro: meters.ledgerMicro - meters.usageMicro,
      mismatched: different.flatMap(({ requestId }) => (requestId === null ? [] : [requestId])),
    };
  },
});

whatIf({
  field: 'billingReplayWhatIf',
  description: 'Whether a stated replay of usage gives what the ledger has charged; declared.',
  input: REPLAY_INPUT,
  output: REPLAY_WHAT_IF,
  faults: toleranceFaults,
  failClosed: {
    otherwise: 'CANNOT_CERTIFY',
    reason: 'The replay compares usage with the ledger, which is authoritative.',
    missing: ({ ledgerMicro, usageMicro }) =>
      amountsMissing({ ledger_rub: ledgerMicro, usage_rub: usageMicro }),
  },
  rule: (stated) => {
    const { toleranceMicro } = stated;
    const [ledgerMicro, usageMicro] = [stated.ledgerMicro ?? 0n, stated.usageMicro ?? 0n];
    const figures = { ledgerMicro, replayedMicro: usageMicro, toleranceMicro, discrepancies: 0 };
    const differenceMicro = ledgerMicro - usageMicro;
    return {
      verdict: replayOf(figures),
      ledgerMicro,
      usageMicro,
      differenceMicro,
      toleranceMicro,
    };
  },
});
