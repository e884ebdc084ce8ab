import { type FieldNode, Kind, type ValueNode } from 'graphql';
import type { Fault } from '../src/kernel/errors/fail.js';
import { snakeCase } from './wire-names.js';

/**
 * Renames the paths of faults that resolvers raise, which follow the arguments of the field
 * (`input.maxCostRub`), to what the caller of the row wrote (`max_cost_rub`).
 */
export interface WirePaths {
  fault(fault: Fault): Fault;
  path(path: string): string;
}

/** The renaming for a row, from where its operation uses its variables. */
export function compileWirePaths(
  roots: readonly FieldNode[],
  bodyVariable: string | undefined,
): WirePaths {
  const byArgumentPath = new Map<string, string>();
  for (const root of roots) {
    for (const argument of root.arguments ?? []) {
      note(argument.name.value, argument.value, byArgumentPath);
    }
  }
  const path = (written: string) => {
    const wire =
      longestPrefix(written, byArgumentPath) ?? longestPrefix(`input.${written}`, byArgumentPath);
    if (!wire) return written.split('.').map(snakeCase).join('.');
    const segments = wire.rest === '' ? [] : wire.rest.split('.').map(snakeCase);
    const head = wire.variable === bodyVariable ? [] : [wire.variable];
    return [...head, ...segments].join('.');
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
