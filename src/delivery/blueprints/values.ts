import { isInn } from '../../inference/firewall/checksums.js';
import type { JsonObject } from '../../kernel/json.js';
import { CONTENT_TESTS } from './content.rules.js';
import type { Condition } from './manifest.js';
import { CONTENT_OPERATORS, type ContentOperator, type Operator } from './operators.js';
import type { CheckResult } from './proof-vocabulary.js';

/** What paths of a run lead into. The output of a step that was left out is not there. */
export interface RunValues {
  readonly input: JsonObject;
  /** Step id → output. */
  readonly outputs: ReadonlyMap<string, unknown>;
  /** Path → whether a long value, which was read before, has no markers of injection. */
  readonly injectionFree?: ReadonlyMap<string, boolean>;
}

/** The value at a path, `input` for the whole input; null where nothing is there. */
export function valueAt(values: RunValues, path: string): unknown {
  const [root, ...rest] = path.split('.');
  if (root === 'input') return below(values.input, rest);
  const [step = '', ...names] = rest;
  return root === 'steps' ? below(values.outputs.get(step), names) : null;
}

function below(value: unknown, names: readonly string[]): unknown {
  let at = value;
  for (const [index, name] of names.entries()) {
    if (typeof at !== 'object' || at === null) return null;
    if (!Object.hasOwn(at, name)) {
      return Array.isArray(at) ? membersOf(at, names.slice(index)) : null;
    }
    at = (at as Readonly<Record<string, unknown>>)[name];
  }
  return at ?? null;
}

/** A name behind a list leads into each of its elements; those that lack it are left out. */
function membersOf(list: readonly unknown[], names: readonly string[]): unknown[] {
  return list.map((element) => below(element, names)).filter((found) => found !== null);
}

/** The bound values by name. */
export function boundValues(
  values: RunValues,
  bindings: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const entries = Object.entries(bindings).map(([name, path]) => [name, valueAt(values, path)]);
  return Object.fromEntries(entries);
}

/** Two amounts are near where they differ by less than a hundredth. */
const NEAR = 0.01;

type Test = (value: unknown, operand: unknown) => boolean;

const TESTS: Readonly<Record<Exclude<Operator, ContentOperator>, Test>> = {
  equals: (value, operand) => value === operand,
  not_equals: (value, operand) => value !== null && value !== operand,
  in: (value, operand) => Array.isArray(operand) && operand.includes(value),
  above: (value, operand) => numbers(value, operand, (one, other) => one > other),
  below: (value, operand) => numbers(value, operand, (one, other) => one < other),
  near: (value, operand) =>
    numbers(value, operand, (one, other) => Math.abs(one - other) < NEAR - Number.EPSILON),
  present: (value) => value !== null && value !== '' && !(Array.isArray(value) && value.length < 1),
  valid_inn: (value) => typeof value === 'string' && /^\d{10}(\d\d)?$/.test(value) && isInn(value),
};

function numbers(
  value: unknown,
  operand: unknown,
  test: (one: number, other: number) => boolean,
): boolean {
  return typeof value === 'number' && typeof operand === 'number' && test(value, operand);
}

/** Whether a condition holds. A value that is not there satisfies no condition. */
export function holds(values: RunValues, condition: Condition): boolean {
  return judged(values, condition) === 'held';
}

/** What a condition on the values comes to; `not_applicable` where there is nothing to judge. */
export function judged(values: RunValues, condition: Condition): CheckResult {
  const { ref, operator, value, other } = condition;
  const operand = other === undefined ? (value ?? null) : valueAt(values, other);
  const found = valueAt(values, ref);
  if (found === null) return 'not_applicable';
  const known = operator === 'without_injection' ? values.injectionFree?.get(ref) : undefined;
  if (known !== undefined) return known ? 'held' : 'failed';
  const held = isContent(operator)
    ? CONTENT_TESTS[operator](found, operand, value)
    : TESTS[operator](found, operand);
  if (held === null) return 'not_applicable';
  return held ? 'held' : 'failed';
}

const CONTENT: ReadonlySet<string> = new Set(CONTENT_OPERATORS);

function isContent(operator: Operator): operator is ContentOperator {
  return CONTENT.has(operator);
}
