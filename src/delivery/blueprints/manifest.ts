import type { HybridMode } from '../../access/policies/vocabulary.js';
import type { Capability, QualityTier } from '../../catalog/providers/vocabulary.js';
import type { BuiltInClass, FirewallMode } from '../../kernel/firewall/vocabulary.js';
import type { JsonObject } from '../../kernel/json.js';
import type { Category, OperationCode, Operator, Platform } from './vocabulary.js';

/**
 * A blueprint as it is published. Its members are spelt as on the wire, since the manifest itself
 * is the document that is validated, hashed and shown.
 */
export interface Manifest {
  /** The slug in the path. */
  readonly id: string;
  /** Semantic version. */
  readonly version: string;
  readonly name: string;
  readonly description: string;
  readonly category: Category;
  readonly vertical: string;
  readonly platforms: readonly Platform[];
  /** `metadata.feature` of every request: costs are reported by it. */
  readonly feature: string;
  readonly input_schema: JsonObject;
  readonly example_input: JsonObject;
  /** Classes of finding that real inputs hold; the example holds each of them. */
  readonly personal_data: readonly BuiltInClass[];
  readonly steps: readonly Step[];
  readonly models: { readonly primary: ModelNeed; readonly fallback?: ModelNeed };
  readonly policies: ManifestPolicies;
  readonly tools: readonly ToolNeed[];
  readonly business_result: BusinessResultRule;
}

/** What a model must be able to do, and which one does it in the sandbox. */
export interface ModelNeed {
  readonly sandbox_model: string;
  readonly capabilities: readonly Capability[];
  readonly russian_quality_min: QualityTier;
}

/** What the policy of a project must say at least. */
export interface ManifestPolicies {
  readonly firewall: Readonly<Partial<Record<BuiltInClass, FirewallMode>>>;
  readonly hybrid: HybridMode;
  readonly budget: { readonly run_rub_max: number; readonly monthly_rub: number };
}

/** A tool that must be registered, with the verbs that steps ask for. */
export interface ToolNeed {
  readonly tool_key: string;
  readonly verbs: readonly string[];
}

/** What a run was worth, computed from its outputs. */
export interface BusinessResultRule {
  /** The type of the value event that a real run would record. */
  readonly event: string;
  readonly unit: string;
  readonly achieved_when: readonly Condition[];
  /** The path of the number of units; one unit where it is left out. */
  readonly quantity?: string;
  /** Declared by the author of the blueprint, not measured. */
  readonly minutes_saved_per_unit: number;
  /** Facts that are taken from the outputs: name to path. */
  readonly facts: Readonly<Record<string, string>>;
}

/**
 * A condition on a value. Paths are `input.<name>…` and `steps.<id>.<name>…`; the value stands
 * against `value`, or against the value at the path `other`.
 */
export interface Condition {
  readonly ref: string;
  readonly operator: Operator;
  readonly value?: string | number | boolean | readonly (string | number)[];
  readonly other?: string;
}

interface StepBase {
  readonly id: string;
  readonly title: string;
  /** What the output must be; an output that is something else fails the step. */
  readonly output_schema?: JsonObject;
  /** The step is left out where this does not hold. */
  readonly when?: Condition;
}

/** Values that a step reads: name to path. */
export type Bindings = Readonly<Record<string, string>>;

/** Asks a model. The template holds the sections `[system]` and `[user]`. */
export interface LlmStep extends StepBase {
  readonly type: 'llm';
  readonly with: Bindings;
  readonly template: string;
  readonly max_output_tokens?: number;
  readonly temperature?: number;
}

/** Ranks passages of `documents` ({id, title, text}) for `query`. */
export interface RetrieveStep extends StepBase {
  readonly type: 'retrieve';
  readonly with: { readonly documents: string; readonly query: string };
  readonly top: number;
}

/** Computes values; each stands under its name in the output. */
export interface TransformStep extends StepBase {
  readonly type: 'transform';
  readonly with: Bindings;
  readonly set: Readonly<Record<string, Operation>>;
}

/** One computation: of a bound value, by one or two fields where the operation needs them. */
export interface Operation {
  readonly operation: OperationCode;
  readonly of: string;
  readonly field?: string;
  readonly by?: string;
}

/** Checks values. */
export interface ValidateStep extends StepBase {
  readonly type: 'validate';
  readonly checks: readonly Check[];
  readonly on_failure: 'continue' | 'stop';
}

/** One check: what must hold, and what to say where it does not. */
export interface Check {
  readonly code: string;
  readonly must: Condition;
  readonly message: string;
}

/** Decides whether a person must agree: where any of the conditions holds. */
export interface ApprovalStep extends StepBase {
  readonly type: 'approval';
  readonly approver: string;
  readonly required_when: readonly (Condition & { readonly reason: string })[];
}

/** Shows an action of a tool. */
export interface ToolStep extends StepBase {
  readonly type: 'tool';
  readonly with: Bindings;
  readonly tool_key: string;
  readonly verb: string;
}

/** A step of a blueprint. */
export type Step = LlmStep | RetrieveStep | TransformStep | ValidateStep | ApprovalStep | ToolStep;

/** The values that a step binds. */
export function bindingsOf(step: Step): Bindings {
  return 'with' in step ? { ...step.with } : {};
}

/** Every path that a step reads, its condition included. */
export function refsOf(step: Step): string[] {
  const conditions = [
    ...(step.when ? [step.when] : []),
    ...(step.type === 'validate' ? step.checks.map((check) => check.must) : []),
    ...(step.type === 'approval' ? step.required_when : []),
  ];
  return [...Object.values(bindingsOf(step)), ...conditions.flatMap(conditionRefs)];
}

/** The paths that a condition reads. */
export function conditionRefs({ ref, other }: Condition): string[] {
  return other === undefined ? [ref] : [ref, other];
}

/** A condition as people read it, such as `steps.check.passed equals true`. */
export function conditionText({ ref, operator, value, other }: Condition): string {
  const operand = other ?? (value === undefined ? '' : JSON.stringify(value));
  return `${ref} ${operator} ${operand}`.trim();
}

/** The names under which the output of a step stands; undefined where they cannot be known. */
export function outputNames(step: Step): readonly string[] | undefined {
  switch (step.type) {
    case 'llm': {
      const { properties } = step.output_schema ?? {};
      return properties === undefined ? undefined : Object.keys(properties as JsonObject);
    }
    case 'transform':
      return Object.keys(step.set);
    default:
      return OUTPUT_NAMES[step.type];
  }
}

const OUTPUT_NAMES = {
  retrieve: ['found', 'passages'],
  validate: ['passed', 'violations'],
  approval: ['decision', 'reasons', 'approver'],
  tool: ['decision', 'guard', 'reasons', 'tool_key', 'verb', 'arguments', 'argument_faults'],
} as const;
