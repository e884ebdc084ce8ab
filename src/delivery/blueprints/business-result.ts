import { divide } from '../../kernel/money.js';
import { type BusinessResultRule, conditionText } from './manifest.js';
import { storable } from './storable.js';
import { holds, type RunValues, valueAt } from './values.js';

/**
 * What a run was worth. Quantity and facts come from answers of simulated models, so they are
 * estimates of what a real run would give; minutes are declared by the blueprint; the cost is real.
 */
export function businessResult(rule: BusinessResultRule, values: RunValues, costMicro: bigint) {
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
    not_achieved_because: unmet.map(conditionText),
    quantity,
    quantity_provenance: 'estimated',
    minutes_saved: quantity * rule.minutes_saved_per_unit,
    minutes_saved_provenance: 'declared',
    cost_per_unit_micro:
      quantity === 0 ? null : divide(costMicro, BigInt(quantity), 'half_up').toString(),
    facts: storable(
      Object.fromEntries(
        Object.entries(rule.facts).map(([name, path]) => [name, valueAt(values, path)]),
      ),
    ),
    simulated: true,
  };
}

/** A business result as it is stored. */
export type StoredBusinessResult = ReturnType<typeof businessResult>;
