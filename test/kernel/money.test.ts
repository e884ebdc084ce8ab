import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  allocate,
  divide,
  formatRub,
  isExactRub,
  MICRO_PER_RUB,
  parseRub,
  type Rounding,
  taxInside,
} from '../../src/kernel/money.js';

const amount = fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n });
const divisor = fc.bigInt({ min: 1n, max: 10n ** 9n });
const kopeks = (micro: bigint) => divide(micro, 10_000n, 'half_up');

describe('divide', () => {
  it('rounds as its name says, at and around the half, below zero too', () => {
    const table: [bigint, Record<Rounding, bigint>][] = [
      [3n, { floor: 1n, ceil: 2n, half_even: 2n, half_up: 2n }],
      [5n, { floor: 2n, ceil: 3n, half_even: 2n, half_up: 3n }],
      [4n, { floor: 2n, ceil: 2n, half_even: 2n, half_up: 2n }],
      [-3n, { floor: -2n, ceil: -1n, half_even: -2n, half_up: -1n }],
      [-5n, { floor: -3n, ceil: -2n, half_even: -2n, half_up: -2n }],
      [-4n, { floor: -2n, ceil: -2n, half_even: -2n, half_up: -2n }],
    ];
    for (const [dividend, row] of table) {
      for (const [rounding, quotient] of Object.entries(row)) {
        expect([dividend, rounding, divide(dividend, 2n, rounding as Rounding)]).toEqual([
          dividend,
          rounding,
          quotient,
        ]);
      }
    }
  });

  it('floor and ceil enclose the exact quotient and differ by one unless it is whole', () => {
    fc.assert(
      fc.property(amount, divisor, (dividend, by) => {
        const floor = divide(dividend, by, 'floor');
        const ceil = divide(dividend, by, 'ceil');
        expect(floor * by <= dividend && dividend <= ceil * by).toBe(true);
        expect(ceil - floor).toBe(floor * by === dividend ? 0n : 1n);
      }),
    );
  });

  it('both halves are never further than half a unit, and half_even is free of sign', () => {
    fc.assert(
      fc.property(amount, divisor, (dividend, by) => {
        for (const rounding of ['half_even', 'half_up'] as const) {
          const distance = dividend - divide(dividend, by, rounding) * by;
          expect((distance < 0n ? -distance : distance) * 2n <= by).toBe(true);
        }
        expect(divide(-dividend, by, 'half_even')).toBe(-divide(dividend, by, 'half_even'));
      }),
    );
  });

  it('refuses a divisor that is not positive', () => {
    for (const by of [0n, -1n]) {
      expect(() => divide(1n, by, 'floor')).toThrow(new RangeError('the divisor must be positive'));
    }
  });
});

describe('rubles as text', () => {
  it('what is written is read back to the same amount', () => {
    fc.assert(
      fc.property(amount, (micro) => {
        expect(parseRub(formatRub(micro))).toBe(micro);
      }),
    );
  });

  it('has at least two places and at most six, without needless zeros', () => {
    const table: [bigint, string][] = [
      [0n, '0.00'],
      [1n, '0.000001'],
      [-1n, '-0.000001'],
      [10_000n, '0.01'],
      [100_000n, '0.10'],
      [123_450_000n, '123.45'],
      [123_456_000n, '123.456'],
      [-500_000_000n, '-500.00'],
    ];
    for (const [micro, text] of table) expect([micro, formatRub(micro)]).toEqual([micro, text]);
    fc.assert(
      fc.property(amount, (micro) => {
        expect(formatRub(micro)).toMatch(/^-?\d+\.(\d\d|\d\d\d{0,3}[1-9])$/);
      }),
    );
  });

  it('reads whole rubles and up to six places', () => {
    expect(parseRub('12')).toBe(12n * MICRO_PER_RUB);
    expect(parseRub('-0.5')).toBe(-500_000n);
    expect(parseRub('999999999999.999999')).toBe(999_999_999_999_999_999n);
  });

  it('reads nothing else', () => {
    const wrong = [
      '',
      '1.',
      '.5',
      '1.0000001',
      '1e3',
      '+1',
      ' 1',
      '1,5',
      '0x1',
      'NaN',
      '--1',
      '1\n',
    ];
    for (const text of [...wrong, '1000000000000', '１']) {
      expect([text, parseRub(text)]).toEqual([text, undefined]);
    }
  });
});

describe('rubles as a number', () => {
  it('are exact below 2^33, and wherever a number is called exact', () => {
    const amount = fc.oneof(
      fc.bigInt({ min: -(2n ** 33n) * 1_000_000n + 1n, max: 2n ** 33n * 1_000_000n - 1n }),
      fc.bigInt({ min: 0n, max: 10n ** 18n - 1n }),
    );
    fc.assert(
      fc.property(amount, (micro) => {
        const rubles = Number(formatRub(micro));
        if (Math.abs(rubles) < 2 ** 33) expect(isExactRub(rubles)).toBe(true);
        // What has too many digits is no amount at all.
        const read = parseRub(String(rubles)) ?? micro;
        if (isExactRub(rubles)) expect(read).toBe(micro);
      }),
    );
  });

  it.each([
    [8_900_000_000, true],
    [9007199254.740993, false],
    [99_999_999_999.99, false],
    [20_000_000_000, false],
  ])('%d is exact: %s', (rubles, isExact) => {
    expect(isExactRub(rubles)).toBe(isExact);
  });
});

describe('the tax inside an amount', () => {
  it('of 500.00 RUB is 90.16 at 22 % and 83.33 at 20 %, to the kopek', () => {
    const gross = 500n * MICRO_PER_RUB;
    expect(taxInside(gross, 2200)).toEqual({
      net: 409_836_066n,
      vat: 90_163_934n,
      gross,
      vatRateBasisPoints: 2200,
    });
    expect(kopeks(taxInside(gross, 2200).vat)).toBe(90_16n);
    expect(kopeks(taxInside(gross, 2000).vat)).toBe(83_33n);
  });

  it('and the net add up to the gross, and the net bears that tax within one micro-ruble', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 17n }),
        fc.constantFrom(0, 1000, 1800, 2000, 2200),
        (gross, rate) => {
          const { net, vat } = taxInside(gross, rate);
          expect(net + vat).toBe(gross);
          const onTop = divide(net * BigInt(rate), 10_000n, 'half_up');
          expect(onTop - vat >= -1n && onTop - vat <= 1n).toBe(true);
        },
      ),
    );
  });
});

describe('allocate', () => {
  const weights = fc
    .array(fc.bigInt({ min: 0n, max: 10n ** 9n }), { minLength: 1, maxLength: 20 })
    .filter((row) => row.some((weight) => weight > 0n));

  it('adds up to the amount, each part within one unit of its exact share', () => {
    fc.assert(
      fc.property(amount, weights, (whole, row) => {
        const total = row.reduce((sum, weight) => sum + weight, 0n);
        const parts = allocate(whole, row);
        expect(parts.reduce((sum, part) => sum + part, 0n)).toBe(whole);
        parts.forEach((part, index) => {
          const share = whole * (row[index] ?? 0n);
          const floor = divide(share, total, 'floor');
          expect(part === floor || part === divide(share, total, 'ceil')).toBe(true);
        });
      }),
    );
  });

  it('gives what is left to the largest remainders, and to the earlier part among equals', () => {
    expect(allocate(100n, [1n, 1n, 1n])).toEqual([34n, 33n, 33n]);
    expect(allocate(10n, [1n, 5n, 1n])).toEqual([2n, 7n, 1n]);
    expect(allocate(7n, [0n, 3n, 0n])).toEqual([0n, 7n, 0n]);
    expect(allocate(-100n, [1n, 1n, 1n])).toEqual([-33n, -33n, -34n]);
  });

  it('gives the same parts for the same input, and a part of no weight nothing', () => {
    fc.assert(
      fc.property(amount, weights, (whole, row) => {
        const parts = allocate(whole, row);
        expect(allocate(whole, [...row])).toEqual(parts);
        expect(parts.filter((part, index) => row[index] === 0n && part !== 0n)).toEqual([]);
      }),
    );
  });

  it('refuses weights that add up to nothing', () => {
    for (const row of [[], [0n, 0n]]) expect(() => allocate(1n, row)).toThrow(RangeError);
  });
});
