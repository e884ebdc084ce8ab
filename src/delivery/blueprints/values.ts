import { isInn } from '../../inference/firewall/checksums.js';
import type { JsonObject } from '../../kernel/json.js';
import type { Condition } from './manifest.js';
import type { Operator } from './vocabulary.js';

/** What paths of a run lead into. The output of a step that was left out is not there. */
export interface RunValues {
  readonly input: JsonObject;
  /** Step id → output. */
  readonly outputs: ReadonlyMap<string, unknown>;
}

/** The value at a path; null where nothing is there. */
export function valueAt(values: RunValues, path: string): unknown {
  const [root, ...rest] = path.split('.');
  if (root === 'input') return below(values.input, rest);
  const [step = '', ...names] = rest;
  return root === 'steps' ? below(values.outputs.get(step), names) : null;
}

function below(value: unknown, names: readonly string[]): unknown {
  let at = value;
  for (const name of names) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return null;
    at = (at as Readonly<Record<string, unknown>>)[name];
  }
  return at ?? null;
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

const TESTS: Readonly<Record<Operator, Test>> = {
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
  const { ref, operator, value, other } = condition;
  const operand = other === undefined ? (value ?? null) : valueAt(values, other);
  const found = valueAt(values, ref);
  return found !== null && TESTS[operator](found, operand);
}
