import { argumentFaults } from '../../actions/tools/arguments-schema.js';
import { ruleOf } from '../../actions/tools/contract.js';
import type { ToolVersion } from '../../actions/tools/registry.js';
import { judgeAction } from '../../actions/tools/rules.js';
import type { ActionDecision, CallerKind } from '../../actions/tools/vocabulary.js';
import type { Sealable } from '../../kernel/canonical.js';
import type { ApprovalStep, ToolStep, ValidateStep } from './manifest.js';
import { holds, type RunValues } from './values.js';

/** What a validate step found. */
export interface Validation {
  readonly passed: boolean;
  readonly violations: readonly { readonly code: string; readonly message: string }[];
}

/** Runs every check; those that read the output of a step which was left out fail. */
export function validated(step: ValidateStep, values: RunValues): Validation {
  const violations = step.checks
    .filter(({ must }) => !holds(values, must))
    .map(({ code, message }) => ({ code, message }));
  return { passed: violations.length === 0, violations };
}

/** Whether a person must agree, why, and who. */
export interface ApprovalNeed {
  readonly decision: 'required' | 'not_required';
  readonly reasons: readonly string[];
  readonly approver: string;
}

/** A person must agree where any of the conditions holds. */
export function approvalNeed(step: ApprovalStep, values: RunValues): ApprovalNeed {
  const reasons = step.required_when
    .filter((condition) => holds(values, condition))
    .map(({ reason }) => reason);
  return {
    decision: reasons.length > 0 ? 'required' : 'not_required',
    reasons,
    approver: step.approver,
  };
}

/** The action that a tool step would ask for, and what the action policy says about it. */
export interface ToolPreview {
  readonly decision: ActionDecision | 'not_registered';
  /** The guard of the action policy that decided, or why nothing could be decided. */
  readonly guard: string;
  readonly reasons: readonly string[];
  readonly tool_key: string;
  readonly verb: string;
  readonly arguments: Sealable;
  /** What the arguments lack by the schema of the contract. */
  readonly argument_faults: readonly string[];
}

/**
 * Shows the action of a tool step and judges it by the function that executions are judged by;
 * nothing is called. `tool` is undefined where the tenant has registered no such tool.
 */
export function toolPreview(
  { tool_key, verb }: Pick<ToolStep, 'tool_key' | 'verb'>,
  given: Sealable,
  tool: ToolVersion | undefined,
  caller: CallerKind,
): ToolPreview {
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
