import { builder } from '../../graph/builder.js';
import { GRANTS, PERMISSIONS, ROLES } from '../../graph/permissions.js';

interface Grant {
  readonly who: string;
  readonly kind: 'role' | 'key_type';
  readonly permissions: readonly string[];
}

const GrantType = builder.objectRef<Grant>('AccessGrant').implement({
  description: 'What a role or a type of key may do.',
  fields: (t) => ({
    who: t.exposeString('who', { description: 'The role or the key type.' }),
    kind: t.exposeString('kind', { description: '`role` or `key_type`.' }),
    permissions: t.exposeStringList('permissions', { description: 'The permissions it carries.' }),
  }),
});

const PermissionType = builder
  .objectRef<{ name: string; description: string }>('AccessPermission')
  .implement({
    description: 'A permission.',
    fields: (t) => ({
      name: t.exposeString('name', { description: 'Its name.' }),
      description: t.exposeString('description', { description: 'What it allows.' }),
    }),
  });

const AccessTable = builder.objectRef<object>('AccessTable').implement({
  description: 'The one table of who may do what; every operation asks it.',
  fields: (t) => ({
    permissions: t.field({
      type: [PermissionType],
      description: 'All permissions.',
      resolve: () =>
        Object.entries(PERMISSIONS).map(([name, description]) => ({ name, description })),
    }),
    grants: t.field({
      type: [GrantType],
      description: 'All roles and key types.',
      resolve: () =>
        Object.entries(GRANTS).map(([who, permissions]): Grant => {
          const kind = ROLES.some((role) => role.code === who) ? 'role' : 'key_type';
          return { who, kind, permissions };
        }),
    }),
  }),
});

builder.queryField('accessTable', (t) =>
  t.field({
    type: AccessTable,
    description: 'Roles and key types with their permissions.',
    resolve: () => ({}),
  }),
);
