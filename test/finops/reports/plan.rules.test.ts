import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planOf, segmentsOf } from '../../../src/finops/reports/plan.rules.js';
import { rowFaults, statedWindow } from '../../../src/finops/reports/question.rules.js';
import {
  bucketOf,
  histogramOf,
  merged,
  quantileOf,
} from '../../../src/finops/reports/sketch.rules.js';
import { nearestRank } from '../../../src/kernel/nearest-rank.rules.js';

const GRAINS = ['month', 'week', 'day', 'hour'] as const;
const at = fc.date({
  min: new Date('2025-01-01T00:00:00Z'),
  max: new Date('2028-01-01T00:00:00Z'),
  noInvalidDate: true,
});

describe('the segments of a window', () => {
  it('follow one another without gap or overlap, each on the units of its grain', () => {
    fc.assert(
      fc.property(at, at, at, fc.subarray([...GRAINS]), (one, two, until, grains) => {
        const [from, to] = [Math.min(+one, +two), Math.max(+one, +two)];
        const kept = grains.map((grain) =>
          grain === 'hour' ? { grain } : { grain, until: +until },
        );
        const segments = segmentsOf(from, to, kept);
        let end = from;
        for (const segment of segments) {
          expect(+segment.from).toBe(end);
          expect(+segment.to).toBeGreaterThan(end);
          end = +segment.to;
          const local = new Date(+segment.from + 3 * 3_600_000);
          const ending = {
            month: '01T00:00:00.000Z',
            week: 'T00:00:00.000Z',
            day: 'T00:00:00.000Z',
            hour: ':00:00.000Z',
          };
          if (segment.grain !== 'rows') {
            expect(local.toISOString().endsWith(ending[segment.grain])).toBe(true);
          }
          if (segment.grain === 'week') expect(local.getUTCDay()).toBe(1);
          const isMade = ['rows', 'hour'].includes(segment.grain) || end <= +until;
          expect(isMade).toBe(true);
        }
        expect(end).toBe(to);
      }),
    );
  });

  it('read rows for less than an hour at either edge where hours are kept', () => {
    fc.assert(
      fc.property(at, at, (one, two) => {
        const [from, to] = [Math.min(+one, +two), Math.max(+one, +two)];
        const rows = segmentsOf(
          from,
          to,
          GRAINS.map((grain) => ({ grain })),
        ).filter(({ grain }) => grain === 'rows');
        expect(rows.length).toBeLessThanOrEqual(2);
        for (const { from: begin, to: end } of rows) expect(+end - +begin).toBeLessThan(7_200_000);
      }),
    );
  });
});

describe('a plan', () => {
  const year = { from: new Date('2025-12-31T21:00:00Z'), to: new Date('2026-12-31T21:00:00Z') };
  const question = {
    timeZone: 'Europe/Moscow',
    needsSketches: false,
    windows: [year],
    closedUntil: new Date('2027-01-01T00:00:00Z'),
  };

  it.each([
    [{ dimensions: ['feature'], period: null }, 'feature', ['month']],
    [{ dimensions: ['feature'], period: 'week' }, 'feature', ['day', 'week', 'day']],
    [{ dimensions: ['feature'], period: 'month' }, 'feature', ['month']],
    [{ dimensions: ['feature', 'client'], period: 'day' }, 'feature_client', ['day']],
    [{ dimensions: ['feature', 'client'], period: 'hour' }, undefined, ['rows']],
    [{ dimensions: ['model'], period: 'day', timeZone: 'Asia/Tokyo' }, 'route', ['hour']],
    [{ dimensions: ['model'], period: 'day', timeZone: 'Asia/Kolkata' }, undefined, ['rows']],
    [{ dimensions: ['feature', 'client'], period: null, needsSketches: true }, undefined, ['rows']],
    [{ dimensions: ['client', 'environment'], period: null }, undefined, ['rows']],
  ] as const)('of %o is read from %s', (asked, cube, grains) => {
    const plan = planOf({ ...question, ...asked });
    expect(plan.cube?.name).toBe(cube);
    expect(plan.segments[0]?.map(({ grain }) => grain)).toEqual(grains);
  });
});

describe('a plan of a time that is not closed', () => {
  const from = new Date('2025-12-31T21:00:00Z');
  const closedUntil = new Date('2026-03-04T21:00:00Z');
  const to = new Date('2026-12-31T21:00:00Z');
  const question = { timeZone: 'Europe/Moscow', period: null, windows: [{ from, to }] } as const;

  it.each([
    [['feature'], closedUntil, ['month', 'day', 'hour']],
    [['feature', 'client'], closedUntil, ['month', 'day']],
    [['feature'], null, ['hour']],
    [['feature', 'client'], null, ['day']],
  ] as const)('by %o, closed until %s, reads %o', (dimensions, until, grains) => {
    const plan = planOf({ ...question, dimensions, needsSketches: false, closedUntil: until });
    expect(plan.segments[0]?.map(({ grain }) => grain)).toEqual(grains);
  });
});

describe('a stated window', () => {
  const now = new Date('2026-11-22T10:00:00Z');

  it('has days whole in its zone, also where clocks were changed', () => {
    const berlin = { from: '2026-03-29', to: '2026-03-29', timeZone: 'Europe/Berlin' };
    const { from, to, faults } = statedWindow(berlin, now);
    expect([from.toISOString(), to.toISOString(), faults]).toEqual([
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
      [],
    ]);
  });

  it('names every fault, and says nothing of an order that it cannot know', () => {
    const { faults } = statedWindow({ from: 'x', to: '2026-13-01', timeZone: 'Mars/Base' }, now);
    expect(faults.map(({ path }) => path)).toEqual(['timeZone', 'from', 'to']);
  });
});

describe('a report', () => {
  it('has at most 20,000 rows, and is refused with more', () => {
    expect(rowFaults(20_000)).toEqual([]);
    expect(rowFaults(20_001).map(({ path }) => path)).toEqual(['top']);
  });
});

/** As the database adds the sketches of values. */
const stored = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + 10n ** BigInt(12 * bucketOf(value)), 0n).toString();

describe('a sketch', () => {
  it('gives every quantile within two percent, however it was merged', () => {
    const values = fc.array(fc.nat(10_000_000), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(values, fc.double({ min: 0, max: 1, noNaN: true }), (all, share) => {
        const half = Math.floor(all.length / 2);
        const parts = [all.slice(0, half), all.slice(half)].map(stored).map(histogramOf);
        const sorted = [...all].sort((a, b) => a - b);
        const exact = sorted[nearestRank(share, all.length) - 1] ?? Number.NaN;
        const found = quantileOf(merged(parts), share) ?? Number.NaN;
        expect(Math.abs(found - exact)).toBeLessThanOrEqual(exact * 0.0200001);
        expect(merged(parts)).toEqual(histogramOf(stored(all)));
      }),
    );
  });

  it('takes the rank that at least the share do not pass, of few values too', () => {
    const few = histogramOf(stored([100, 200, 3_000]));
    expect(
      [0.5, 0.95, 0.99].map((share) => Math.round((quantileOf(few, share) ?? 0) / 100)),
    ).toEqual([2, 30, 30]);
    expect([1, 2, 19, 20, 21, 100].map((count) => nearestRank(0.95, count))).toEqual([
      1, 2, 19, 19, 20, 95,
    ]);
    expect(nearestRank(0.07, 100)).toBe(7);
    expect(nearestRank(0, 5)).toBe(1);
  });
});
