import { type GraphQLInputType, getNamedType, isInputObjectType } from 'graphql';
import type { Fault } from '../src/kernel/errors/fail.js';
import { snakeCase } from '../src/kernel/fields/names.js';
import type { VariableRow } from './bind.js';
import type { InputNames } from './input-names.js';
import type { VariableUse } from './variable-uses.js';

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
  uses: readonly VariableUse[],
  variables: readonly VariableRow[],
  bodyVariable: string | undefined,
  names: InputNames,
): WirePaths {
  const byArgumentPath = new Map(uses.map(({ path, variable }) => [path, variable]));
  const types = new Map(variables.map((variable) => [variable.name, variable.type]));
  const bodyType = types.get(bodyVariable ?? '');
  const scalarBody = bodyType !== undefined && !isInputObjectType(getNamedType(bodyType));
  const find = (written: string) =>
    longestPrefix(written, byArgumentPath) ?? longestPrefix(`input.${written}`, byArgumentPath);
  const path = (written: string) => {
    const wire = find(written) ?? find(inRubles(written));
    if (!wire) return scalarBody ? written : written.split('.').map(snakeCase).join('.');
    const type = types.get(wire.variable);
    const inside = type ? pathBelow(type, wire.rest, names) : wire.rest;
    // A body has a field that is called as the argument is: the `input` of embeddings, a list.
    if (scalarBody && /^\d*$/.test(inside.split('.', 1)[0] ?? '')) return written;
    if (wire.variable === bodyVariable) return inside;
    return inside === '' ? wire.variable : `${wire.variable}.${inside}`;
  };
  return { path, fault: (original) => renamed(original, path) };
}

/** The renaming of one request, whose caller wrote some lists as objects. */
export function asWritten(paths: WirePaths, written?: ReadonlyMap<string, string>): WirePaths {
  if (!written) return paths;
  const path = (given: string) => {
    const wire = paths.path(given);
    const found = longestPrefix(wire, written);
    if (!found) return wire;
    return found.rest === '' ? found.variable : `${found.variable}.${found.rest}`;
  };
  return { path, fault: (original) => renamed(original, path) };
}

function renamed(original: Fault, rename: (path: string) => string): Fault {
  const path = rename(original.path);
  if (path === original.path) return original;
  const message = original.message.replaceAll(`\`${original.path}\``, `\`${path}\``);
  return { ...original, path, message: beginning(message, original.path, path) };
}

/** A message that begins with a path, which is renamed there too. */
function beginning(message: string, path: string, renamed: string): string {
  const rest = message.slice(path.length);
  return message.startsWith(path) && /^[ ,:]/.test(rest) ? `${renamed}${rest}` : message;
}

/** A path of GraphQL names below a type, in wire names. */
function pathBelow(type: GraphQLInputType, path: string, names: InputNames): string {
  const [head, ...rest] = path.split('.');
  if (head === undefined || head === '') return path;
  const below = rest.join('.');
  const joined = (name: string, inside: string) => (below === '' ? name : `${name}.${inside}`);
  if (/^\d+$/.test(head)) return joined(head, pathBelow(type, below, names));
  const named = getNamedType(type);
  if (!isInputObjectType(named)) return path;
  const wanted = new Set([head, snakeCase(head), snakeCase(inRubles(head))]);
  const fields = names.fieldsOf(named);
  const field = fields.find(
    ({ field: { name } }) => wanted.has(name) || wanted.has(snakeCase(name)),
  );
  if (!field) return path.split('.').map(snakeCase).join('.');
  return joined(field.wireName, pathBelow(field.field.type, below, field.below));
}

/** Rules count in micro-rubles what callers give in rubles. */
function inRubles(path: string): string {
  return path.replace(/Micro(?=\.|$)/g, 'Rub');
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
