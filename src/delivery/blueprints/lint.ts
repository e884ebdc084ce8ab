import type { ValuesOf } from '../../kernel/fields/field.js';
import type { JsonObject } from '../../kernel/json.js';
import { proofFinders } from './lint-proof.js';
import { type Finder, type Found, referenceFinders } from './lint-references.js';
import { safetyFinders } from './lint-safety.js';
import { LINT_RULES, type LintLevel, type LintRule } from './lint-vocabulary.js';
import type { Manifest } from './manifest.js';
import { MANIFEST_SCHEMA, MANIFEST_SCHEMAS } from './manifest-schema.js';
import type { LINT, LintFinding } from './tables.js';
import { STEP_TYPES } from './vocabulary.js';

/** The rules that need a manifest of the right shape, in the order of the published list. */
const FINDERS: Readonly<Record<string, Finder>> = {
  ...referenceFinders,
  ...safetyFinders,
  ...proofFinders,
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
  return LINT_RULES.rows.flatMap(({ code }) =>
    (FINDERS[code]?.(manifest) ?? []).map((found) => finding(code, found)),
  );
}

/** The findings as an answer. */
export function lintAnswer(findings: readonly LintFinding[]): ValuesOf<typeof LINT.fields> {
  const count = (wanted: LintLevel) => findings.filter(({ level }) => level === wanted).length;
  return { errorCount: count('error'), warningCount: count('warning'), findings };
}

function shapeFindings(document: unknown): LintFinding[] {
  const faults = MANIFEST_SCHEMAS.valueFaults(MANIFEST_SCHEMA, document, '');
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
  return [['input_schema', input_schema] as const, ...schemas].flatMap(([path, schema]) =>
    MANIFEST_SCHEMAS.schemaFaults(path, schema).map(({ path: at, message }) =>
      finding('schema_invalid', { path: at, message }),
    ),
  );
}

const TYPES = new Set<unknown>(STEP_TYPES.codes);

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

function finding(rule: LintRule, { path, message }: Found): LintFinding {
  const { level = 'error', fix = '' } = LINT_RULES.find(rule) ?? {};
  return { rule, level, path, message, fix };
}
