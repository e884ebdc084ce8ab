import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Claim,
  countedOf,
  type PaidTopUp,
  sharesOfDeals,
  sharesWithin,
} from '../../../src/pricing/commercial/evidence.rules.js';

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute));
const MINUTE = fc.integer({ min: 0, max: 60 });
const version = fc
  .tuple(fc.bigInt({ min: 1n, max: 100n }), MINUTE, fc.integer({ min: 1, max: 40 }))
  .map(([wtpMicro, from, length]) => ({ wtpMicro, from: at(from), to: at(from + length) }));
const byBegin = (one: { from: Date }, two: { from: Date }) =>
  one.from.getTime() - two.from.getTime();
const claims = fc
  .uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1 })
  .chain((deals) =>
    fc.tuple(
      ...deals.map((dealRef) =>
        fc
          .array(version, { minLength: 1, maxLength: 3 })
          .map((versions): Claim => ({ dealRef, versions: versions.sort(byBegin) })),
      ),
    ),
  );
const topUps = fc
  .array(
    fc.record({
      amountMicro: fc.bigInt({ min: 1n, max: 80n }),
      minute: MINUTE,
      statedFor: fc.option(fc.constantFrom('a', 'b', 'e'), { nil: null }),
    }),
    { maxLength: 12 },
  )
  .map((rows) =>
    rows
      .sort((one, two) => one.minute - two.minute)
      .map(
        ({ minute, ...row }, index): PaidTopUp => ({
          ...row,
          requestId: `${index}`,
          toppedUpAt: at(minute),
        }),
      ),
  );
const unstated = topUps.map((rows) => rows.map((row) => ({ ...row, statedFor: null })));

describe('the shares of deals in top-ups', () => {
  it('count each ruble once, within an open window, and for the stated deal alone', () => {
    fc.assert(
      fc.property(claims, topUps, (deals, paid) => {
        const given = new Map<PaidTopUp, bigint>();
        for (const [dealRef, shares] of sharesOfDeals(deals, paid)) {
          const { versions = [] } = deals.find((deal) => deal.dealRef === dealRef) ?? {};
          for (const { topUp, countedMicro } of shares) {
            expect(countedMicro).toBeGreaterThan(0n);
            expect([null, dealRef]).toContain(topUp.statedFor);
            const isOpen = versions.some(
              ({ from, to }) => from < topUp.toppedUpAt && topUp.toppedUpAt < to,
            );
            expect(isOpen).toBe(true);
            given.set(topUp, (given.get(topUp) ?? 0n) + countedMicro);
          }
        }
        for (const [topUp, sum] of given) expect(sum).toBeLessThanOrEqual(topUp.amountMicro);
      }),
    );
  });

  it('leave no ruble unused that an open deal needs', () => {
    fc.assert(
      fc.property(claims, unstated, (deals, paid) => {
        const all = sharesOfDeals(deals, paid);
        for (const topUp of paid) {
          const sum = [...all.values()]
            .flat()
            .filter((share) => share.topUp === topUp)
            .reduce((total, { countedMicro }) => total + countedMicro, 0n);
          if (sum === topUp.amountMicro) continue;
          for (const { dealRef, versions } of deals) {
            const open = versions.filter(
              ({ from, to }) => from < topUp.toppedUpAt && topUp.toppedUpAt < to,
            );
            for (const each of open) {
              const counted = countedOf(sharesWithin(all.get(dealRef) ?? [], each));
              expect(counted).toBeGreaterThanOrEqual(each.wtpMicro);
            }
          }
        }
      }),
    );
  });

  it('never change by later top-ups or by deals that are recorded later', () => {
    fc.assert(
      fc.property(claims, topUps, MINUTE, (deals, paid, minute) => {
        const known = paid.filter(({ toppedUpAt }) => toppedUpAt < at(minute));
        const before = deals
          .map(({ dealRef, versions }) => ({
            dealRef,
            versions: versions.filter(({ from }) => from < at(minute)),
          }))
          .filter(({ versions }) => versions.length > 0);
        const late = sharesOfDeals(deals, paid);
        for (const [dealRef, shares] of sharesOfDeals(before, known)) {
          const still = late.get(dealRef) ?? [];
          expect(still.filter(({ topUp }) => topUp.toppedUpAt < at(minute))).toEqual(shares);
        }
      }),
    );
  });
});
