import type { Fault } from '../../kernel/errors/fail.js';
import { fault, fits } from '../../kernel/errors/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { formatRub, type MicroRub } from '../../kernel/money.js';
import type { COMPLETENESS_INPUT, DUAL_METER_INPUT, REPLAY_INPUT } from './tables.js';

/** Stated counts that cannot be: more requests are amiss than the traces tell of. */
export function countFaults(stated: ValuesOf<typeof COMPLETENESS_INPUT.fields>): Fault[] {
  const { ledgerCharges, usageRows, orphans, doubles } = stated;
  if (ledgerCharges === null || usageRows === null) return [];
  const told = ledgerCharges + usageRows;
  const what = `must be at most ${told}: the requests of both traces together`;
  const apart = Math.abs(ledgerCharges - usageRows);
  // An orphan is in one trace alone, so their number and the difference are odd together.
  const isExplained = doubles > 0 || orphans === 0 || (orphans >= apart && isEven(orphans - apart));
  return [
    ...(orphans > told ? [fault('input.orphans', 'out_of_range', what)] : []),
    ...(doubles > told ? [fault('input.doubles', 'out_of_range', what)] : []),
    ...fits(
      'input.orphans',
      isExplained || orphans > told,
      `does not explain that the traces differ by ${apart}, and nothing is counted twice`,
    ),
  ];
}

function isEven(value: number): boolean {
  return value % 2 === 0;
}

/** Amounts that contradict each other: sums beside pairs, and a request that stands twice. */
export function meterFaults(stated: ValuesOf<typeof DUAL_METER_INPUT.fields>): Fault[] {
  const { pairs, ledgerMicro, usageMicro } = stated;
  if (pairs.length === 0) return [];
  const sums = [
    ['input.ledgerRub', ledgerMicro, sumOf(pairs.map((pair) => pair.ledgerMicro))],
    ['input.usageRub', usageMicro, sumOf(pairs.map((pair) => pair.usageMicro))],
  ] as const;
  const seen = new Set<string>();
  const twice = pairs.flatMap(({ requestId }, index) => {
    if (requestId === null) return [];
    const isKnown = seen.has(requestId);
    seen.add(requestId);
    const path = `input.pairs.${index}.requestId`;
    return isKnown ? [fault(path, 'invalid', 'stands in an earlier pair too')] : [];
  });
  const wrong = sums.flatMap(([path, told, sum]) =>
    fits(path, told === null || told === sum, `is not the sum of the pairs, ${formatRub(sum)}`),
  );
  return [...wrong, ...twice];
}

/** A tolerance that would pass any replay. */
export function toleranceFaults(stated: ValuesOf<typeof REPLAY_INPUT.fields>): Fault[] {
  const { ledgerMicro, toleranceMicro } = stated;
  if (ledgerMicro === null || toleranceMicro === 0n || toleranceMicro < ledgerMicro) return [];
  const what = 'must be less than ledger_rub: as large as that, it would pass any replay';
  return [fault('input.toleranceRub', 'out_of_range', what)];
}

/** What two meters lack that tell of nothing: no amount is no evidence. */
export function amountsMissing(amounts: Readonly<Record<string, MicroRub | null>>): string[] {
  const absent = Object.entries(amounts).flatMap(([name, micro]) => (micro === null ? [name] : []));
  if (absent.length > 0) return absent;
  const isNothing = Object.values(amounts).every((micro) => micro === 0n);
  return isNothing ? [`${Object.keys(amounts).join(' or ')} above 0`] : [];
}

function sumOf(amounts: readonly MicroRub[]): MicroRub {
  return amounts.reduce((total, amount) => total + amount, 0n);
}
