import { brandWithType } from '@pothos/core';
import { builder } from '../../graph/builder.js';
import { authorized, database } from '../../graph/database.js';
import { filterOf } from '../../graph/filters.js';
import { loadNodesOf } from '../../graph/node.js';
import { ownList } from '../../graph/own-list.js';
import { KEY_TYPES, ROLES } from '../../graph/permissions.js';
import { argsOf, shownFields, storedFields, typed } from '../../graph/table-types.js';
import { sharedNow } from '../../kernel/clock.js';
import {
  code,
  defaulting,
  fieldTable,
  instant,
  integer,
  list,
  object,
  optional,
  text,
  uuid,
} from '../../kernel/fields/field.js';
import { keyIdsWithin } from '../workspaces/keys-within.js';
import { type Descendant, type DescendantsShown, descendantsShown } from './descendants.js';
import { KEY_INCLUDE, updateKey } from './limits.js';
import { limitsOfRow } from './limits.rules.js';
import './reference.js';
import { endFormerSecrets, liveSecrets, type RotatedKey, rotateKey } from './rotation.js';
import { type CreatedKey, createKey, revokeKey } from './service.js';
import { KEY_CHANGE, KEY_INPUT, KEY_SECRET, LIMITS, ROTATE_INPUT } from './tables.js';
import { DESCENDANTS, KEY_BOUNDS, KEY_STATUSES } from './vocabulary.js';

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
      workspaceId: optional(
        uuid(
          'The workspace that was set for the key itself. Null if none was; its makers, its ' +
            'member or its project can still put it in one.',
        ),
      ),
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

const DescendantType = builder.objectRef<Descendant>('ApiKeyDescendant').implement({
  description: 'A key that works and would end with the one that led to it.',
  fields: (t) =>
    storedFields(t, {
      id: uuid('The id of the key; not the key itself.'),
      name: text('What the key is for.'),
      keyType: code(KEY_TYPES, 'What the key may do.'),
      createdBy: uuid('The member or key that did.'),
      createdAt: instant('When it was created.'),
      expiresAt: optional(instant('When it ends by itself; null without an end.')),
      distance: integer('1 for what was made directly, 2 for what that has made, and so on.'),
    }),
});

const DescendantsType = builder.objectRef<DescendantsShown>('ApiKeyDescendants').implement({
  description: 'What works of all that a key or a member has made, and would end with it.',
  fields: (t) =>
    storedFields(t, {
      count: integer('How many keys and tokens these are.'),
      tokens: integer('How many of them are ephemeral tokens, which are not named.'),
      keys: list(
        typed(DescendantType, 'A key.'),
        `The keys, the nearest first; at most ${KEY_BOUNDS.descendantsShownMax}.`,
      ),
    }),
});

builder.queryFields((t) => ({
  apiKeyDescendants: t.field({
    type: DescendantsType,
    description:
      'What would end with a key that is revoked, or with a member who is removed: all that was ' +
      'made, at any distance, and works. With a time, what of that an end of the key at ' +
      'this time would end earlier than now.',
    authScopes: { can: 'keys.read' },
    args: argsOf(t, {
      id: uuid('The id of a key or of a member.'),
      endsAt: optional(instant('The end that the key would get; nothing is changed.')),
    }),
    resolve: (_root, { id, endsAt }, ctx) => descendantsShown(authorized(ctx), id, endsAt),
  }),
}));

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

/** Of keys those that a caller sees; undefined where it sees all. */
function seenKeys(ids: readonly string[] | undefined) {
  return ids ? { id: { in: [...ids] } } : {};
}

loadNodesOf('ApiKey', async (given, ids) => {
  const ctx = authorized(given);
  const where = { AND: [{ id: { in: [...ids] } }, seenKeys(await keyIdsWithin(ctx, ids))] };
  const rows = await database(ctx).apiKey.findMany({ where, include: KEY_INCLUDE });
  for (const row of rows) brandWithType(row, 'ApiKey' as never);
  return rows;
});

/** Tokens have a list of their own. */
const NO_TOKENS = { NOT: { keyType: 'ephemeral' } } as const;

ownList({
  field: 'apiKeys',
  type: ApiKey,
  description:
    'API keys of the organization, revoked ones included. A caller of a workspace sees only ' +
    'those that belong to it.',
  permission: 'keys.read',
  always: NO_TOKENS,
  within: async (ctx) => seenKeys(await keyIdsWithin(authorized(ctx))),
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
      'Changes what a key may do: its limits, end, project and workspace. It holds for the next ' +
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
    description:
      'Revokes a key and all keys that it has made, at any distance: the next request with any ' +
      'of them is refused on every node.',
    authScopes: { can: 'keys.write' },
    args: argsOf(t, {
      id: uuid('The id of the key to revoke; not the key itself.'),
      descendants: defaulting(
        code(DESCENDANTS, 'What becomes of the keys that it has made; its tokens always end.'),
        'revoke',
      ),
    }),
    resolve: (_root, { id, descendants }, ctx) => revokeKey(authorized(ctx), id, descendants),
  }),
}));
