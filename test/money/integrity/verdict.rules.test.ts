import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  lastMonth,
  monthFaults,
  monthWindow,
  periodOf,
} from '../../../src/money/integrity/period.rules.js';
import {
  completenessOf,
  compositeOf,
  dualMeterOf,
  replayOf,
} from '../../../src/money/integrity/verdict.rules.js';

const VIOLATIONS = ['INCOMPLETE', 'MISMATCH', 'DISCREPANCY'] as const;
const CLEAN = ['COMPLETE', 'MATCHED', 'RECONCILED'] as const;
const verdict = fc.constantFrom(...VIOLATIONS, ...CLEAN, 'cannot_certify');

describe('the word of a period', () => {
  it('a proven violation outranks insufficient data, which outranks HEALTHY', () => {
    fc.assert(
      fc.property(fc.array(verdict), (verdicts) => {
        const isViolated = verdicts.some((one) => (VIOLATIONS as readonly string[]).includes(one));
        const isClosed = verdicts.length === 0 || verdicts.includes('cannot_certify');
        expect(compositeOf(verdicts)).toBe(
          isViolated ? 'VIOLATION' : isClosed ? 'cannot_certify' : 'HEALTHY',
        );
      }),
    );
  });

  it('a word that nobody knows is insufficient, never healthy', () => {
    expect(compositeOf(['COMPLETE', 'FINE'])).toBe('cannot_certify');
  });
});

const count = fc.nat(3);
const micro = fc.bigInt({ min: 0n, max: 3n });

describe('the verdicts', () => {
  it('complete means as many of both and none amiss', () => {
    fc.assert(
      fc.property(count, count, count, count, count, (ledger, usage, orphans, doubles, held) => {
        const counts = { ledgerCharges: ledger, usageRows: usage, orphans, doubles };
        const isWhole = ledger === usage && !orphans && !doubles && !held;
        expect(completenessOf({ ...counts, danglings: held })).toBe(
          isWhole ? 'COMPLETE' : 'INCOMPLETE',
        );
      }),
    );
  });

  it('exact_to_the_micro_ruble: meters match where neither a pair nor the sums differ', () => {
    fc.assert(
      fc.property(micro, micro, count, (ledgerMicro, usageMicro, mismatches) => {
        const matches = mismatches === 0 && ledgerMicro === usageMicro;
        const found = dualMeterOf({ ledgerMicro, usageMicro, mismatches });
        expect(found).toBe(matches ? 'MATCHED' : 'MISMATCH');
      }),
    );
  });

  it('a replay reconciles within its tolerance, either way', () => {
    fc.assert(
      fc.property(micro, micro, micro, (ledgerMicro, replayedMicro, toleranceMicro) => {
        const figures = { ledgerMicro, replayedMicro, toleranceMicro, discrepancies: 0 };
        const mirrored = { ...figures, ledgerMicro: replayedMicro, replayedMicro: ledgerMicro };
        expect(replayOf(figures)).toBe(replayOf(mirrored));
        const off = Math.abs(Number(ledgerMicro - replayedMicro));
        expect(replayOf(figures)).toBe(off <= toleranceMicro ? 'RECONCILED' : 'DISCREPANCY');
        expect(replayOf({ ...figures, discrepancies: 1 })).toBe('DISCREPANCY');
      }),
    );
  });
});

describe('a period', () => {
  it('is a calendar month of Moscow, from midnight to midnight', () => {
    expect(monthWindow('2025-12')).toEqual({
      from: new Date('2025-11-30T21:00:00Z'),
      to: new Date('2025-12-31T21:00:00Z'),
    });
    expect(() => monthWindow('2025-13')).toThrow(RangeError);
  });

  it('is by default the last month that has ended in Moscow', () => {
    expect(lastMonth(new Date('2025-12-31T20:59:59Z'))).toBe('2025-11');
    expect(lastMonth(new Date('2025-12-31T21:00:00Z'))).toBe('2025-12');
    expect(lastMonth(new Date('2026-01-31T21:00:00Z'))).toBe('2026-01');
  });

  it('can be sealed from a minute after its end on', () => {
    expect(monthFaults('month', '2025-12', new Date('2025-12-31T21:00:59Z'))).toHaveLength(1);
    expect(monthFaults('month', '2025-12', new Date('2025-12-31T21:01:00Z'))).toEqual([]);
    expect(monthFaults('month', '2025-1', new Date())).toHaveLength(1);
  });

  it('names every fault of a window that is stated in its place', () => {
    const now = new Date('2026-01-15T00:00:00Z');
    const faults = (from: Date | null, to: Date | null, period: string | null = null) =>
      periodOf({ period, from, to }, now).faults.map(({ path }) => path);
    const past = new Date('2026-01-01T00:00:00Z');
    expect(faults(null, null)).toEqual([]);
    expect(faults(past, null)).toEqual(['input.to']);
    expect(faults(null, past)).toEqual(['input.from']);
    expect(faults(now, now, '2025-12')).toEqual(['input.period', 'input.from', 'input.to']);
    expect(faults(new Date('2024-01-01T00:00:00Z'), past)).toEqual(['input.from']);
    expect(faults(past, new Date('2026-01-10T00:00:00Z'))).toEqual([]);
  });
});
