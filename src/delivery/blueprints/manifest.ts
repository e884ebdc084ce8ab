import type { JsonObject } from '../../kernel/json.js';
import type { MANIFEST_SCHEMA } from './manifest-schema.js';
import type { Satisfying } from './schema-parts.js';

/**
 * A blueprint as it is published: what satisfies the JSON Schema of manifests. Its members are
 * spelt as on the wire, since the manifest itself is the document that is validated, hashed and
 * shown.
 */
export type Manifest = Satisfying<typeof MANIFEST_SCHEMA>;

/** What a model must be able to do, and which one does it in the sandbox. */
export type ModelNeed = Manifest['models']['primary'];

/** What the policy of a project must say at least. */
export type ManifestPolicies = Manifest['policies'];

/** What a run was worth, computed from its outputs. */
export type BusinessResultRule = Manifest['business_result'];

/**
 * A condition on a value. Paths are `input.<name>…` and `steps.<id>.<name>…`; the value stands
 * against `value`, or against the value at the path `other`.
 */
export type Condition = BusinessResultRule['achieved_when'][number];

/** A step of a blueprint. */
export type Step = Manifest['steps'][number];

/** A step of one type. */
export type StepOf<C extends Step['type']> = Extract<Step, { readonly type: C }>;

/** One computation: of a bound value, by one or two fields where the operation needs them. */
export type Operation = StepOf<'transform'>['set'][string];

/** Values that a step reads: name to path. */
export type Bindings = Readonly<Record<string, string>>;

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
