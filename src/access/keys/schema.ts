import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { filterOf } from '../../graph/filters.js';
import { ownList } from '../../graph/own-list.js';
import { KEY_TYPES, ROLES } from '../../graph/permissions.js';
import { argsOf, shownFields, storedFields, typed } from '../../graph/table-types.js';
import {
  code,
  fieldTable,
  instant,
  object,
  optional,
  text,
  uuid,
} from '../../kernel/fields/field.js';
import { type CreatedKey, createKey, KEY_INPUT, revokeKey } from './service.js';
import { KEY_STATUSES } from './vocabulary.js';

const ApiKey = builder.prismaNode('ApiKey', {
  id: { field: 'id', description: 'The id of the key; not the key itself.' },
  description: 'An API key. Its value is shown once, at creation; only a keyed hash is stored.',
  fields: (t) => ({
    ...storedFields(t, {
      name: text('What the key is for.'),
      keyType: code(KEY_TYPES, 'What the key may do.'),
      boundRole: code(
        ROLES,
        'The role that bounds its rights: nobody gives a key more than they have.',
      ),
      projectId: uuid('The project it acts in.'),
      prefix: text('How the key begins, to recognise it.'),
      lastFour: text('How the key ends, to recognise it.'),
      createdBy: uuid('The member or key that did.'),
      createdAt: instant('When it was created.'),
      revokedAt: optional(instant('When it was revoked; null while it was not.')),
      expiresAt: optional(
        instant('When it ends by itself, since it was rotated; null without an end.'),
      ),
    }),
    ...shownFields(
      t,
      { status: code(KEY_STATUSES, 'Whether the key works.') },
      ({ revokedAt, expiresAt }) => {
        const isOver = revokedAt !== null || (expiresAt !== null && expiresAt <= new Date());
        return { status: isOver ? ('revoked' as const) : ('active' as const) };
      },
    ),
  }),
});

const CreatedKeyType = builder.objectRef<CreatedKey>('ApiKeyCreated').implement({
  description: 'A new key with its value.',
  fields: (t) => ({
    ...storedFields(t, {
      apiKey: typed(ApiKey, 'The key as it stands in the list of keys, without its value.'),
      key: text('The value, shown this once: store it now.'),
    }),
    apiKeyId: t.field({
      type: 'ID',
      description: 'The id of the key; use it to revoke the key.',
      resolve: ({ apiKey }) => apiKey.id,
    }),
  }),
});

const FILTER = fieldTable('ApiKeyFilter', 'Which keys to list: those that meet all conditions.', {
  keyType: code(KEY_TYPES, 'What the key may do.'),
  projectId: uuid('The project that the key acts in.'),
  createdBy: uuid('The member or key that created it.'),
  createdAt: instant('When the key was created.'),
});

/** Keys by their status; what has ended by itself is as good as revoked. */
function whereStatus(status: string) {
  const now = new Date();
  return KEY_STATUSES.parse(status) === 'active'
    ? { revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] }
    : { OR: [{ revokedAt: { not: null } }, { expiresAt: { lte: now } }] };
}

/** Tokens have a list of their own. */
const NO_TOKENS = { NOT: { keyType: 'ephemeral' } } as const;

ownList({
  field: 'apiKeys',
  type: ApiKey,
  description: 'API keys of the organization, revoked ones included.',
  permission: 'keys.read',
  always: NO_TOKENS,
  filter: filterOf(FILTER, {
    fields: {
      status: optional(code(KEY_STATUSES, 'Only keys that work, or only revoked ones.')),
    },
    where: ({ status }) => (status ? whereStatus(String(status)) : {}),
  }),
  noun: 'keys',
  counts: true,
});

builder.mutationFields((t) => ({
  apiKeyCreate: t.field({
    type: CreatedKeyType,
    description: 'Creates an API key. The answer is the only place where its value appears.',
    authScopes: { can: 'keys.write' },
    args: argsOf(t, { input: object(KEY_INPUT, 'What the key is for and what it may do.') }),
    resolve: (_root, { input }, ctx) => createKey(authorized(ctx), input),
  }),
  apiKeyRevoke: t.field({
    type: ApiKey,
    description: 'Revokes a key: the next request with it is refused on every node.',
    authScopes: { can: 'keys.write' },
    args: argsOf(t, { id: uuid('The id of the key to revoke; not the key itself.') }),
    resolve: (_root, { id }, ctx) => revokeKey(authorized(ctx), id),
  }),
}));
