import { argumentFaults } from '../../actions/tools/arguments-schema.js';
import { ruleOf } from '../../actions/tools/contract.js';
import type { ToolVersion } from '../../actions/tools/registry.js';
import { judgeAction } from '../../actions/tools/rules.js';
import type { CallerKind } from '../../actions/tools/vocabulary.js';
import type { Sealable } from '../../kernel/canonical.js';
import type { StepOf } from './manifest.js';
import { holds, type RunValues } from './values.js';

/** Runs every check that applies; those that read the output of a step which was left out fail. */
export function validated(step: StepOf<'validate'>, values: RunValues) {
  const violations = step.checks
    .filter(({ when }) => !when || holds(values, when))
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
