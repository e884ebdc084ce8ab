import { setImmediate as turn } from 'node:timers/promises';
import { addErrors } from '../kernel/errors/catalogue.js';
import type { StatedError } from '../kernel/errors/row.js';
import { addIdKind, type IdKind } from '../kernel/ids.js';
import type { ModuleRows } from '../kernel/module-rows.js';
import { addMutation, addUrgentMutation, addWideMutation, type Keeping } from './keeping.js';
import { addReadRight } from './node.js';
import { addPermission, type Permission, type PermissionRow } from './permissions.js';

/** A kind of thing that has ids. */
interface IdRow {
  /** Stands in every id of the kind. Never reused or changed. */
  readonly number: number;
  /** What it takes to load one by `node(id)`: what its list asks for. Without it, nobody does. */
  readonly read?: Permission;
}

/** Everything by which a module is known to the rest, besides what it exports. */
interface ModuleRow {
  /** Kinds of things with ids. */
  readonly ids?: Readonly<Record<string, IdRow>>;
  /** Permissions that its fields ask for. */
  readonly permissions?: Readonly<Record<string, PermissionRow>>;
  /** Codes that it raises, or that those above it raise for it. */
  readonly errors?: Readonly<Record<string, StatedError>>;
  /** The mutations of its schema, by how they are made once. */
  readonly mutations?: Readonly<Partial<Record<Keeping, readonly string[]>>>;
  /** Those of its mutations that find or make a tenant other than the caller's. */
  readonly everyTenant?: readonly string[];
  /** Those of its mutations that end what may be in the wrong hands: they go first. */
  readonly urgent?: readonly string[];
  /** Loads what adds to the schema and to the published lists, after every row stands. */
  readonly load?: () => readonly Promise<unknown>[];
}

/** A row that is declared in `ModuleRows`, without a column that nobody reads. */
type Declared<Row> = ModuleRow & Row & Readonly<Record<Exclude<keyof Row, keyof ModuleRow>, never>>;

/** A row with names that the compiler must know has to be declared. */
type Undeclared = ModuleRow & {
  readonly ids?: never;
  readonly permissions?: never;
  readonly errors?: never;
};

const modules = new Map<string, ModuleRow>();
let isOpen = false;

/** The rows of all modules by their folders, in the order in which they were registered. */
export const MODULES: ReadonlyMap<string, ModuleRow> = modules;

/**
 * Registers a module under the path of its folder. Everything that it names is new.
 * @throws TypeError for what another module has registered, and after the modules were opened
 */
export function registerModule<Folder extends string>(
  folder: Folder,
  row: Folder extends keyof ModuleRows ? Declared<ModuleRows[Folder]> : Undeclared,
): void {
  const {
    ids = {},
    permissions = {},
    errors = {},
    mutations = {},
    everyTenant = [],
    urgent = [],
  }: ModuleRow = row;
  if (modules.has(folder)) throw new TypeError(`${folder} is registered twice`);
  if (isOpen) throw new TypeError(`${folder} is registered after the schema was built`);
  modules.set(folder, row);
  for (const [name, permission] of Object.entries(permissions)) {
    addPermission(name as Permission, permission);
  }
  for (const [kind, { number, read }] of Object.entries(ids)) {
    addIdKind(kind, number);
    if (read) addReadRight(kind as IdKind, read);
  }
  addErrors(errors);
  for (const [keeping, fields] of Object.entries(mutations) as [Keeping, readonly string[]][]) {
    for (const field of fields) addMutation(field, keeping);
  }
  for (const field of everyTenant) addWideMutation(field);
  for (const field of urgent) addUrgentMutation(field);
}

/**
 * Loads what the modules add to the schema. By then every table that they read is complete. The
 * database that starts beside it gets its turns in between.
 */
export async function openModules(): Promise<void> {
  isOpen = true;
  for (const { load } of MODULES.values()) {
    await Promise.all(load?.() ?? []);
    await turn();
  }
}
