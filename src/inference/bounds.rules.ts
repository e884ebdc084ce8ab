import type { UsageVector } from '../catalog/providers/price.js';
import type { UsageDimension } from '../catalog/providers/vocabulary.js';
import type { TokenBounds } from '../routing/named.js';

/** Usage within the bounds, and whether some of what was stated lay beyond them. */
export interface BoundedUsage {
  readonly usage: UsageVector;
  readonly isBeyond: boolean;
}

// In the order in which they are kept.
const INPUTS: readonly UsageDimension[] = ['input_cached', 'cache_write', 'input_uncached'];
const OUTPUTS: readonly UsageDimension[] = ['output_reasoning', 'output_text'];

/**
 * Usage cut to what the request allowed, so that its cost never exceeds the hold. What lies beyond
 * is taken from the plain tokens first; the same vector where nothing does.
 */
export function withinBounds(usage: UsageVector, bounds: TokenBounds): BoundedUsage {
  const cut: Record<UsageDimension, number> = { ...usage };
  const inputFits = keep(cut, INPUTS, bounds.inputTokensMax);
  const outputFits = keep(cut, OUTPUTS, bounds.outputTokensMax);
  return inputFits && outputFits ? { usage, isBeyond: false } : { usage: cut, isBeyond: true };
}

/** By what is left and not by sums: sums of what an upstream claims pass the exact integers. */
function keep(
  usage: Record<UsageDimension, number>,
  dimensions: readonly UsageDimension[],
  tokensMax: number,
): boolean {
  let left = tokensMax;
  let fits = true;
  for (const dimension of dimensions) {
    const stated = usage[dimension];
    if (stated > left) {
      usage[dimension] = left;
      fits = false;
    }
    left -= usage[dimension];
  }
  return fits;
}
