import { type GraphQLInputObjectType, type GraphQLInputType, isNonNullType } from 'graphql';
import {
  addFault,
  addMissing,
  addTwice,
  addUnread,
  type Findings,
  join,
  noteWritten,
  quoted,
} from './findings.js';
import type { InputNames, NamedField, Shortcut } from './input-names.js';
import { spellings } from './wire-names.js';

/** A member of an object of the wire, and the path under which its caller wrote it. */
export interface Entry {
  readonly key: string;
  readonly value: unknown;
  readonly at: string;
}

/**
 * Turns one JSON value into the value that resolvers receive, as the GraphQL specification coerces
 * variables, but under wire names and with every fault collected instead of the first thrown.
 * What it returns beside a fault has no meaning. `beside` are fields of the object that were
 * written elsewhere in the body.
 */
export type Coerce = (
  value: unknown,
  path: string,
  findings: Findings,
  beside?: readonly Entry[],
) => unknown;

/** Compiles the coercion of a type under names. */
export type CompileCoerce = (type: GraphQLInputType, names: InputNames) => Coerce;

/** A field of an input object, ready to be read. */
export interface ObjectField {
  readonly name: string;
  readonly wireName: string;
  readonly type: GraphQLInputType;
  readonly required: boolean;
  readonly defaultValue: unknown;
  readonly coerce: Coerce;
  /** The wire name of the field that it means where that one is not given. */
  readonly alone: string | undefined;
  /** The published name in both cases. */
  readonly spellings: ReadonlySet<string>;
}

/** The coercion of one input object. */
export class ObjectCoercion {
  private readonly fields: readonly ObjectField[];
  private readonly bySpelling: ReadonlyMap<string, ObjectField>;
  private readonly shortcuts: ReadonlyMap<string, Shortcut>;
  /** The spellings under which a field is a share. */
  private readonly shares: ReadonlySet<string>;
  private readonly refused: ReadonlyMap<string, string>;
  /** The published names, for hints. */
  readonly wireNames: readonly string[];

  constructor(
    private readonly type: GraphQLInputObjectType,
    private readonly names: InputNames,
    compile: CompileCoerce,
  ) {
    const named = names.fieldsOf(type);
    this.fields = named.map((field) => compileField(field, compile));
    this.wireNames = this.fields.map((field) => field.wireName);
    this.bySpelling = indexBySpelling(named, this.fields);
    this.shares = new Set(named.flatMap(({ shares }) => shares.flatMap(spellings)));
    this.refused = new Map(
      Object.entries(names.refusedOf(type)).flatMap(([name, reason]) => {
        return spellings(name).map((spelling) => [spelling, reason] as const);
      }),
    );
    this.shortcuts = new Map(
      names.shortcutsOf(type).flatMap((shortcut) => {
        return spellings(shortcut.alias).map((spelling) => [spelling, shortcut] as const);
      }),
    );
  }

  /** The field that a key is one of the names of. */
  find(key: string): ObjectField | undefined {
    return this.bySpelling.get(key);
  }

  readonly coerce: Coerce = (value, path, findings, beside) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      const bare = this.names.bareFieldOf(this.type);
      if (this.names.takesOneForAll(this.type) && typeof value === 'string') {
        return this.oneForAll(value, path, findings);
      }
      if (bare !== undefined && typeof value === 'string') {
        return this.coerceEntries([{ key: bare, value, at: path }], path, findings);
      }
      const what = bare === undefined ? 'an object' : 'a text or an object';
      return addFault(findings, path, 'wrong_type', `${quoted(path)} must be ${what}.`);
    }
    const own = entriesOf(value, path);
    return this.coerceEntries(beside ? [...own, ...beside] : own, path, findings);
  };

  /** The coercion of an object whose members come from several places. */
  coerceEntries(entries: readonly Entry[], path: string, findings: Findings): unknown {
    const read = this.readEntries(entries, findings);
    const object: Record<string, unknown> = {};
    for (const [field, { key, value, at }] of read.given) {
      if (!field.spellings.has(key)) noteWritten(findings, join(path, field.wireName), at);
      const coerce = this.shares.has(key) ? shareCoerce(field.coerce) : field.coerce;
      object[field.name] = coerce(value, at, findings, read.beside.get(field.name));
    }
    this.complete(object, path, read.beside, findings);
    const given = Object.values(object).filter((member) => member != null);
    if (this.type.isOneOf && given.length !== 1) {
      addFault(findings, path, 'invalid', `${quoted(path)} takes exactly one of its fields.`);
    }
    return object;
  }

  /** Which entry each field gets; what no field takes is noted. */
  private readEntries(entries: readonly Entry[], findings: Findings) {
    const given = new Map<ObjectField, Entry>();
    const beside = new Map<string, Entry[]>();
    const unread: Entry[] = [];
    for (const entry of entries) {
      const field = this.bySpelling.get(entry.key);
      const shortcut = field ? undefined : this.shortcuts.get(entry.key);
      const before = field && given.get(field);
      const refusal = this.refused.get(entry.key);
      if (refusal) addFault(findings, entry.at, 'invalid', `${quoted(entry.at)} ${refusal}`);
      else if (before) addTwice(findings, entry.at, before.at);
      else if (field) given.set(field, entry);
      else if (shortcut) {
        const { through, key } = shortcut;
        beside.set(through, [...(beside.get(through) ?? []), { ...entry, key }]);
      } else unread.push(entry);
    }
    this.moveAlone(given);
    const isGiven = (name: string) => {
      const field = this.bySpelling.get(name);
      return field !== undefined && given.has(field);
    };
    for (const { key, at } of unread) addUnread(findings, at, key, this.wireNames, isGiven);
    return { given, beside };
  }

  /** What means another field where that one is not given, goes there. */
  private moveAlone(given: Map<ObjectField, Entry>): void {
    for (const [field, entry] of [...given]) {
      const other = field.alone === undefined ? undefined : this.bySpelling.get(field.alone);
      if (!other || given.has(other)) continue;
      given.delete(field);
      given.set(other, entry);
    }
  }

  private complete(
    object: Record<string, unknown>,
    path: string,
    beside: ReadonlyMap<string, readonly Entry[]>,
    findings: Findings,
  ): void {
    for (const field of this.fields) {
      if (Object.hasOwn(object, field.name)) continue;
      const at = join(path, field.wireName);
      const elsewhere = beside.get(field.name);
      if (elsewhere) object[field.name] = field.coerce({}, at, findings, elsewhere);
      else if (field.defaultValue !== undefined) object[field.name] = field.defaultValue;
      else if (field.required) addMissing(at, findings);
    }
  }

  private oneForAll(value: string, path: string, findings: Findings): unknown {
    const [first] = this.fields;
    const meant = first?.coerce(value, path, findings);
    return Object.fromEntries(this.fields.map((field) => [field.name, meant]));
  }
}

/** The members of an object as entries. */
export function entriesOf(value: object, path: string): Entry[] {
  return Object.entries(value).map(([key, member]) => ({
    key,
    value: member,
    at: join(path, key),
  }));
}

function compileField(named: NamedField, compile: CompileCoerce) {
  const { field, wireName, values, below, alone } = named;
  const coerce = compile(field.type, below);
  const meanings = new Map(values);
  return {
    name: field.name,
    wireName,
    type: field.type,
    required: isNonNullType(field.type) && field.defaultValue === undefined,
    defaultValue: field.defaultValue,
    alone,
    spellings: new Set([field.name, ...spellings(wireName)]),
    coerce:
      meanings.size === 0
        ? coerce
        : (value, path, findings) => {
            const meant = meanings.has(value) ? meanings.get(value) : value;
            return coerce(meant, path, findings);
          },
  } satisfies ObjectField;
}

/** Every name of every field; where two fields meet in one spelling, the exact one has it. */
function indexBySpelling(
  named: readonly NamedField[],
  fields: readonly ObjectField[],
): ReadonlyMap<string, ObjectField> {
  const index = new Map<string, ObjectField>();
  const note = (spelling: (field: NamedField) => readonly string[]) => {
    fields.forEach((field, place) => {
      const own = named[place];
      if (own) for (const name of spelling(own)) index.set(name, field);
    });
  };
  note(({ aliases, shares }) => [...aliases, ...shares].flatMap(spellings));
  note(({ wireName }) => spellings(wireName));
  note(({ field }) => [field.name]);
  note(({ wireName }) => [wireName]);
  return index;
}

const BASIS_POINTS = 10_000;

/** A share from 0 to 1 as basis points: what is finer than one of them is not rounded. */
function shareCoerce(coerce: Coerce): Coerce {
  return (value, path, findings) => {
    if (value === null || typeof value === 'boolean') return coerce(value, path, findings);
    const points = typeof value === 'number' ? Math.round(value * BASIS_POINTS) : Number.NaN;
    const isShare = points >= 0 && points <= BASIS_POINTS && points / BASIS_POINTS === value;
    if (isShare) return coerce(points, path, findings);
    const what = 'a share from 0 to 1 with at most four decimals, such as 0.85';
    return addFault(findings, path, 'invalid', `${quoted(path)} must be ${what}.`);
  };
}
