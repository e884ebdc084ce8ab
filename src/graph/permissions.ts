import type { NamesIn } from '../kernel/module-rows.js';
import { type CodeOf, vocabulary } from '../kernel/vocabulary.js';

/** Roles of members, strongest first. */
export const ROLES = vocabulary(
  'Role',
  'The role of a member; what each role may do is in `accessTable`.',
  [
    { code: 'owner', description: 'Everything; an organization keeps at least one.' },
    { code: 'admin', description: 'Everything except making owners and erasing personal data.' },
    { code: 'security', description: 'Keys, policies, tools, approvals and the audit trail.' },
    { code: 'finance', description: 'Money, ledger, usage and reports.' },
    {
      code: 'developer',
      description: 'Calls models, manages keys, prompts, tools and migrations.',
    },
    { code: 'viewer', description: 'Reads, changes nothing.' },
  ],
);

/** A member's role. */
export type Role = CodeOf<typeof ROLES>;

/** Types of API keys. */
export const KEY_TYPES = vocabulary(
  'KeyType',
  'The type of an API key; what each may do is in `accessTable`.',
  [
    { code: 'standard', description: 'Everything except members, approvals and keys.' },
    { code: 'agent', description: 'Runs inference and requests actions; for AI agents.' },
    { code: 'service', description: 'As standard, and manages keys; for production.' },
  ],
);

/** The type of an API key. */
export type KeyType = CodeOf<typeof KEY_TYPES>;

/** The six roles, written out: a role that comes later is named in the rows that it carries. */
export const EVERYONE = [
  'owner',
  'admin',
  'security',
  'finance',
  'developer',
  'viewer',
] as const satisfies readonly Role[];

/** What is asked of a caller, in a sentence for customers, and who carries it. */
export interface PermissionRow {
  readonly description: string;
  /** Every role that carries it. */
  readonly roles: readonly Role[];
  /** Every type of API key that carries it, as far as the role that bounds the key does too. */
  readonly keys: readonly KeyType[];
}

/** A permission. */
export type Permission = NamesIn<'permissions'>;

const rows: Record<string, PermissionRow> = {};

/**
 * The one table of who may do what. GraphQL and REST both ask it, and the documents print it. Each
 * row names all that carry the permission: nobody has one by its name, or by not being excluded.
 */
export const PERMISSIONS = rows as Readonly<Record<Permission, PermissionRow>>;

const NONE: ReadonlySet<Permission> = new Set();
const SETS = new Map<string, Set<Permission>>(
  [...ROLES.codes, ...KEY_TYPES.codes].map((code) => [code, new Set()]),
);
const KEY_SETS = new Map<string, ReadonlySet<Permission>>();

/**
 * Adds a row to the table of rights.
 * @throws TypeError for a permission that is there already, or a holder that stands twice
 */
export function addPermission(name: Permission, row: PermissionRow): void {
  if (Object.hasOwn(rows, name)) throw new TypeError(`the permission ${name} is registered twice`);
  const holders: readonly string[] = [...row.roles, ...row.keys];
  const wrong = holders.find((who, at) => !SETS.has(who) || holders.indexOf(who) !== at);
  if (wrong) throw new TypeError(`${name} names ${wrong} twice or wrongly`);
  rows[name] = row;
  for (const who of holders) SETS.get(who)?.add(name);
}

/**
 * The permissions of a key: those of its type that every role which bounds it has too, so that
 * nobody gives a key more rights than they have, and it keeps none that its owner has lost.
 */
export function permissionsOfKey(
  keyType: string,
  ...boundRoles: readonly string[]
): ReadonlySet<Permission> {
  const name = [keyType, ...boundRoles].join('/');
  const known = KEY_SETS.get(name);
  if (known) return known;
  const bounds = boundRoles.map(permissionsOf);
  const both = new Set(
    [...permissionsOf(keyType)].filter((each) => bounds.every((bound) => bound.has(each))),
  );
  KEY_SETS.set(name, both);
  return both;
}

/** The permissions of a role or a key type; none for an unknown one. */
export function permissionsOf(who: string): ReadonlySet<Permission> {
  return SETS.get(who) ?? NONE;
}
