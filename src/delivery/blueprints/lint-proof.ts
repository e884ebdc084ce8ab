import { patternRefusal } from '../../kernel/json-schema/patterns.js';
import { isShare } from './content.rules.js';
import { judgedCases } from './golden.rules.js';
import type { Finder, Found } from './lint-references.js';
import type { Condition, Manifest } from './manifest.js';
import { PROVING_OPERATORS } from './operators.js';
import { proves } from './proof.rules.js';
import { BLUEPRINT_BOUNDS } from './vocabulary.js';

/** Rules about what shows that a blueprint does what it says. */
export const proofFinders = {
  check_invalid: (manifest) =>
    conditionsOf(manifest).flatMap(({ path, condition }) =>
      operandFaults(condition).map((message) => ({ path, message })),
    ),
  golden_case_wrong: caseFindings,
  missing_proof: (manifest) => {
    const checks = manifest.business_result.proof ?? [];
    const isProvable = checks.some((check) => proves(manifest, check));
    const message = 'No check compares an answer of a model with the input.';
    return isProvable ? [] : [{ path: 'business_result.proof', message }];
  },
} as const satisfies Readonly<Record<string, Finder>>;

/** Every condition of a manifest, with its path. */
export function conditionsOf({ steps, business_result: result }: Manifest) {
  const inSteps = steps.flatMap((step, index) => {
    const at = `steps.${index}`;
    const checks = step.type === 'validate' ? step.checks : [];
    const needs = step.type === 'approval' ? step.required_when : [];
    return [
      ...(step.when ? [{ path: `${at}.when`, condition: step.when }] : []),
      ...checkConditions(`${at}.checks`, checks),
      ...needs.map((condition, place) => ({ path: `${at}.required_when.${place}`, condition })),
    ];
  });
  return [
    ...inSteps,
    ...checkConditions('business_result.proof', result.proof ?? []),
    ...result.achieved_when.map((condition, place) => ({
      path: `business_result.achieved_when.${place}`,
      condition,
    })),
  ];
}

type Checks = NonNullable<Manifest['business_result']['proof']>;

function checkConditions(path: string, checks: Checks) {
  return checks.flatMap(({ when, must }, index) => [
    ...(when ? [{ path: `${path}.${index}.when`, condition: when }] : []),
    { path: `${path}.${index}.must`, condition: must },
  ]);
}

const PATTERNS: ReadonlySet<string> = new Set(['mentions', 'lacks']);

const SHARE_FAULT = 'The value of shares_words must be a percentage from 1 to 100.';

function operandFaults({ operator, value, other }: Condition): string[] {
  if (PATTERNS.has(operator)) {
    const refusal = patternRefusal(value, BLUEPRINT_BOUNDS.checkPatternCharactersMax);
    return refusal === undefined ? [] : [`The value of ${operator} ${refusal}.`];
  }
  if (PROVING_OPERATORS.has(operator) && other === undefined) {
    return [`${operator} compares with the value at \`other\`, which is missing.`];
  }
  if (operator === 'shares_words') return isShare(value) ? [] : [SHARE_FAULT];
  if (operator !== 'related') return [];
  const isPair = Array.isArray(value) && value.length === 2;
  return isPair ? [] : ['The value of related must be a list of two names.'];
}

/** Cases are judged by checks that can be judged. */
function caseFindings(manifest: Manifest): readonly Found[] {
  if (proofFinders.check_invalid(manifest).length > 0) return [];
  return judgedCases(manifest).flatMap(({ golden, judged, lies, faults }, index) => {
    const at = `golden_cases.${index}`;
    if (faults.length > 0) return faults.map((message) => ({ path: at, message }));
    const through = lies.filter((isCaught) => !isCaught).length;
    return [
      ...(judged === golden.expected
        ? []
        : [{ path: `${at}.expected`, message: `${golden.id} is ${judged}.` }]),
      ...(through === 0
        ? []
        : [{ path: `${at}.lies`, message: `${through} lies about ${golden.id} go through.` }]),
    ];
  });
}
