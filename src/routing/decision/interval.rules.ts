import { BASIS_POINTS } from './vocabulary.js';

/** The 97.5 % quantile of the normal distribution. */
const Z = 1.959964;

/** A share with its interval, in basis points. */
export interface ShareInterval {
  readonly basisPoints: number;
  readonly lowBasisPoints: number;
  readonly highBasisPoints: number;
}

/**
 * The share of successes with the Wilson score interval of 95 % (Wilson 1927): the point is rounded
 * half up, the lower end down and the upper end up.
 * @throws RangeError where nothing was tried: no share is known then
 */
export function shareInterval(successes: number, tried: number): ShareInterval {
  if (tried <= 0) throw new RangeError('a share of nothing is not known');
  const share = successes / tried;
  const spread = (Z * Z) / tried;
  const middle = share + spread / 2;
  const half = Z * Math.sqrt((share * (1 - share) + spread / 4) / tried);
  const low = (middle - half) / (1 + spread);
  const high = (middle + half) / (1 + spread);
  return {
    basisPoints: Math.round(share * BASIS_POINTS),
    lowBasisPoints: successes === 0 ? 0 : Math.max(0, Math.floor(low * BASIS_POINTS)),
    highBasisPoints:
      successes === tried ? BASIS_POINTS : Math.min(BASIS_POINTS, Math.ceil(high * BASIS_POINTS)),
  };
}
