import { builder } from '../../graph/builder.js';
import { authorized, database } from '../../graph/database.js';
import { enumValues } from '../../graph/enums.js';
import {
  byId,
  DateTimeFilter,
  enumFilter,
  IdFilter,
  ListOrder,
  ORDER_BY,
} from '../../graph/filters.js';
import { pageComplexity } from '../../graph/page.js';
import { KEY_TYPES, type KeyType, type Role } from '../../graph/permissions.js';
import { RoleEnum } from '../auth/enums.js';
import { keysWhere } from './rules.js';
import { createKey, revokeKey } from './service.js';
import { KEY_STATUSES } from './vocabulary.js';

/** The type of an API key. */
export const KeyTypeEnum = builder.enumType('KeyType', {
  description: 'The type of an API key; what each may do is in `accessTable`.',
  values: enumValues(KEY_TYPES),
});

const KeyStatusEnum = builder.enumType('ApiKeyStatus', {
  description: 'Whether an API key works.',
  values: enumValues(KEY_STATUSES),
});

const KeyTypeFilter = enumFilter(KeyTypeEnum);

const ApiKeyFilter = builder.inputType('ApiKeyFilter', {
  description: 'Which keys to list: those that meet all conditions.',
  fields: (t) => ({
    status: t.field({
      type: KeyStatusEnum,
      description: 'Only keys that work, or only revoked ones.',
    }),
    keyType: t.field({ type: KeyTypeFilter, description: 'What the key may do.' }),
    projectId: t.field({ type: IdFilter, description: 'The project that the key acts in.' }),
    createdBy: t.field({ type: IdFilter, description: 'The member or key that created it.' }),
    createdAt: t.field({ type: DateTimeFilter, description: 'When the key was created.' }),
  }),
});

const ApiKey = builder.prismaNode('ApiKey', {
  id: { field: 'id', description: 'The id of the key; not the key itself.' },
  description: 'An API key. Its value is shown once, at creation; only a keyed hash is stored.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What the key is for.' }),
    keyType: t.field({
      type: KeyTypeEnum,
      description: 'What the key may do.',
      resolve: (key) => key.keyType as KeyType,
    }),
    boundRole: t.field({
      type: RoleEnum,
      resolve: (key) => key.boundRole as Role,
      description: 'The role that bounds its rights: nobody gives a key more than they have.',
    }),
    projectId: t.expose('projectId', { type: 'ID', description: 'The project it acts in.' }),
    prefix: t.exposeString('prefix', { description: 'How the key begins, to recognise it.' }),
    lastFour: t.exposeString('lastFour', { description: 'How the key ends, to recognise it.' }),
    status: t.field({
      type: KeyStatusEnum,
      description: 'Whether the key works.',
      resolve: (key) => (key.revokedAt ? 'revoked' : 'active'),
    }),
    createdBy: t.expose('createdBy', { type: 'ID', description: 'The member or key that did.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was revoked; null while it works.',
    }),
  }),
});

const CreatedKey = builder
  .objectRef<Awaited<ReturnType<typeof createKey>>>('ApiKeyCreated')
  .implement({
    description: 'A new key with its value.',
    fields: (t) => ({
      apiKeyId: t.field({
        type: 'ID',
        description: 'The id of the key; use it to revoke the key.',
        resolve: ({ apiKey }) => apiKey.id,
      }),
      apiKey: t.expose('apiKey', {
        type: ApiKey,
        description: 'The key as it stands in the list of keys, without its value.',
      }),
      key: t.exposeString('key', { description: 'The value, shown this once: store it now.' }),
    }),
  });

const ApiKeyCreateInput = builder.inputType('ApiKeyCreateInput', {
  description: 'What is asked of a new key.',
  fields: (t) => ({
    keyType: t.field({ type: KeyTypeEnum, required: true, description: 'What it may do.' }),
    name: t.string({
      description: 'What it is for, 1 to 200 characters; default is the type of the key.',
    }),
    projectId: t.field({ type: 'ID', description: 'Default: the project of the caller.' }),
  }),
});

builder.queryFields((t) => ({
  apiKeys: t.prismaConnection({
    type: ApiKey,
    cursor: 'id',
    description: 'API keys of the organization, revoked ones included.',
    authScopes: { can: 'keys.read' },
    complexity: pageComplexity,
    args: {
      filter: t.arg({ type: ApiKeyFilter, description: 'Which keys to list; all unless stated.' }),
      orderBy: t.arg({ type: ListOrder, description: ORDER_BY }),
    },
    totalCount: (_root, { filter }, ctx) =>
      database(ctx).apiKey.count({ where: keysWhere(filter ?? {}) }),
    resolve: (query, _root, { filter, orderBy }, ctx) =>
      database(ctx).apiKey.findMany({
        ...query,
        where: keysWhere(filter ?? {}),
        orderBy: byId(orderBy),
      }),
  }),
}));

builder.mutationFields((t) => ({
  apiKeyCreate: t.field({
    type: CreatedKey,
    description: 'Creates an API key. The answer is the only place where its value appears.',
    authScopes: { can: 'keys.write' },
    args: {
      input: t.arg({
        type: ApiKeyCreateInput,
        required: true,
        description: 'What the key is for and what it may do.',
      }),
    },
    resolve: (_root, { input }, ctx) => createKey(authorized(ctx), input),
  }),
  apiKeyRevoke: t.field({
    type: ApiKey,
    description: 'Revokes a key: the next request with it is refused on every node.',
    authScopes: { can: 'keys.write' },
    args: {
      id: t.arg({
        type: 'ID',
        required: true,
        description: 'The id of the key to revoke; not the key itself.',
      }),
    },
    resolve: (_root, { id }, ctx) => revokeKey(authorized(ctx), id),
  }),
}));
