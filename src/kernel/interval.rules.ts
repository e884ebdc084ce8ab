/** The normal quantile of a two-sided interval of 95 %. */
export const NORMAL_95 = 1.959964;

/**
 * Wilson's score interval of a share at 95 % (E. B. Wilson, 1927):
 * (p + z²/2n ± z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n). It holds the share itself.
 * @throws RangeError where nothing was tried: no share is known then
 */
export function wilsonInterval(
  successes: number,
  tried: number,
): { readonly low: number; readonly high: number } {
  if (tried <= 0) throw new RangeError('a share of nothing is not known');
  const share = successes / tried;
  const z2 = NORMAL_95 * NORMAL_95;
  const middle = share + z2 / (2 * tried);
  const half = NORMAL_95 * Math.sqrt((share * (1 - share)) / tried + z2 / (4 * tried * tried));
  const scale = 1 + z2 / tried;
  return {
    low: Math.max(0, Math.min(share, (middle - half) / scale)),
    high: Math.min(1, Math.max(share, (middle + half) / scale)),
  };
}

/** How often something was tried, and how often it succeeded. */
interface Tries {
  readonly successes: number;
  readonly tried: number;
}

/**
 * The interval of the difference of two shares at 95 %, the first less the second, by the hybrid
 * score method (R. G. Newcombe, 1998, method 10): each side has its Wilson interval, and
 * low = d − √((p₁ − l₁)² + (u₂ − p₂)²), high = d + √((u₁ − p₁)² + (p₂ − l₂)²).
 * @throws RangeError where one side was never tried
 */
export function differenceInterval(
  one: Tries,
  other: Tries,
): { readonly low: number; readonly high: number } {
  const first = wilsonInterval(one.successes, one.tried);
  const second = wilsonInterval(other.successes, other.tried);
  const [p1, p2] = [one.successes / one.tried, other.successes / other.tried];
  return {
    low: p1 - p2 - Math.hypot(p1 - first.low, second.high - p2),
    high: p1 - p2 + Math.hypot(first.high - p1, p2 - second.low),
  };
}
