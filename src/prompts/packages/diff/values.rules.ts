import { canonicalJson, type Sealable } from '../../../kernel/canonical.js';
import type { JsonObject } from '../../../kernel/json.js';
import { type FoundChange, found, type Pair } from './found-change.js';

/** Changes of the types that a value may have. */
export function diffTypes({ from, to, path }: Pair): FoundChange[] {
  const before = typesOf(from);
  const after = typesOf(to);
  const gained = beyond(after, before);
  const lost = beyond(before, after);
  const what = `the type went from ${shown(before)} to ${shown(after)}`;
  if (!gained) return lost ? [found('type_narrowed', path, what)] : [];
  // A type that takes the place of another is no wider: what came before comes no more.
  return [found(lost ? 'type_replaced' : 'type_widened', path, what)];
}

/** Changes of the values that are listed. */
export function diffValues({ from, to, path }: Pair): FoundChange[] {
  const before = valuesOf(from);
  const after = valuesOf(to);
  if (!before && !after) return [];
  if (!before) return [found('values_listed', path, 'the values are listed now')];
  if (!after) return [found('values_unlisted', path, 'the list of values is gone')];
  const gained = after.filter((value) => !before.includes(value));
  const lost = before.filter((value) => !after.includes(value));
  return [
    ...gained.map((value) => found('value_added', path, `the value ${value} may come now`)),
    ...lost.map((value) => found('value_removed', path, `the value ${value} comes no more`)),
  ];
}

/** Undefined for any type. Listed values have their types even where none is stated. */
function typesOf(schema: JsonObject): readonly string[] | undefined {
  const { type } = schema;
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type.map(String);
  return valuesOf(schema)?.map((text) => typeOfText(text));
}

/** Whether `types` has one that `others` does not cover; every integer is a number. */
function beyond(types: readonly string[] | undefined, others: readonly string[] | undefined) {
  if (!others) return false;
  if (!types) return true;
  return types.some(
    (type) => !others.includes(type) && !(type === 'integer' && others.includes('number')),
  );
}

function shown(types: readonly string[] | undefined): string {
  return types ? [...new Set(types)].join(' or ') : 'any';
}

function valuesOf(schema: JsonObject): readonly string[] | undefined {
  const { enum: listed } = schema;
  if (Object.hasOwn(schema, 'const')) return [textOf(schema.const)];
  return Array.isArray(listed) ? [...new Set(listed.map(textOf))] : undefined;
}

function textOf(value: unknown): string {
  return canonicalJson((value ?? null) as Sealable);
}

function typeOfText(text: string): string {
  const value: unknown = JSON.parse(text);
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}
