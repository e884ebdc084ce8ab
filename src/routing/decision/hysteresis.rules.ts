import type { Judged } from './gates.rules.js';
import type { Situation } from './tables.js';

/**
 * The present model, where it passes and the best one is not better by what the terms demand. A
 * frozen router stays with it whatever the difference.
 * @param ordered those that pass, the best first
 */
export function present(
  ordered: readonly Judged[],
  { terms, killSwitch }: Situation,
  incumbent: string | null,
): Judged | undefined {
  const [best] = ordered;
  const now = ordered.find(({ model }) => model.model === incumbent);
  if (!best || !now || now === best) return undefined;
  const isFrozen = killSwitch.state === 'FROZEN';
  return isFrozen || best.utility - now.utility < terms.hysteresisBasisPoints ? now : undefined;
}
