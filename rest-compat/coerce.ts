import {
  type GraphQLEnumType,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLScalarType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import type { Fault } from '../src/kernel/errors/fail.js';
import { nearestName, snakeCase, spellings } from './wire-names.js';

/** What a coercion finds beside the value: faults, and the paths of fields that nobody reads. */
export interface Findings {
  readonly faults: Fault[];
  readonly unknown: { readonly path: string; readonly nearest: string | undefined }[];
}

/**
 * Turns one JSON value into the value that resolvers receive, as the GraphQL specification coerces
 * variables, but under wire names and with every fault collected instead of the first thrown.
 * What it returns beside a fault has no meaning.
 */
export type Coerce = (value: unknown, path: string, findings: Findings) => unknown;

const compiled = new WeakMap<GraphQLInputType, Coerce>();

/** The coercion of a type, compiled once for each type. Recursive input objects are fine. */
export function compileCoerce(type: GraphQLInputType): Coerce {
  const known = compiled.get(type);
  if (known) return known;
  let coerce: Coerce | undefined;
  compiled.set(type, (value, path, findings) => coerce?.(value, path, findings));
  coerce = build(type);
  compiled.set(type, coerce);
  return coerce;
}

function build(type: GraphQLInputType): Coerce {
  if (isNonNullType(type)) {
    const inner = compileCoerce(type.ofType);
    return (value, path, findings) =>
      value === null
        ? addFault(findings, path, 'missing', `${quoted(path)} must not be null.`)
        : inner(value, path, findings);
  }
  if (isListType(type)) return nullable(listCoerce(type.ofType));
  if (isInputObjectType(type)) return nullable(objectCoerce(type));
  if (isEnumType(type)) return nullable(enumCoerce(type));
  return nullable(scalarCoerce(type));
}

function nullable(inner: Coerce): Coerce {
  return (value, path, findings) => (value === null ? null : inner(value, path, findings));
}

function listCoerce(itemType: GraphQLInputType): Coerce {
  const item = compileCoerce(itemType);
  return (value, path, findings) =>
    Array.isArray(value)
      ? value.map((member, index) => item(member, `${path}.${index}`, findings))
      : [item(value, path, findings)];
}

function enumCoerce(type: GraphQLEnumType): Coerce {
  const values = new Map(type.getValues().map((value) => [value.name, value.value as unknown]));
  const names = [...values.keys()];
  return (value, path, findings) => {
    if (typeof value === 'string' && values.has(value)) return values.get(value);
    if (typeof value !== 'string') {
      return addFault(findings, path, 'wrong_type', `${quoted(path)} must be a string.`);
    }
    const nearest = nearestName(value, names);
    const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
    const message = `${quoted(path)} must be one of ${enumeration(names)}.${hint}`;
    return addFault(findings, path, 'unknown_value', message);
  };
}

/** Money and large counters: numbers are welcome in REST, the scalars read decimal text. */
const DECIMAL_SCALARS = new Set(['Rub', 'BigInt']);

function scalarCoerce(type: GraphQLScalarType): Coerce {
  // What JSON.parse made is valid JSON: it goes on by reference, however large it is.
  if (type.name === 'JSON') return (value) => value;
  const decimal = DECIMAL_SCALARS.has(type.name);
  const expected = EXPECTED[type.name] ?? `a valid ${type.name}`;
  return (value, path, findings) => {
    try {
      return type.parseValue(decimal && typeof value === 'number' ? String(value) : value);
    } catch (error) {
      const code = sameJsonType(type.name, value) ? 'invalid' : 'wrong_type';
      const reason = Object.hasOwn(EXPECTED, type.name) ? '' : reasonOf(error);
      return addFault(findings, path, code, `${quoted(path)} must be ${expected}.${reason}`);
    }
  };
}

const EXPECTED: Readonly<Record<string, string>> = {
  Int: 'an integer between -2147483648 and 2147483647',
  Float: 'a number',
  String: 'a string',
  Boolean: 'true or false',
  ID: 'a string or an integer',
  Rub: 'an amount of rubles, a number or a decimal string with at most six decimals',
  BigInt: 'an integer',
  DateTime: 'a time such as 2026-01-31T09:00:00Z',
  Date: 'a day such as 2026-01-31',
  UUID: 'a uuid',
};

/** The reason that a scalar of a module gives; a very long one only repeats the caller's value. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  return message === '' || message.length > 200 ? '' : ` ${message.replace(/\.?$/, '.')}`;
}

function sameJsonType(scalar: string, value: unknown): boolean {
  if (scalar === 'Int' || scalar === 'Float') return typeof value === 'number';
  if (DECIMAL_SCALARS.has(scalar)) return typeof value === 'number' || typeof value === 'string';
  return typeof value === 'string';
}

interface ObjectField {
  readonly name: string;
  readonly wireName: string;
  readonly required: boolean;
  readonly defaultValue: unknown;
  readonly coerce: Coerce;
}

function objectCoerce(type: GraphQLInputObjectType): Coerce {
  const fields = Object.values(type.getFields()).map(compileField);
  const bySpelling = indexBySpelling(fields);
  const wireNames = fields.map((field) => field.wireName);
  return (value, path, findings) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return addFault(findings, path, 'wrong_type', `${quoted(path)} must be an object.`);
    }
    const object: Record<string, unknown> = {};
    for (const [key, member] of Object.entries(value)) {
      const field = bySpelling.get(key);
      const at = join(path, key);
      if (!field || (Object.hasOwn(object, field.name) && key !== field.wireName)) {
        addUnknown(findings, at, key, wireNames);
      } else object[field.name] = field.coerce(member, at, findings);
    }
    completeObject(object, fields, path, findings);
    if (type.isOneOf && Object.values(object).filter((member) => member != null).length !== 1) {
      addFault(findings, path, 'invalid', `${quoted(path)} takes exactly one of its fields.`);
    }
    return object;
  };
}

function completeObject(
  object: Record<string, unknown>,
  fields: readonly ObjectField[],
  path: string,
  findings: Findings,
): void {
  for (const field of fields) {
    if (Object.hasOwn(object, field.name)) continue;
    if (field.defaultValue !== undefined) object[field.name] = field.defaultValue;
    else if (field.required) addMissing(join(path, field.wireName), findings);
  }
}

function compileField(field: GraphQLInputField): ObjectField {
  return {
    name: field.name,
    wireName: snakeCase(field.name),
    required: isNonNullType(field.type) && field.defaultValue === undefined,
    defaultValue: field.defaultValue,
    coerce: compileCoerce(field.type),
  };
}

/** Both spellings of every field; where two fields meet in one spelling, the exact one has it. */
function indexBySpelling(fields: readonly ObjectField[]): ReadonlyMap<string, ObjectField> {
  const index = new Map<string, ObjectField>();
  for (const field of fields) for (const name of spellings(field.wireName)) index.set(name, field);
  for (const field of fields) index.set(field.name, field);
  for (const field of fields) index.set(field.wireName, field);
  return index;
}

/** Notes that a required field is missing, and which unread field may have been meant for it. */
export function addMissing(path: string, findings: Findings): void {
  const name = path.slice(path.lastIndexOf('.') + 1);
  const meant = findings.unknown.find((unknown) => unknown.nearest === name);
  const hint = meant ? ` Did you mean it by ${quoted(meant.path)}?` : '';
  addFault(findings, path, 'missing', `${quoted(path)} is required.${hint}`);
}

/** Notes a fault. Returns undefined, so that a coercion can end with it. */
export function addFault(
  findings: Findings,
  path: string,
  code: Fault['code'],
  message: string,
): undefined {
  if (findings.faults.length < FAULTS_MAX) findings.faults.push({ path, code, message });
  return undefined;
}

/** Notes a field that nobody reads, and the field that it was perhaps meant for. */
export function addUnknown(
  findings: Findings,
  path: string,
  name: string,
  candidates: readonly string[],
): void {
  const count = findings.unknown.length;
  if (count >= UNKNOWN_MAX) return;
  const nearest = count < GUESSES_MAX ? nearestName(name, candidates) : undefined;
  findings.unknown.push({ path, nearest });
}

/** A body of nothing but faults must not make an answer, or work, many times its size. */
const FAULTS_MAX = 200;
const UNKNOWN_MAX = 200;
const GUESSES_MAX = 20;

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

function quoted(path: string): string {
  return path === '' ? 'The body' : `\`${path}\``;
}

const ENUMERATED_MAX = 25;

function enumeration(names: readonly string[]): string {
  const shown = names.slice(0, ENUMERATED_MAX).join(', ');
  return names.length > ENUMERATED_MAX ? `${shown}, …` : shown;
}
