import { type FieldNode, getNamedType, isInputObjectType, Kind, type ValueNode } from 'graphql';
import type { Fault } from '../src/kernel/errors/fail.js';
import type { VariableRow } from './bind.js';
import { snakeCase } from './wire-names.js';

/**
 * Renames the paths of faults that resolvers raise, which follow the arguments of the field
 * (`input.maxCostRub`), to what the caller of the row wrote (`max_cost_rub`).
 */
export interface WirePaths {
  fault(fault: Fault): Fault;
  path(path: string): string;
}

/**
 * The renaming for a row, from where its operation uses its variables. What lies inside a scalar is
 * the caller's own spelling and stays as it is.
 */
export function compileWirePaths(
  roots: readonly FieldNode[],
  variables: readonly VariableRow[],
  bodyVariable: string | undefined,
): WirePaths {
  const byArgumentPath = new Map<string, string>();
  for (const root of roots) {
    for (const argument of root.arguments ?? []) {
      note(argument.name.value, argument.value, byArgumentPath);
    }
  }
  const objects = new Set(
    variables
      .filter((variable) => isInputObjectType(getNamedType(variable.type)))
      .map((variable) => variable.name),
  );
  const scalarBody = bodyVariable !== undefined && !objects.has(bodyVariable);
  const spelled = (path: string, renames: boolean) =>
    renames ? path.split('.').map(snakeCase).join('.') : path;
  const path = (written: string) => {
    const wire =
      longestPrefix(written, byArgumentPath) ?? longestPrefix(`input.${written}`, byArgumentPath);
    if (!wire) return spelled(written, !scalarBody);
    const inside = spelled(wire.rest, objects.has(wire.variable));
    // A body has a field that is called as the argument is: the `input` of embeddings, a list.
    if (scalarBody && /^\d*$/.test(inside.split('.', 1)[0] ?? '')) return written;
    if (wire.variable === bodyVariable) return inside;
    return inside === '' ? wire.variable : `${wire.variable}.${inside}`;
  };
  const fault = (original: Fault): Fault => {
    const renamed = path(original.path);
    if (renamed === original.path) return original;
    const message = original.message.replaceAll(`\`${original.path}\``, `\`${renamed}\``);
    return { ...original, path: renamed, message };
  };
  return { path, fault };
}

function note(path: string, value: ValueNode, into: Map<string, string>): void {
  if (value.kind === Kind.VARIABLE) into.set(path, value.name.value);
  if (value.kind === Kind.OBJECT) {
    for (const field of value.fields) note(`${path}.${field.name.value}`, field.value, into);
  }
}

function longestPrefix(
  path: string,
  variables: ReadonlyMap<string, string>,
): { readonly variable: string; readonly rest: string } | undefined {
  for (let end = path.length; end > 0; end = path.lastIndexOf('.', end - 1)) {
    const variable = variables.get(path.slice(0, end));
    if (variable !== undefined) return { variable, rest: path.slice(end + 1) };
  }
  return undefined;
}
