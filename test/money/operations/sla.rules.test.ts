import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classMonth } from '../../../src/money/operations/sla.rules.js';

const RUB = 1_000_000n;
const month = (requests: bigint, met: bigint, chargedMicro = 1_000n * RUB) =>
  classMonth({ slaClass: 'business', requests, met, chargedMicro });

describe('the service level of a class in a month', () => {
  it.each([
    [99n, 0n, 'cannot_certify', 0],
    [1_000n, 990n, 'met', 0],
    [100_000n, 98_999n, 'missed', 10],
    [1_000n, 961n, 'missed', 10],
    [1_000n, 960n, 'missed', 25],
    [1_000n, 890n, 'missed', 50],
    [1_000n, 0n, 'missed', 50],
  ] as const)(
    'of %i requests with %i in time is %s and credits %i percent',
    (all, met, verdict, percent) => {
      expect(month(all, met)).toMatchObject({
        ...{ verdict, creditPercent: percent },
        creditMicro: BigInt(percent) * 10n * RUB,
      });
    },
  );

  it('credits whole kopecks, never more than was charged, and more only for worse months', () => {
    const count = fc.bigInt({ min: 100n, max: 1_000_000n });
    const charged = fc.bigInt({ min: -1_000n, max: 10n ** 12n });
    fc.assert(
      fc.property(count, charged, fc.nat(1_000), fc.nat(1_000), (all, micro, a, b) => {
        const of = (permille: number) => month(all, (all * BigInt(permille)) / 1_000n, micro);
        const [better, worse] = [of(Math.max(a, b)), of(Math.min(a, b))];
        expect(worse.creditMicro >= better.creditMicro).toBe(true);
        expect(worse.creditMicro % 10_000n).toBe(0n);
        expect(worse.creditMicro <= (micro > 0n ? micro : 0n)).toBe(true);
      }),
    );
  });
});
