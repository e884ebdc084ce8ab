import { divide } from '../../kernel/money.js';
import { type BusinessResultRule, conditionText } from './manifest.js';
import type { BusinessResult } from './run-tables.js';
import { storable } from './storable.js';
import { boundValues, holds, type RunValues, valueAt } from './values.js';

/**
 * What a run was worth. Quantity and facts come from answers of simulated models, so they are
 * estimates of what a real run would give; minutes are declared by the blueprint; the cost is real.
 */
export function businessResult(
  rule: BusinessResultRule,
  values: RunValues,
  costMicro: bigint,
): BusinessResult {
  const unmet = rule.achieved_when.filter((condition) => !holds(values, condition));
  const counted = rule.quantity === undefined ? 1 : valueAt(values, rule.quantity);
  const quantity =
    unmet.length === 0 && typeof counted === 'number' && Number.isSafeInteger(counted)
      ? Math.max(0, counted)
      : 0;
  return {
    event: rule.event,
    unit: rule.unit,
    achieved: quantity > 0,
    notAchievedBecause: unmet.map(conditionText),
    quantity,
    quantityProvenance: 'estimated',
    minutesSaved: quantity * rule.minutes_saved_per_unit,
    minutesSavedProvenance: 'declared',
    costPerUnitMicro: quantity === 0 ? null : divide(costMicro, BigInt(quantity), 'half_up'),
    facts: storable(boundValues(values, rule.facts)),
    simulated: true,
  };
}
