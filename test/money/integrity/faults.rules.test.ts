import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { taxInside } from '../../../src/kernel/money.js';
import {
  faultsAt,
  faultsOf,
  isOpen,
  type RequestFacts,
} from '../../../src/money/integrity/faults.rules.js';
import {
  addTallies,
  NO_FAULTS,
  shownOf,
  tallyOf,
  touches,
} from '../../../src/money/integrity/tally.rules.js';
import {
  FAULTS_SHOWN_MAX,
  INTEGRITY_FAULTS,
  type IntegrityFault,
} from '../../../src/money/integrity/vocabulary.js';

const AT = new Date('2026-10-10T10:00:00Z');
const LATER = new Date('2026-10-10T12:00:00Z');
const COST = 600n;
const VAT = taxInside(COST, 2_200).vat;

const WHOLE: RequestFacts = {
  tenantId: 't',
  requestId: 'r',
  holds: 1,
  charges: 1,
  releases: 0,
  chargedMicro: COST,
  chargedVatMicro: VAT,
  chargedRate: 2_200,
  status: 'complete',
  usedMicro: COST,
  usedVatMicro: VAT,
  usedRate: 2_200,
  replayedMicro: COST,
  priceBegun: true,
  heldAt: AT,
  endedAt: AT,
  usedAt: AT,
};
const NO_CHARGE = { charges: 0, chargedMicro: null, chargedVatMicro: null, chargedRate: null };
const NO_USAGE = {
  status: null,
  usedMicro: null,
  usedVatMicro: null,
  usedRate: null,
  replayedMicro: null,
  priceBegun: null,
  usedAt: null,
};
const RELEASED = { ...NO_CHARGE, releases: 1 };

describe('the faults of a request', () => {
  const cases: readonly (readonly [string, Partial<RequestFacts>, readonly IntegrityFault[]])[] = [
    ['none of a charge with its usage', {}, []],
    ['none of a release without usage', { ...RELEASED, ...NO_USAGE }, []],
    ['none of a release with a failure', { ...RELEASED, status: 'failed', usedMicro: 0n }, []],
    ['none of a hold alone', { ...NO_CHARGE, ...NO_USAGE, endedAt: null }, []],
    ['a charge without usage', NO_USAGE, ['orphan_charge']],
    ['a charge of a failure', { status: 'failed' }, ['orphan_charge']],
    ['usage of a released request', RELEASED, ['orphan_usage']],
    ['usage without any line', { ...NO_CHARGE, holds: 0 }, ['orphan_usage']],
    ['an end without a hold', { holds: 0 }, ['orphan_end']],
    ['two holds', { holds: 2 }, ['double']],
    ['a charge and a release', { releases: 1 }, ['double']],
    ['one micro-ruble in usage', { usedMicro: COST + 1n }, ['amount_differs']],
    ['another rate', { usedRate: 2_000 }, ['tax_differs']],
    ['another replay', { replayedMicro: COST - 1n }, ['replay_differs']],
    ['a price that is missing', { replayedMicro: null }, ['replay_differs']],
    [
      'a tax that is not that of the rate',
      { chargedVatMicro: VAT + 1n, usedVatMicro: VAT + 1n },
      ['tax_replay_differs'],
    ],
    ['a price row of the future', { priceBegun: false }, ['price_not_in_force']],
  ];

  it.each(cases)('%s', (_what, changed, faults) => {
    expect(faultsOf({ ...WHOLE, ...changed })).toEqual(faults);
  });

  it('a hold dangles from the moment on, and never where the request has ended', () => {
    const open = { ...WHOLE, ...NO_CHARGE, ...NO_USAGE, endedAt: null };
    expect(isOpen(open)).toBe(true);
    expect(faultsAt(open, AT)).toEqual([]);
    expect(faultsAt(open, LATER)).toEqual(['dangling']);
    expect(faultsAt(WHOLE, LATER)).toEqual([]);
  });
});

const figures = fc.option(fc.bigInt({ min: 0n, max: 3n }), { nil: null });
const times = fc.option(fc.constantFrom(AT, LATER), { nil: null });
const anyFacts: fc.Arbitrary<RequestFacts> = fc.record({
  tenantId: fc.constant('t'),
  requestId: fc.uuid(),
  holds: fc.nat(2),
  charges: fc.nat(2),
  releases: fc.nat(2),
  chargedMicro: figures,
  chargedVatMicro: figures,
  chargedRate: fc.constantFrom(null, 2_000, 2_200),
  status: fc.constantFrom('complete', 'partial', 'failed', null),
  usedMicro: figures,
  usedVatMicro: figures,
  usedRate: fc.constantFrom(null, 2_000, 2_200),
  replayedMicro: figures,
  priceBegun: fc.constantFrom(true, false, null),
  heldAt: times,
  endedAt: times,
  usedAt: times,
});

const WINDOW = { from: AT, to: LATER };

describe('the tally of a window', () => {
  it('counts each request once in each of its groups, and each fault in one group', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const told = faultsAt(facts, LATER);
        const groups = new Set(told.map((fault) => INTEGRITY_FAULTS.find(fault)?.counted));
        const { counts, incomplete } = tallyOf(facts, WINDOW, LATER);
        const counted = Object.entries(counts).flatMap(([name, count]) => (count ? [name] : []));
        expect(new Set(counted)).toEqual(groups);
        const isIncomplete = ['orphans', 'doubles', 'danglings'].some((name) =>
          groups.has(name as never),
        );
        expect(incomplete).toBe(isIncomplete ? 1 : 0);
      }),
    );
  });

  it('is the same in whatever order requests are added', () => {
    fc.assert(
      fc.property(fc.array(anyFacts), (all) => {
        const tallies = all.map((facts) => tallyOf(facts, WINDOW, LATER));
        const sum = (some: typeof tallies) => some.reduce(addTallies, NO_FAULTS);
        expect(sum([...tallies].reverse())).toEqual(sum(tallies));
      }),
    );
  });

  it('takes a request for a window that one of its lines or rows stands in', () => {
    const nowhere = { ...WHOLE, heldAt: LATER, endedAt: null, usedAt: LATER };
    expect(touches(WINDOW, nowhere)).toBe(false);
    expect(touches(WINDOW, { ...nowhere, endedAt: AT })).toBe(true);
  });

  it('shows the wanted faults alone, by their ids, and no more than are shown', () => {
    fc.assert(
      fc.property(fc.array(anyFacts), (all) => {
        const shown = shownOf(all, ['double'], LATER);
        const ids = shown.map(({ facts }) => facts.requestId);
        expect(ids).toEqual([...ids].sort());
        expect(shown.every(({ faults }) => faults.join() === 'double')).toBe(true);
        expect(shown).toHaveLength(tallyOfAll(all));
      }),
    );
    const many = Array.from({ length: FAULTS_SHOWN_MAX + 1 }, () => ({ ...WHOLE, holds: 2 }));
    expect(shownOf(many, ['double'], LATER)).toHaveLength(FAULTS_SHOWN_MAX);
  });
});

function tallyOfAll(all: readonly RequestFacts[]): number {
  const tallies = all.map((facts) => tallyOf(facts, WINDOW, LATER));
  return Math.min(FAULTS_SHOWN_MAX, tallies.reduce(addTallies, NO_FAULTS).counts.doubles);
}
