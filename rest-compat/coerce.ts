import {
  type GraphQLEnumType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLScalarType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { FAULTS_MAX } from '../src/kernel/errors/fail.js';
import { isExactRub } from '../src/kernel/money.js';
import { type Coerce, entriesOf, ObjectCoercion } from './coerce-object.js';
import { addFault, noteWritten, quoted } from './findings.js';
import type { InputNames } from './input-names.js';
import { nearestName } from './wire-names.js';

const compiled = new WeakMap<InputNames, Map<GraphQLInputType, Coerce>>();

/** The coercion of a type, compiled once for each type. Recursive input objects are fine. */
export function compileCoerce(type: GraphQLInputType, names: InputNames): Coerce {
  const ofNames = compiled.get(names) ?? new Map<GraphQLInputType, Coerce>();
  compiled.set(names, ofNames);
  const known = ofNames.get(type);
  if (known) return known;
  let coerce: Coerce | undefined;
  ofNames.set(type, (...value) => coerce?.(...value));
  coerce = build(type, names);
  ofNames.set(type, coerce);
  return coerce;
}

/** The coercion of an input object by its fields. */
export function compileObject(type: GraphQLInputObjectType, names: InputNames): ObjectCoercion {
  return new ObjectCoercion(type, names, compileCoerce);
}

function build(type: GraphQLInputType, names: InputNames): Coerce {
  if (isNonNullType(type)) {
    const inner = compileCoerce(type.ofType, names);
    return (value, path, findings, beside) =>
      value === null
        ? addFault(findings, path, 'missing', `${quoted(path)} must not be null.`)
        : inner(value, path, findings, beside);
  }
  if (isListType(type)) return nullable(listCoerce(type.ofType, names));
  if (isInputObjectType(type)) return nullable(compileObject(type, names).coerce);
  if (isEnumType(type)) return nullable(enumCoerce(type));
  return nullable(scalarCoerce(type));
}

function nullable(inner: Coerce): Coerce {
  // Null beside fields that were written elsewhere would contradict them.
  return (value, path, findings, beside) =>
    value === null && !beside ? null : inner(value, path, findings, beside);
}

function listCoerce(itemType: GraphQLInputType, names: InputNames): Coerce {
  const item = compileCoerce(itemType, names);
  const object = getNullableType(itemType);
  const byKey = isInputObjectType(object) ? keyedCoerce(object, names) : undefined;
  return (value, path, findings) => {
    if (Array.isArray(value)) {
      return value.map((member, index) => item(member, `${path}.${index}`, findings));
    }
    return byKey?.(value, path, findings) ?? [item(value, path, findings)];
  };
}

const NUMBERS: ReadonlySet<string> = new Set(['Int', 'Float']);

/** The coercion of a list that is written as an object by one of its fields, where it may be. */
function keyedCoerce(type: GraphQLInputObjectType, names: InputNames): Coerce | undefined {
  const byKey = names.byKeyOf(type);
  if (!byKey) return undefined;
  const object = compileObject(type, names);
  const bareType = object.find(byKey.bare)?.type;
  const bareKind = bareType && NUMBERS.has(getNamedType(bareType).name) ? 'number' : 'string';
  const bareShown = bareKind === 'number' ? 'a number' : 'a text';
  return (value, path, findings) => {
    if (typeof value !== 'object' || value === null) return undefined;
    return Object.entries(value).map(([key, member]: [string, unknown], index) => {
      const at = `${path}.${key}`;
      noteWritten(findings, `${path}.${index}`, at);
      const isBare = typeof member === bareKind;
      const own = isBare ? { [byKey.bare]: member } : (member ?? {});
      if (typeof own !== 'object' || Array.isArray(own)) {
        return addFault(
          findings,
          at,
          'wrong_type',
          `${quoted(at)} must be an object or ${bareShown}.`,
        );
      }
      const keyed = { key: byKey.key, value: key, at: `${at}.${byKey.key}` };
      const others = entriesOf(own, at).filter((entry) => entry.key !== byKey.key);
      return object.coerceEntries([...others, keyed], at, findings);
    });
  };
}

function enumCoerce(type: GraphQLEnumType): Coerce {
  const values = new Map(type.getValues().map((value) => [value.name, value.value as unknown]));
  const names = [...values.keys()];
  const byLetters = new Map(names.map((name) => [name.toLowerCase(), values.get(name)]));
  // Where two codes differ by case alone, case says which is meant.
  const anyCase = byLetters.size === names.length ? byLetters : values;
  return (value, path, findings) => {
    if (typeof value !== 'string') {
      return addFault(findings, path, 'wrong_type', `${quoted(path)} must be a string.`);
    }
    if (values.has(value)) return values.get(value);
    if (anyCase.has(value.toLowerCase())) return anyCase.get(value.toLowerCase());
    // What is not told is not looked for.
    if (findings.faults.length >= FAULTS_MAX) return undefined;
    const nearest = nearestName(value, names);
    const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
    const message = `${quoted(path)} must be one of ${enumeration(names)}.${hint}`;
    return addFault(findings, path, 'unknown_value', message);
  };
}

/**
 * Money and large counters: the scalars read decimal text, and numbers are welcome in REST as far
 * as they carry the value exactly.
 */
const EXACT_NUMBERS: Readonly<Record<string, (value: number) => boolean>> = {
  Rub: isExactRub,
  BigInt: (value) => !Number.isInteger(value) || Number.isSafeInteger(value),
};

function scalarCoerce(type: GraphQLScalarType): Coerce {
  // What JSON.parse made is valid JSON: it goes on by reference, however large it is.
  if (type.name === 'JSON') return (value) => value;
  const isExact = EXACT_NUMBERS[type.name];
  const own = type.extensions.expected as string | undefined;
  const expected = own ?? EXPECTED[type.name] ?? `a valid ${type.name}`;
  return (value, path, findings) => {
    const isDecimal = isExact !== undefined && typeof value === 'number';
    if (isDecimal && !isExact(value)) {
      const message = `${quoted(path)} is not exact as a JSON number; give it as a string.`;
      return addFault(findings, path, 'invalid', message);
    }
    try {
      return type.parseValue(isDecimal ? String(value) : value);
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
};

/** The reason that a scalar of a module gives; a very long one only repeats the caller's value. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  return message === '' || message.length > 200 ? '' : ` ${message.replace(/\.?$/, '.')}`;
}

function sameJsonType(scalar: string, value: unknown): boolean {
  if (scalar === 'Int' || scalar === 'Float') return typeof value === 'number';
  if (Object.hasOwn(EXACT_NUMBERS, scalar))
    return typeof value === 'number' || typeof value === 'string';
  return typeof value === 'string';
}

const ENUMERATED_MAX = 25;

function enumeration(names: readonly string[]): string {
  const shown = names.slice(0, ENUMERATED_MAX).join(', ');
  return names.length > ENUMERATED_MAX ? `${shown}, …` : shown;
}
