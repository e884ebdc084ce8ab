import type { EffectivePolicy } from '../access/policies/rules.js';
import type { Jurisdiction } from '../catalog/providers/vocabulary.js';
import { isRestricted } from '../kernel/firewall/data-class.rules.js';
import type { DataClass } from '../kernel/firewall/vocabulary.js';

const INSIDE: readonly Jurisdiction[] = ['rf'];
const ANYWHERE: readonly Jurisdiction[] = ['rf', 'outside'];

/** Data whose class counts as C3 and above stays inside, whatever the policy says. */
export function openRoutes(
  { hybrid }: Pick<EffectivePolicy, 'hybrid'>,
  dataClass: DataClass,
): readonly Jurisdiction[] {
  return hybrid === 'rf_only' || isRestricted(dataClass) ? INSIDE : ANYWHERE;
}
