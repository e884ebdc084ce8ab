import { builder } from '../../graph/builder.js';
import { authorized, database } from '../../graph/database.js';
import { enumValues } from '../../graph/enums.js';
import { NEWEST_FIRST, pageComplexity } from '../../graph/page.js';
import { KEY_TYPES, type KeyType } from '../../graph/permissions.js';
import { createKey, revokeKey } from './service.js';

const KeyTypeEnum = builder.enumType('KeyType', {
  description: 'The type of an API key; what each may do is in `accessTable`.',
  values: enumValues(KEY_TYPES),
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
    boundRole: t.exposeString('boundRole', {
      description: 'The role that bounds its rights: nobody gives a key more than they have.',
    }),
    projectId: t.expose('projectId', { type: 'UUID', description: 'The project it acts in.' }),
    prefix: t.exposeString('prefix', { description: 'How the key begins, to recognise it.' }),
    lastFour: t.exposeString('lastFour', { description: 'How the key ends, to recognise it.' }),
    status: t.string({
      description: '`active` or `revoked`.',
      resolve: (key) => (key.revokedAt ? 'revoked' : 'active'),
    }),
    createdBy: t.expose('createdBy', { type: 'UUID', description: 'The member or key that did.' }),
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
      id: t.field({
        type: 'UUID',
        description: 'The id of the key; use it to revoke the key.',
        resolve: ({ apiKey }) => apiKey.id,
      }),
      apiKey: t.expose('apiKey', { type: ApiKey, description: 'The key.' }),
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
    projectId: t.field({ type: 'UUID', description: 'Default: the project of the caller.' }),
  }),
});

builder.queryFields((t) => ({
  apiKeys: t.prismaConnection({
    type: ApiKey,
    cursor: 'id',
    description: 'API keys of the organization, newest first, revoked ones included.',
    authScopes: { can: 'keys.read' },
    complexity: pageComplexity,
    resolve: (query, _root, _args, ctx) =>
      database(ctx).apiKey.findMany({ ...query, orderBy: NEWEST_FIRST }),
  }),
}));

builder.mutationFields((t) => ({
  apiKeyCreate: t.field({
    type: CreatedKey,
    description: 'Creates an API key. The answer is the only place where its value appears.',
    authScopes: { can: 'keys.write' },
    args: { input: t.arg({ type: ApiKeyCreateInput, required: true, description: 'The key.' }) },
    resolve: (_root, { input }, ctx) => createKey(authorized(ctx), input),
  }),
  apiKeyRevoke: t.field({
    type: ApiKey,
    description: 'Revokes a key: the next request with it is refused on every node.',
    authScopes: { can: 'keys.write' },
    args: { id: t.arg({ type: 'UUID', required: true, description: 'The key.' }) },
    resolve: (_root, { id }, ctx) => revokeKey(authorized(ctx), id),
  }),
}));
