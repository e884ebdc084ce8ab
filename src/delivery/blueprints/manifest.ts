import type { z } from 'zod';
import { QUALITY_TIERS, type QualityTier } from '../../catalog/providers/vocabulary.js';
import type { JsonObject } from '../../kernel/json.js';
import type { MANIFEST } from './manifest-schema.js';

type Closed<T> = T extends object ? { readonly [name in keyof T]: Closed<T[name]> } : T;

/**
 * A blueprint as it is published: what satisfies the schema of manifests. Its members are spelt as
 * on the wire, since the manifest itself is the document that is validated, hashed and shown.
 */
export type Manifest = Closed<z.infer<typeof MANIFEST>>;

/** What a model must be able to do, and which one does it in the sandbox. */
export type ModelNeed = Manifest['models']['primary'];

/** What a run was worth, computed from its outputs. */
export type BusinessResultRule = Manifest['business_result'];

/**
 * A condition on a value. Paths are `input.<name>…` and `steps.<id>.<name>…`; the value stands
 * against `value`, or against the value at the path `other`.
 */
export type Condition = BusinessResultRule['achieved_when'][number];

/** A check of content. */
export type ContentCheck = NonNullable<BusinessResultRule['proof']>[number];

/** An input with what models answer to it, honest and lying ones. */
export type GoldenCase = NonNullable<Manifest['golden_cases']>[number];

/** A step of a blueprint. */
export type Step = Manifest['steps'][number];

/** A step of one type. */
export type StepOf<C extends Step['type']> = Extract<Step, { readonly type: C }>;

/** One computation: of a bound value, by one or two fields where the operation needs them. */
export type Operation = StepOf<'transform'>['set'][string];

/** The members that a schema of an object describes; none where it describes none. */
export function propertiesOf(schema: JsonObject | undefined): Readonly<Record<string, JsonObject>> {
  return (schema?.properties ?? {}) as Readonly<Record<string, JsonObject>>;
}

/** Whether a step asks a model. */
export function asksModel(step: Step): step is StepOf<'llm'> {
  return step.type === 'llm';
}

/** What the manifest needs of models, the primary one first, each with its path. */
export function needsOf({ models: { primary, fallback } }: Manifest) {
  const first = { path: 'models.primary', need: primary };
  return fallback ? [first, { path: 'models.fallback', need: fallback }] : [first];
}

/** Whether a declared quality of Russian is the least one that is asked for, or a better one. */
export function isAsGood(tier: QualityTier, least: QualityTier): boolean {
  return QUALITY_TIERS.codes.indexOf(tier) >= QUALITY_TIERS.codes.indexOf(least);
}

/** A condition as people read it, such as `steps.check.passed equals true`. */
export function conditionText({ ref, operator, value, other }: Condition): string {
  const operand = other ?? (value === undefined ? '' : JSON.stringify(value));
  return `${ref} ${operator} ${operand}`.trim();
}
