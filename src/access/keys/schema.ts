import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { filterOf } from '../../graph/filters.js';
import { ownList } from '../../graph/own-list.js';
import { KEY_TYPES, ROLES } from '../../graph/permissions.js';
import { argsOf, shownFields, storedFields, typed } from '../../graph/table-types.js';
import { sharedNow } from '../../kernel/clock.js';
import {
  code,
  fieldTable,
  instant,
  list,
  object,
  optional,
  text,
  uuid,
} from '../../kernel/fields/field.js';
import { KEY_INCLUDE, updateKey } from './limits.js';
import { limitsOfRow } from './limits.rules.js';
import './reference.js';
import { endFormerSecrets, liveSecrets, type RotatedKey, rotateKey } from './rotation.js';
import { type CreatedKey, createKey, revokeKey } from './service.js';
import { KEY_CHANGE, KEY_INPUT, KEY_SECRET, LIMITS, ROTATE_INPUT } from './tables.js';
import { KEY_STATUSES } from './vocabulary.js';

const SECRETS =
  'The secrets that work, the present one first; one that it has followed works until its grace ' +
  'is over, and tells when it was used last.';

const ApiKey = builder.prismaNode('ApiKey', {
  id: { field: 'id', description: 'The id of the key; not the key itself.' },
  description: 'An API key. Its value is shown once, at creation; only a keyed hash is stored.',
  include: KEY_INCLUDE,
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
      expiresAt: optional(instant('When it ends by itself; null without an end.')),
    }),
    ...shownFields(t, LIMITS, ({ limits }) => limitsOfRow(limits)),
    ...shownFields(t, { secrets: list(object(KEY_SECRET, 'A secret.'), SECRETS) }, (key) => ({
      secrets: liveSecrets(key),
    })),
    ...shownFields(
      t,
      { status: code(KEY_STATUSES, 'Whether the key works.') },
      ({ revokedAt, expiresAt }) => {
        const isOver = revokedAt !== null || (expiresAt !== null && expiresAt <= sharedNow());
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

const RotatedKeyType = builder.objectRef<RotatedKey>('ApiKeyRotated').implement({
  description: 'A key with its new secret.',
  fields: (t) =>
    storedFields(t, {
      apiKey: typed(ApiKey, 'The key as it stands in the list of keys.'),
      key: text('The new value of the key, shown this once: store it now.'),
      formerEndsAt: instant('When the value before it stops to work.'),
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
  const now = sharedNow();
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
  apiKeyUpdate: t.field({
    type: ApiKey,
    description:
      'Changes what a key may do: its limits, its end and its project. It holds for the next ' +
      'request of the key, and of all that the key has made, on every node.',
    authScopes: { can: 'keys.limit' },
    args: argsOf(t, {
      id: uuid('The id of the key; not the key itself.'),
      input: object(KEY_CHANGE, 'What is to change; what is left out stays as it is.'),
    }),
    resolve: (_root, { id, input }, ctx) => updateKey(authorized(ctx), id, input),
  }),
  apiKeyRotate: t.field({
    type: RotatedKeyType,
    description:
      'Gives a key a new value; the one before works until its grace is over. Limits, usage and ' +
      'bill are those of the one key. A key rotates itself and what it has made, a member keys ' +
      'of no more rights than its own.',
    authScopes: { can: 'keys.write' },
    args: argsOf(t, {
      id: uuid('The id of the key; not the key itself.'),
      input: optional(object(ROTATE_INPUT, 'How long the value before it works on.')),
    }),
    resolve: (_root, { id, input }, ctx) => rotateKey(authorized(ctx), id, input ?? {}),
  }),
  apiKeyFormerSecretsEnd: t.field({
    type: ApiKey,
    description:
      'Ends the former values of a key before their grace is over: the next request with any of ' +
      'them is refused on every node.',
    authScopes: { can: 'keys.write' },
    args: argsOf(t, { id: uuid('The id of the key; not the key itself.') }),
    resolve: (_root, { id }, ctx) => endFormerSecrets(authorized(ctx), id),
  }),
  apiKeyRevoke: t.field({
    type: ApiKey,
    description: 'Revokes a key: the next request with it is refused on every node.',
    authScopes: { can: 'keys.write' },
    args: argsOf(t, { id: uuid('The id of the key to revoke; not the key itself.') }),
    resolve: (_root, { id }, ctx) => revokeKey(authorized(ctx), id),
  }),
}));
