import { asObject, type JsonObject } from '../../kernel/json.js';
import type { Findings } from './findings.js';

/** What a value of a request may be: one source of the checks and of the published JSON Schema. */
export interface Shape {
  /** For messages: `a text`, `a list of tools`. */
  readonly what: string;
  readonly schema: JsonObject;
  /** True for a value that looks like this shape, so that its faults are told by it. */
  readonly resembles: (value: unknown) => boolean;
  readonly check: (value: unknown, found: Findings) => void;
}

interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

/** The same shape with a description in the published schema. */
export function about(description: string, shape: Shape): Shape {
  return { ...shape, schema: { ...shape.schema, description } };
}

/** Any value. */
export const ANYTHING: Shape = {
  what: 'a value',
  schema: {},
  resembles: () => true,
  check: () => {},
};

/** No value: members that are not named are refused by it. */
export const NOTHING: Shape = {
  what: 'nothing',
  schema: { not: {} },
  resembles: () => false,
  check: (_, found) => found.add('unknown_value', 'is no member of it'),
};

/** True or false. */
export const FLAG: Shape = plain('true or false', { type: 'boolean' }, isOf('boolean'));

/** A text of so many characters. */
export function text({ min = 0, max }: Bounds = {}): Shape {
  const schema = {
    type: 'string',
    ...(min > 0 ? { minLength: min } : {}),
    ...(max === undefined ? {} : { maxLength: max }),
  };
  const upTo = max === undefined ? '' : ` of at most ${max} characters`;
  const fits = (value: unknown) =>
    typeof value === 'string' &&
    value.length >= min &&
    (max === undefined || value.length <= max || characters(value) <= max);
  const what = min > 0 ? `a text that is not empty${upTo}` : `a text${upTo}`;
  return bounded(what, schema, 'string', fits);
}

function characters(value: string): number {
  let count = 0;
  for (const _ of value) count += 1;
  return count;
}

/** A number within bounds. */
export function number(min: number, max: number): Shape {
  const schema = { type: 'number', minimum: min, maximum: max };
  return bounded(`a number from ${min} to ${max}`, schema, 'number', isFrom(min, max));
}

/** A whole number within bounds. */
export function whole(min: number, max: number): Shape {
  const schema = { type: 'integer', minimum: min, maximum: max };
  const isInside = isFrom(min, max);
  const fits = (value: unknown) => Number.isInteger(value) && isInside(value);
  return bounded(`a whole number from ${min} to ${max}`, schema, 'number', fits);
}

/** One of some texts. */
export function oneOf(...values: readonly string[]): Shape {
  const what = `one of ${values.join(', ')}`;
  const known = new Set<unknown>(values);
  return {
    what,
    schema: { enum: values },
    resembles: isOf('string'),
    check: (value, found) => {
      if (known.has(value)) return;
      found.add(typeof value === 'string' ? 'unknown_value' : 'wrong_type', `must be ${what}`);
    },
  };
}

/** A list of so many elements; `what` says so in words. */
export function list(what: string, of: Shape, { min = 0, max }: Bounds = {}): Shape {
  return {
    what,
    schema: {
      type: 'array',
      items: of.schema,
      ...(min > 0 ? { minItems: min } : {}),
      ...(max === undefined ? {} : { maxItems: max }),
    },
    resembles: (value) => Array.isArray(value) && (value.length === 0 || of.resembles(value[0])),
    check: (value, found) => {
      if (!Array.isArray(value)) return found.add('wrong_type', `must be ${what}`);
      const { length } = value;
      if (length < min || length > (max ?? length)) found.add('out_of_range', `must be ${what}`);
      for (let index = 0; index < length && !found.isFull; index += 1) {
        found.enter(index);
        of.check(value[index], found);
        found.leave();
      }
    },
  };
}

/** One of several shapes: the first that the value resembles judges it. */
export function either(...options: readonly Shape[]): Shape {
  const what = options.map((option) => option.what).join(' or ');
  return {
    what,
    schema: { anyOf: options.map(({ schema }) => schema) },
    resembles: (value) => options.some((option) => option.resembles(value)),
    check: (value, found) => {
      const option =
        options.find(({ resembles }) => resembles(value)) ??
        options.find(({ schema }) => Array.isArray(value) && schema.type === 'array');
      if (option) option.check(value, found);
      else found.add('wrong_type', `must be ${what}`);
    },
  };
}

/** The shape, or null. */
export function nullable(shape: Shape): Shape {
  return {
    ...shape,
    schema: schemaOrNull(shape.schema),
    check: (value, found) => {
      if (value !== null) shape.check(value, found);
    },
  };
}

function schemaOrNull(schema: JsonObject): JsonObject {
  const { type, description, ...rest } = schema;
  const isAnything = Object.keys(schema).every((key) => key === 'description');
  if (isAnything) return schema;
  const isPlain = !('anyOf' in schema || 'oneOf' in schema);
  if (typeof type === 'string' && isPlain) return { ...schema, type: [type, 'null'] };
  const described = description === undefined ? {} : { description };
  const own = type === undefined ? rest : { type, ...rest };
  return { ...described, anyOf: [own, { type: 'null' }] };
}

/** The members of an object by name. */
export type Members = Readonly<Record<string, Shape>>;

/** What an object must have, and what its further members are. */
export interface ObjectRules {
  readonly required?: readonly string[];
  /** At least one of these must be there and not null. */
  readonly someOf?: readonly string[];
  /** Members that are not named; anything by default. */
  readonly others?: Shape;
  /** More that must hold, where a schema cannot say it. */
  readonly rule?: (value: JsonObject, found: Findings) => void;
}

/**
 * An object. A member that is not required may be null, which says the same as leaving it out:
 * clients write out members that they were not given.
 */
export function object(what: string, members: Members, rules: ObjectRules = {}): Shape {
  const { required = [], someOf = [], others = ANYTHING, rule } = rules;
  const table = tableOf(members, rules);
  const unnamed: Entry = { shape: others, isRequired: false, isAlternative: false };
  return {
    what,
    schema: objectSchema(members, rules),
    resembles: (value) => asObject(value) !== undefined,
    check: (value, found) => {
      const given = asObject(value);
      if (!given) return found.add('wrong_type', `must be ${what}`);
      let missing = required.length;
      let hasOne = someOf.length === 0;
      // Bodies are parsed JSON, so that nothing is inherited that could be enumerated.
      for (const name in given) {
        const { shape, isRequired, isAlternative } = table.get(name) ?? unnamed;
        if (shape === ANYTHING && !isRequired && !isAlternative) continue;
        const member = given[name];
        if (member === undefined) continue;
        if (isRequired) missing -= 1;
        else if (member === null) continue;
        if (isAlternative) hasOne = true;
        found.enter(name);
        shape.check(member, found);
        found.leave();
      }
      if (missing > 0) addMissing(given, required, table, found);
      if (!hasOne) found.add('missing', `must have ${someOf.join(' or ')}`);
      rule?.(given, found);
    },
  };
}

/** An object that has all of its named members; others pass. */
export function complete(what: string, members: Members): Shape {
  return object(what, members, { required: Object.keys(members) });
}

interface Entry {
  readonly shape: Shape;
  readonly isRequired: boolean;
  readonly isAlternative: boolean;
}

function tableOf(members: Members, { required = [], someOf = [] }: ObjectRules) {
  return new Map(
    Object.entries(members).map(([name, shape]): [string, Entry] => [
      name,
      { shape, isRequired: required.includes(name), isAlternative: someOf.includes(name) },
    ]),
  );
}

function addMissing(
  given: JsonObject,
  required: readonly string[],
  table: ReadonlyMap<string, Entry>,
  found: Findings,
): void {
  for (const name of required) {
    if (given[name] !== undefined) continue;
    found.addOf(name, 'missing', `is missing: it must be ${table.get(name)?.shape.what}`);
  }
}

function objectSchema(members: Members, { required = [], someOf, others }: ObjectRules) {
  const properties = Object.entries(members).map(([name, { schema }]) => [
    name,
    required.includes(name) ? schema : schemaOrNull(schema),
  ]);
  return {
    type: 'object',
    ...(required.length > 0 ? { required } : {}),
    ...(properties.length > 0 ? { properties: Object.fromEntries(properties) } : {}),
    ...(someOf ? { anyOf: someOf.map(present) } : {}),
    additionalProperties: others ? schemaOrNull(others.schema) : true,
  };
}

function present(name: string): JsonObject {
  return { required: [name], properties: { [name]: { not: { type: 'null' } } } };
}

/** What names the kind of an object, and how a kind that is not listed is taken. */
export interface KindRules {
  /** The member that names the kind; `type` unless stated. */
  readonly tag?: string;
  /** True lets them pass as they are, as providers have kinds of their own. */
  readonly pass: boolean;
  /** What they must have all the same. */
  readonly as?: Shape;
}

/** An object one member of which names its kind; each kind has its own members. */
export function tagged(
  what: string,
  kinds: Readonly<Record<string, Shape>>,
  { tag = 'type', pass, as }: KindRules,
): Shape {
  const names = Object.keys(kinds);
  const byName = new Map(Object.entries(kinds));
  const known = names.map((name) => kindSchema(tag, { const: name }, byName.get(name)));
  const words = pass ? 'a text' : `one of ${names.join(', ')}`;
  const other = kindSchema(tag, { type: 'string', not: { enum: names } }, as);
  const [only = {}, ...more] = pass ? [...known, other] : known;
  return {
    what,
    schema: more.length > 0 ? { type: 'object', oneOf: [only, ...more] } : only,
    resembles: (value) => asObject(value) !== undefined,
    check: (value, found) => {
      const given = asObject(value);
      if (!given) return found.add('wrong_type', `must be ${what}`);
      const name = given[tag];
      const kind = typeof name === 'string' ? byName.get(name) : undefined;
      if (!kind && !(pass && typeof name === 'string')) {
        if (name === undefined) found.addOf(tag, 'missing', `is missing: it must be ${words}`);
        else found.addOf(tag, pass ? 'wrong_type' : 'unknown_value', `must be ${words}`);
      }
      (kind ?? as)?.check(value, found);
    },
  };
}

function kindSchema(tag: string, name: JsonObject, shape: Shape | undefined): JsonObject {
  const schema = shape?.schema ?? {};
  const required = (schema.required ?? []) as readonly string[];
  return {
    ...schema,
    required: [tag, ...required],
    properties: { [tag]: name, ...(schema.properties as JsonObject | undefined) },
  };
}

function bounded(
  what: string,
  schema: JsonObject,
  type: 'string' | 'number',
  fits: (value: unknown) => boolean,
): Shape {
  const resembles = isOf(type);
  return {
    what,
    schema,
    resembles,
    check: (value, found) => {
      if (fits(value)) return;
      found.add(resembles(value) ? 'out_of_range' : 'wrong_type', `must be ${what}`);
    },
  };
}

function plain(what: string, schema: JsonObject, fits: (value: unknown) => boolean): Shape {
  return {
    what,
    schema,
    resembles: fits,
    check: (value, found) => {
      if (!fits(value)) found.add('wrong_type', `must be ${what}`);
    },
  };
}

function isOf(type: 'string' | 'number' | 'boolean'): (value: unknown) => boolean {
  return (value) => typeof value === type;
}

function isFrom(min: number, max: number): (value: unknown) => boolean {
  return (value) => typeof value === 'number' && value >= min && value <= max;
}
