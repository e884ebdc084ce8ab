import { wilsonInterval } from '../../kernel/interval.rules.js';
import { BASIS_POINTS } from './vocabulary.js';

/** A share with its interval, in basis points. */
export interface ShareInterval {
  readonly basisPoints: number;
  readonly lowBasisPoints: number;
  readonly highBasisPoints: number;
}

/**
 * The share of successes with its Wilson interval of 95 %: the point is rounded half up, the lower
 * end down and the upper end up.
 * @throws RangeError where nothing was tried
 */
export function shareInterval(successes: number, tried: number): ShareInterval {
  const { low, high } = wilsonInterval(successes, tried);
  return {
    basisPoints: Math.round((successes / tried) * BASIS_POINTS),
    lowBasisPoints: successes === 0 ? 0 : Math.floor(low * BASIS_POINTS),
    highBasisPoints: successes === tried ? BASIS_POINTS : Math.ceil(high * BASIS_POINTS),
  };
}
