import { builder } from '../../graph/builder.js';
import {
  KEY_TYPES,
  PERMISSIONS,
  type PermissionRow,
  permissionsOf,
  ROLES,
} from '../../graph/permissions.js';
import { KeyTypeEnum } from '../keys/schema.js';
import { type GrantKind, GrantKindEnum, RoleEnum } from './enums.js';

interface Grant {
  readonly who: string;
  readonly kind: GrantKind;
}

/** Whom the table has columns for. */
const HOLDERS: readonly Grant[] = [
  ...ROLES.map(({ code }): Grant => ({ who: code, kind: 'role' })),
  ...KEY_TYPES.map(({ code }): Grant => ({ who: code, kind: 'key_type' })),
];

const GrantType = builder.objectRef<Grant>('AccessGrant').implement({
  description: 'What a role or a type of key may do.',
  fields: (t) => ({
    who: t.exposeString('who', { description: 'The role or the key type.' }),
    kind: t.expose('kind', { type: GrantKindEnum, description: 'What carries the permissions.' }),
    permissions: t.stringList({
      description: 'The permissions it carries.',
      resolve: ({ who }) => [...permissionsOf(who)],
    }),
  }),
});

interface NamedPermission extends PermissionRow {
  readonly name: string;
}

const PermissionType = builder.objectRef<NamedPermission>('AccessPermission').implement({
  description: 'A permission, with everybody who carries it.',
  fields: (t) => ({
    name: t.exposeString('name', {
      description: 'The name of the permission, as keys and roles carry it.',
    }),
    description: t.exposeString('description', { description: 'What it allows.' }),
    roles: t.expose('roles', {
      type: [RoleEnum],
      description: 'The roles whose members carry it. No other role does.',
    }),
    keyTypes: t.expose('keys', {
      type: [KeyTypeEnum],
      description:
        'The types of API keys that carry it. A key has it only where the role that bounds the ' +
        'key (`boundRole`) carries it too.',
    }),
  }),
});

const AccessTable = builder.objectRef<object>('AccessTable').implement({
  description: 'The one table of who may do what; every operation asks it.',
  fields: (t) => ({
    permissions: t.field({
      type: [PermissionType],
      description: 'The rows of the table: all permissions, each with who carries it.',
      resolve: () =>
        Object.entries(PERMISSIONS).map(([name, row]): NamedPermission => ({ name, ...row })),
    }),
    grants: t.field({
      type: [GrantType],
      description: 'The columns of the table: all roles and key types, each with what it carries.',
      resolve: () => [...HOLDERS],
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
