import { canonicalJson, type Sealable } from '../canonical.js';
import type { Fault } from '../errors/fail.js';
import { count, fault, length, oneOf, range, wellFormed } from '../errors/faults.js';
import { formatRub } from '../money.js';
import type { Bounds, Field, Fields, ValuesOf } from './field.js';
import { shownName } from './names.js';

/** What GraphQL hands to a resolver: absent and null stand for each other. */
export type GivenValues = Readonly<Record<string, unknown>>;

/**
 * The values of an input as rules read them, by the names of the table: what is absent is its
 * fallback, or null.
 */
export function inputValues<F extends Fields>(fields: F, given: GivenValues): ValuesOf<F> {
  const entries = Object.entries(fields).map(([name, field]) => [
    name,
    inputValue(field, given[shownName(name)] ?? field.fallback ?? null),
  ]);
  return Object.fromEntries(entries) as ValuesOf<F>;
}

/**
 * The values that an input states, by the names of the table, null among them; what it leaves out
 * is left out, as a change of something that exists has to know.
 */
export function statedValues(fields: Fields, given: GivenValues): GivenValues {
  const entries = Object.entries(fields)
    .filter(([name]) => given[shownName(name)] !== undefined)
    .map(([name, field]) => [name, inputValue(field, given[shownName(name)] ?? null)]);
  return Object.fromEntries(entries);
}

function inputValue(field: Field, value: unknown): unknown {
  if (value === null) return null;
  if (field.item) {
    const { item } = field;
    return (value as readonly unknown[]).map((each) => inputValue(item, each));
  }
  return field.table ? inputValues(field.table.fields, value as GivenValues) : value;
}

/** Every fault of an input by its table, with the paths of its arguments. */
export function inputFaults(fields: Fields, values: GivenValues, path: string): Fault[] {
  const above = path === '' ? '' : `${path}.`;
  return Object.entries(fields).flatMap(([name, field]) =>
    valueFaults(field, values[name] ?? null, `${above}${shownName(name)}`),
  );
}

function valueFaults(field: Field, value: unknown, path: string): Fault[] {
  if (value === null) return [];
  if (field.item) {
    const { item, bounds } = field;
    const items = value as readonly unknown[];
    const tooMany = count(path, items, bounds as { max: number });
    if (tooMany.length > 0) return tooMany;
    return items.flatMap((each, index) => valueFaults(item, each ?? null, `${path}.${index}`));
  }
  if (field.table) return inputFaults(field.table.fields, value as GivenValues, path);
  if (field.vocabulary) return oneOf(path, String(value), field.vocabulary.codes);
  return plainFaults(field, value, path);
}

function plainFaults({ kind, bounds = {} }: Field, value: unknown, path: string): Fault[] {
  if (kind === 'text') {
    const given = String(value);
    return [...length(path, given, bounds as { max: number }), ...wellFormed(path, given)];
  }
  if (kind === 'money') return range(path, value as bigint, bounds as Bounds<bigint>, formatRub);
  if (kind === 'json') return jsonFaults(path, value);
  if (typeof value === 'number' || typeof value === 'bigint') return range(path, value, bounds);
  return [];
}

function jsonFaults(path: string, value: unknown): Fault[] {
  try {
    canonicalJson(value as Sealable);
    return [];
  } catch (thrown) {
    return [fault(path, 'invalid', `cannot be kept exactly: ${(thrown as Error).message}`)];
  }
}
