import type { JsonObject } from '../../kernel/json.js';
import { compileFault, schemaFaults } from './json-schema.js';
import { type Finder, type Found, SANDBOX_MODELS } from './lint-finder.js';
import { referenceFinders } from './lint-references.js';
import { safetyFinders } from './lint-safety.js';
import { templateFinders } from './lint-templates.js';
import { LINT_RULES, type LintLevel, type LintRule } from './lint-vocabulary.js';
import type { Manifest } from './manifest.js';
import { MANIFEST_SCHEMA } from './manifest-schema.js';
import { schemaBoundFaults } from './schema-bounds.js';
import { STEP_TYPES } from './vocabulary.js';

/** Something that the lint found in a manifest. */
export interface LintFinding {
  readonly rule: LintRule;
  readonly level: LintLevel;
  /** Where in the manifest, dotted. */
  readonly path: string;
  readonly message: string;
  /** What mends it. */
  readonly fix: string;
}

/** The rules that need a manifest of the right shape, in the order of the published list. */
const FINDERS: Readonly<Record<string, Finder>> = {
  ...referenceFinders,
  ...templateFinders,
  ...safetyFinders(SANDBOX_MODELS),
};

/**
 * Everything that the published rules find in a manifest, in their order. A document that does not
 * satisfy the schema is judged by its shape alone. Pure.
 */
export function lintManifest(document: unknown): LintFinding[] {
  const shape = shapeFindings(document);
  if (shape.length > 0) return shape;
  const manifest = document as Manifest;
  const schemas = schemaFindings(manifest);
  if (schemas.length > 0) return schemas;
  return LINT_RULES.flatMap(({ code }) =>
    (FINDERS[code]?.(manifest) ?? []).map((found) => finding(code, found)),
  );
}

function shapeFindings(document: unknown): LintFinding[] {
  const faults = schemaFaults(MANIFEST_SCHEMA, document, '');
  const unknownTypes = unknownStepTypes(document);
  const told = new Set(unknownTypes.map(({ path }) => path));
  return [
    ...faults
      .filter(({ path }) => !told.has(path))
      .map(({ path, message }) => finding('manifest_invalid', { path, message })),
    ...unknownTypes.map((found) => finding('unknown_step_type', found)),
  ];
}

/** The other rules read schemas, so a manifest with a wrong one is judged by its schemas alone. */
function schemaFindings({ input_schema, steps }: Manifest): LintFinding[] {
  const schemas = steps.flatMap(({ output_schema: schema }, index): [string, JsonObject][] =>
    schema ? [[`steps.${index}.output_schema`, schema]] : [],
  );
  return [['input_schema', input_schema] as const, ...schemas].flatMap(([path, schema]) => {
    const faults: readonly Found[] = schemaBoundFaults(path, schema);
    const reason = faults.length === 0 ? compileFault(schema) : undefined;
    const all = reason === undefined ? faults : [{ path, message: reason }];
    return all.map(({ path: at, message }) => finding('schema_invalid', { path: at, message }));
  });
}

const TYPES = new Set<unknown>(STEP_TYPES.map(({ code }) => code));

function unknownStepTypes(document: unknown): Found[] {
  const steps = (document as JsonObject | null)?.steps;
  if (!Array.isArray(steps)) return [];
  return steps.flatMap((step: JsonObject | null, index) => {
    const type = step?.type;
    if (typeof type !== 'string' || TYPES.has(type)) return [];
    const message = `The sandbox does not run steps of the type ${type.slice(0, 60)}.`;
    return [{ path: `steps.${index}.type`, message }];
  });
}

const RULES = new Map(LINT_RULES.map((rule) => [rule.code, rule]));

function finding(rule: LintRule, { path, message }: Found): LintFinding {
  const { level = 'error', fix = '' } = RULES.get(rule) ?? {};
  return { rule, level, path, message, fix };
}
