import {
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
} from 'graphql';
import { snakeCase } from '../src/kernel/fields/names.js';
import type { AliasTable, TypeAliases } from './alias-table.js';
import { spellings } from './wire-names.js';

/**
 * Wire names that are not the snake_case of the field: by the field's GraphQL name, an object for
 * the fields below it.
 */
export interface Renames {
  readonly [field: string]: string | Renames;
}

/** A field of an input object, as callers write it. */
export interface NamedField {
  readonly field: GraphQLInputField;
  /** The published name. */
  readonly wireName: string;
  /** Further names under which it is accepted. */
  readonly aliases: readonly string[];
  /** Names under which it is accepted as a share from 0 to 1. */
  readonly shares: readonly string[];
  /** The published name of the field that it means where that one is not given. */
  readonly alone: string | undefined;
  /** Further values that are accepted, and what each means. */
  readonly values: readonly (readonly [written: unknown, meant: unknown])[];
  /** The names of what lies below it. */
  readonly below: InputNames;
}

/** A name that stands for a field of an object below. */
export interface Shortcut {
  readonly alias: string;
  /** The GraphQL name of the field of this type through which it leads. */
  readonly through: string;
  /** The wire name of the field that it means there. */
  readonly key: string;
}

const NO_ALIASES: TypeAliases = {};

/** How input objects are called on the wire: the alias table, and the renames of one row. */
export class InputNames {
  constructor(
    readonly table: AliasTable,
    private readonly renames?: Renames,
    /** The names where nothing is renamed. */
    readonly plain?: InputNames,
  ) {}

  /** True where a row has names of its own. */
  get isOwn(): boolean {
    return this.renames !== undefined;
  }

  /** The names of one row. */
  renamed(renames: Renames | undefined): InputNames {
    return renames ? new InputNames(this.table, renames, this) : this;
  }

  /** The fields of a type, in its order. */
  fieldsOf(type: GraphQLInputObjectType): NamedField[] {
    const { names = {}, shares = {}, alone = {}, values = {} } = this.aliasesOf(type);
    return Object.values(type.getFields()).map((field) => {
      const rename = this.renames?.[field.name];
      const plainName = snakeCase(field.name);
      return {
        field,
        wireName: typeof rename === 'string' ? rename : plainName,
        aliases: keysOf(names, plainName),
        shares: keysOf(shares, plainName),
        alone: alone[plainName],
        values: values[plainName] ?? [],
        below: this.below(rename),
      };
    });
  }

  /** The names that stand for fields of objects below a type. */
  shortcutsOf(type: GraphQLInputObjectType): Shortcut[] {
    const fields = Object.values(type.getFields());
    return Object.entries(this.aliasesOf(type).names ?? {}).flatMap(([alias, target]) => {
      const [head, key] = target.split('.', 2);
      const through = fields.find((field) => snakeCase(field.name) === head)?.name;
      return through === undefined || key === undefined ? [] : [{ alias, through, key }];
    });
  }

  /** Names that are refused, with the reason of each. */
  refusedOf(type: GraphQLInputObjectType): Readonly<Record<string, string>> {
    return this.aliasesOf(type).refused ?? {};
  }

  /** True where one bare value stands for the same in every field of the type. */
  takesOneForAll(type: GraphQLInputObjectType): boolean {
    return this.aliasesOf(type).oneForAll ?? false;
  }

  /** The field, by its wire name, that a bare text in place of the object means. */
  bareFieldOf(type: GraphQLInputObjectType): string | undefined {
    return this.aliasesOf(type).bare;
  }

  /** How a list of such objects may be written as one object. */
  byKeyOf(type: GraphQLInputObjectType): TypeAliases['byKey'] {
    return this.aliasesOf(type).byKey;
  }

  private aliasesOf(type: GraphQLInputObjectType): TypeAliases {
    return this.table[type.name] ?? NO_ALIASES;
  }

  private below(rename: string | Renames | undefined): InputNames {
    const plain = this.plain ?? this;
    return typeof rename === 'object' ? plain.renamed(rename) : plain;
  }
}

function keysOf(names: Readonly<Record<string, string>>, meant: string): string[] {
  return Object.entries(names).flatMap(([alias, target]) => (target === meant ? [alias] : []));
}

/** What of a row's renames names no field of the type. */
export function faultsOfRenames(
  renames: Renames,
  type: GraphQLInputObjectType,
  path = 'rename',
): string[] {
  const fields = type.getFields();
  return Object.entries(renames).flatMap(([name, rename]) => {
    const field = fields[name];
    const at = `${path}.${name}`;
    if (!field) return [`${at}: ${type.name} has no field ${name}`];
    if (typeof rename === 'string') return [];
    const below = getNamedType(field.type);
    if (!isInputObjectType(below)) return [`${at} must be a name`];
    return faultsOfRenames(rename, below, at);
  });
}

/** What of an alias table does not fit the schema: a stale alias would be a promise not kept. */
export function faultsOfAliases(table: AliasTable, schema: GraphQLSchema): string[] {
  return Object.entries(table).flatMap(([name, aliases]) => {
    const { values = {}, oneForAll, bare, byKey, alone = {}, refused = {} } = aliases;
    const names = { ...aliases.names, ...aliases.shares };
    const type = schema.getType(name);
    if (!isInputObjectType(type)) return [`the aliases name ${name}, which is no input object`];
    const own = new Set(
      Object.keys(type.getFields()).flatMap((field) => spellings(snakeCase(field))),
    );
    const texts = [bare, byKey?.key, byKey?.bare, ...Object.entries(alone).flat()].filter(
      (field) => field !== undefined,
    );
    const types = new Set(Object.values(type.getFields()).map((field) => String(field.type)));
    return [
      ...Object.entries(names)
        .filter(([alias, target]) => own.has(alias) || !leads(type, target.split('.')))
        .map(([alias, target]) => `the alias ${alias} of ${name} cannot mean ${target}`),
      ...Object.keys(refused)
        .filter((alias) => own.has(alias) || alias in names)
        .map((alias) => `the aliases of ${name} refuse ${alias}, which it takes`),
      ...Object.keys(values)
        .filter((field) => !own.has(field))
        .map((field) => `the aliases of ${name} have values of ${field}, which it lacks`),
      ...texts
        .filter((field) => !own.has(field))
        .map((field) => `the aliases of ${name} name ${field}, which it lacks`),
      ...(oneForAll && types.size !== 1 ? [`the fields of ${name} are of several types`] : []),
    ];
  });
}

/** Whether a path of one or two wire names leads to a field. */
function leads(type: GraphQLInputObjectType, [head, key, ...rest]: readonly string[]): boolean {
  const field = Object.values(type.getFields()).find(({ name }) => snakeCase(name) === head);
  if (!field || rest.length > 0) return false;
  if (key === undefined) return true;
  return isInputObjectType(field.type) && leads(field.type, [key]);
}
