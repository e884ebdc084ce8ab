import type { Judged } from './gates.rules.js';
import type { Situation } from './tables.js';

/**
 * The present model, where it passes and the best one is not better by what the terms demand. A
 * frozen router stays with it whatever the difference.
 * @param best the one of `passing` that has the highest utility
 */
export function present(
  passing: readonly Judged[],
  best: Judged | undefined,
  { terms, killSwitch }: Situation,
  incumbent: string | null,
): Judged | undefined {
  if (incumbent === null) return undefined;
  const now = passing.find(({ model }) => model.model === incumbent);
  if (!best || !now || now === best) return undefined;
  const isFrozen = killSwitch.state === 'FROZEN';
  return isFrozen || best.utility - now.utility < terms.hysteresisBasisPoints ? now : undefined;
}
