import { argumentFaults } from '../../actions/tools/arguments-schema.js';
import { ruleOf } from '../../actions/tools/contract.js';
import type { ToolVersion } from '../../actions/tools/registry.js';
import { judgeAction } from '../../actions/tools/rules.js';
import type { CallerKind } from '../../actions/tools/vocabulary.js';
import type { Sealable } from '../../kernel/canonical.js';
import { divide } from '../../kernel/money.js';
import { type BusinessResultRule, conditionText, type StepOf } from './manifest.js';
import type { BusinessResult } from './run-tables.js';
import { storable } from './storable.js';
import { boundValues, holds, type RunValues, valueAt } from './values.js';

/** Runs every check; those that read the output of a step which was left out fail. */
export function validated(step: StepOf<'validate'>, values: RunValues) {
  const violations = step.checks
    .filter(({ must }) => !holds(values, must))
    .map(({ code, message }) => ({ code, message }));
  return { passed: violations.length === 0, violations };
}

/** Whether a person must agree, why, and who: where any of the conditions holds. */
export function approvalNeed({ required_when, approver }: StepOf<'approval'>, values: RunValues) {
  const met = required_when.filter((condition) => holds(values, condition));
  const decision = met.length > 0 ? ('required' as const) : ('not_required' as const);
  return { decision, reasons: met.map(({ reason }) => reason), approver };
}

/**
 * Shows the action of a tool step and judges it by the function that executions are judged by;
 * nothing is called. `guard` names what decided, or why nothing could be decided, and
 * `argument_faults` what the arguments lack by the schema of the contract. `tool` is undefined
 * where the tenant has registered no such tool.
 */
export function toolPreview(
  { tool_key, verb }: Pick<StepOf<'tool'>, 'tool_key' | 'verb'>,
  given: Sealable,
  tool: ToolVersion | undefined,
  caller: CallerKind,
) {
  const shown = { tool_key, verb, arguments: given };
  if (!tool) {
    const reasons = [`no tool is registered as ${tool_key}`];
    const decision = 'not_registered';
    return { decision, guard: 'tool_not_registered', reasons, ...shown, argument_faults: [] };
  }
  const { contract, version: contractVersion } = tool;
  const judged = judgeAction({ contract, contractVersion, verb, arguments: given, caller });
  const schema = ruleOf(contract, verb)?.argumentsSchema;
  return {
    decision: judged.decision,
    guard: judged.guard,
    reasons: judged.reasons.map(({ reason }) => reason),
    ...shown,
    argument_faults: schema ? argumentFaults(schema, given).map(({ message }) => message) : [],
  };
}

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
