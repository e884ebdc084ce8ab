/** What a caller may do, one row each; descriptions are shown to customers. */
export const PERMISSIONS = {
  'inference.run': 'Call models: chat and embeddings.',
  'models.read': 'List the models that the policy of the project allows.',
  'profile.read': 'Read the own profile, the organization and its projects.',
  'projects.write': 'Create projects.',
  'organization.write': 'Change how the organization decides: four eyes.',
  'keys.read': 'List API keys; a key itself is shown only once, at its creation.',
  'keys.write': 'Create and revoke API keys.',
  'members.read': 'List members and open invites.',
  'members.write': 'Invite members, withdraw invites, change roles and remove members.',
  'billing.read': 'Read the balance and the ledger.',
  'billing.top_up': 'Top up the account by hand where the server allows it.',
  'usage.read': 'Read usage events.',
  'policies.read': 'Read policies and their versions.',
  'policies.write': 'Create and change policies.',
  'budgets.request': 'Ask for an exception from a budget.',
  'prompts.read': 'Read prompt packages, their versions and receipts, and context policies.',
  'prompts.write': 'Create, test, promote and roll back prompts; create context policies.',
  'tools.read': 'Read tools, calls and receipts; an agent key sees the calls it made.',
  'tools.write': 'Register tools and rotate their signing secrets.',
  'tools.run': 'Preview and request actions of tools, and undo them.',
  'integrations.read': 'Read integration actions and receipts; an agent key sees its own.',
  'integrations.run': 'Preview and execute actions of integrations.',
  'blueprints.read': 'Read runs and deployments of blueprints.',
  'blueprints.run': 'Store manifests of blueprints, run them in the sandbox and deploy them.',
  'migration.read': 'Read migrations from other providers and their checks.',
  'migration.write': 'Create migrations, scan, compare, cut over and roll back.',
  'approvals.read': 'Read the approval queue and its feed.',
  'approvals.decide': 'Approve or reject what waits in the approval queue.',
  'anomalies.read': 'Read the anomaly feed.',
  'receipts.read': 'Read and verify sealed receipts.',
  'readiness.read': 'Read the production readiness of the organization.',
  'audit.read': 'Read the audit trail.',
} as const;

/** A permission. */
export type Permission = keyof typeof PERMISSIONS;

/** Roles of members, strongest first. */
export const ROLES = [
  { code: 'owner', description: 'Everything; an organization keeps at least one.' },
  { code: 'admin', description: 'Everything except making owners.' },
  { code: 'security', description: 'Keys, policies, tools, approvals and the audit trail.' },
  { code: 'finance', description: 'Money, ledger, usage and reports.' },
  { code: 'developer', description: 'Calls models, manages keys, prompts, tools and migrations.' },
  { code: 'viewer', description: 'Reads, changes nothing.' },
] as const;

/** A member's role. */
export type Role = (typeof ROLES)[number]['code'];

/** Types of API keys. */
export const KEY_TYPES = [
  { code: 'standard', description: 'Everything except members, approvals and keys.' },
  { code: 'agent', description: 'Runs inference and requests actions; for AI agents.' },
  { code: 'service', description: 'As standard, and manages keys; for production.' },
] as const;

/** The type of an API key. */
export type KeyType = (typeof KEY_TYPES)[number]['code'];

const ALL = Object.keys(PERMISSIONS) as Permission[];
const READ = ALL.filter((permission) => permission.endsWith('.read'));
/** What developers make and run. */
const BUILD: readonly Permission[] = [
  'budgets.request',
  'prompts.write',
  'tools.write',
  'tools.run',
  'integrations.run',
  'blueprints.run',
  'migration.write',
];
const MEMBERS_ONLY: readonly Permission[] = [
  'approvals.decide',
  'members.write',
  'organization.write',
];
const KEY = ALL.filter((permission) => !MEMBERS_ONLY.includes(permission));

/**
 * The one table of who may do what. GraphQL and REST both ask it, and the documents print it.
 * Approving, inviting and settings need a member; creating and revoking keys a member or a
 * service key.
 */
export const GRANTS: Readonly<Record<Role | KeyType, readonly Permission[]>> = {
  owner: ALL,
  admin: ALL,
  security: [
    ...READ,
    'inference.run',
    'keys.write',
    'policies.write',
    'approvals.decide',
    'budgets.request',
    'tools.write',
    'tools.run',
    'migration.write',
  ],
  finance: [...READ, 'billing.top_up', 'budgets.request'],
  developer: [...READ, ...BUILD, 'inference.run', 'keys.write', 'billing.top_up'],
  viewer: READ.filter((permission) => permission !== 'audit.read'),
  service: KEY,
  standard: KEY.filter((permission) => permission !== 'keys.write'),
  agent: [
    'inference.run',
    'models.read',
    'profile.read',
    'budgets.request',
    'tools.read',
    'tools.run',
    'integrations.read',
    'integrations.run',
  ],
};

const SETS = new Map<string, ReadonlySet<Permission>>(
  Object.entries(GRANTS).map(([who, permissions]) => [who, new Set(permissions)]),
);
const NONE: ReadonlySet<Permission> = new Set();

const KEY_SETS = new Map<string, ReadonlySet<Permission>>();

/**
 * The permissions of a key: those of its type that the role which bounds it has too, so that
 * nobody gives a key more rights than they have.
 */
export function permissionsOfKey(keyType: string, boundRole: string): ReadonlySet<Permission> {
  const name = `${keyType}/${boundRole}`;
  const known = KEY_SETS.get(name);
  if (known) return known;
  const bound = permissionsOf(boundRole);
  const both = new Set([...permissionsOf(keyType)].filter((permission) => bound.has(permission)));
  KEY_SETS.set(name, both);
  return both;
}

/** The permissions of a role or a key type; none for an unknown one. */
export function permissionsOf(who: string): ReadonlySet<Permission> {
  return SETS.get(who) ?? NONE;
}
