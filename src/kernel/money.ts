/**
 * Money is an integer of micro-rubles (1 RUB = 1,000,000), as bigint. A price of P RUB per
 * million tokens is exactly P micro-rubles per token, so prices lose nothing either.
 */
export type MicroRub = bigint;

/** Micro-rubles in one ruble. */
export const MICRO_PER_RUB = 1_000_000n;

/** How a division treats its remainder. Every division names one. */
export type Rounding = 'floor' | 'ceil' | 'half_even' | 'half_up';

/** Integer division of any signs under a named rounding. The divisor must be positive. */
export function divide(dividend: bigint, divisor: bigint, rounding: Rounding): bigint {
  if (divisor <= 0n) throw new RangeError('the divisor must be positive');
  let quotient = dividend / divisor;
  let remainder = dividend % divisor;
  if (remainder < 0n) {
    quotient -= 1n;
    remainder += divisor;
  }
  if (remainder === 0n || rounding === 'floor') return quotient;
  if (rounding === 'ceil') return quotient + 1n;
  const twice = remainder * 2n;
  if (twice !== divisor) return twice > divisor ? quotient + 1n : quotient;
  if (rounding === 'half_up') return quotient + 1n;
  return quotient % 2n === 0n ? quotient : quotient + 1n;
}

/**
 * Reads a ruble amount written as a decimal with at most six places.
 * @returns undefined when the text is not such a number
 */
export function parseRub(text: string): MicroRub | undefined {
  const match = /^(-?)(\d{1,12})(?:\.(\d{1,6}))?$/.exec(text);
  if (!match) return undefined;
  const [, sign, whole = '', fraction = ''] = match;
  const micro = BigInt(whole) * MICRO_PER_RUB + BigInt(fraction.padEnd(6, '0'));
  return sign === '-' ? -micro : micro;
}

/**
 * True for a number of rubles that says its micro-rubles exactly: no amount beside it is the same
 * number. From eight billion rubles on there are such amounts.
 */
export function isExactRub(rubles: number): boolean {
  const micro = parseRub(String(rubles));
  if (micro === undefined) return true;
  return [micro - 1n, micro + 1n].every((other) => Number(formatRub(other)) !== rubles);
}

/** Writes micro-rubles as a decimal of rubles: at least two places, at most six. */
export function formatRub(micro: MicroRub): string {
  const sign = micro < 0n ? '-' : '';
  const absolute = micro < 0n ? -micro : micro;
  const fraction = (absolute % MICRO_PER_RUB).toString().padStart(6, '0');
  const places = fraction.slice(0, 2) + fraction.slice(2).replace(/0+$/, '');
  return `${sign}${absolute / MICRO_PER_RUB}.${places}`;
}

/** An amount with its value added tax: `gross = net + vat`, all in micro-rubles. */
export interface Taxed {
  readonly net: MicroRub;
  readonly vat: MicroRub;
  readonly gross: MicroRub;
  readonly vatRateBasisPoints: number;
}

/**
 * Takes the tax out of a gross amount: vat = gross × rate / (1 + rate), half up, as Russian
 * invoices compute it (calculated rate 22/122, Tax Code article 164 point 4).
 */
export function taxInside(gross: MicroRub, vatRateBasisPoints: number): Taxed {
  const rate = BigInt(vatRateBasisPoints);
  const vat = divide(gross * rate, 10_000n + rate, 'half_up');
  return { net: gross - vat, vat, gross, vatRateBasisPoints };
}

/**
 * Splits an amount by integer weights so that the parts add up to it exactly: floors first, then
 * one unit each to the largest remainders (ties to the earlier part).
 */
export function allocate(amount: MicroRub, weights: readonly bigint[]): MicroRub[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0n);
  if (total <= 0n) throw new RangeError('the weights must add up to more than zero');
  const parts = weights.map((weight) => divide(amount * weight, total, 'floor'));
  let left = amount - parts.reduce((sum, part) => sum + part, 0n);
  const byRemainder = weights
    .map((weight, index) => ({ index, remainder: amount * weight - (parts[index] ?? 0n) * total }))
    .sort((a, b) =>
      a.remainder === b.remainder ? a.index - b.index : a.remainder > b.remainder ? -1 : 1,
    );
  for (const { index } of byRemainder) {
    if (left <= 0n) break;
    parts[index] = (parts[index] ?? 0n) + 1n;
    left -= 1n;
  }
  return parts;
}
