import { builder } from '../../graph/builder.js';
import { KEY_TYPES, PERMISSIONS, permissionsOf, ROLES } from '../../graph/permissions.js';
import { outputOf } from '../../graph/table-types.js';
import { code, fieldTable, list, object, text } from '../../kernel/fields/field.js';
import type { CodeOf } from '../../kernel/vocabulary.js';
import { GRANT_KINDS } from './vocabulary.js';

const GRANT = fieldTable('AccessGrant', 'What a role or a type of key may do.', {
  who: text('The role or the key type.'),
  kind: code(GRANT_KINDS, 'What carries the permissions.'),
  permissions: list(text('A permission.'), 'The permissions it carries.'),
});

const PERMISSION = fieldTable('AccessPermission', 'A permission, with everybody who carries it.', {
  name: text('The name of the permission, as keys and roles carry it.'),
  description: text('What it allows.'),
  roles: list(code(ROLES, 'A role.'), 'The roles whose members carry it. No other role does.'),
  keyTypes: list(
    code(KEY_TYPES, 'A type of key.'),
    'The types of API keys that carry it. A key has it only where the role that bounds the key ' +
      '(`boundRole`) carries it too.',
  ),
});

const ACCESS_TABLE = fieldTable(
  'AccessTable',
  'The one table of who may do what; every operation asks it.',
  {
    permissions: list(
      object(PERMISSION, 'A row.'),
      'The rows of the table: all permissions, each with who carries it.',
    ),
    grants: list(
      object(GRANT, 'A column.'),
      'The columns of the table: all roles and key types, each with what it carries.',
    ),
  },
);

function grant(who: string, kind: CodeOf<typeof GRANT_KINDS>) {
  return { who, kind, permissions: [...permissionsOf(who)] };
}

builder.queryField('accessTable', (t) =>
  t.field({
    type: outputOf(ACCESS_TABLE),
    description: 'Roles and key types with their permissions.',
    resolve: () => ({
      permissions: Object.entries(PERMISSIONS).map(([name, { keys, ...row }]) => ({
        name,
        ...row,
        keyTypes: keys,
      })),
      grants: [
        ...ROLES.codes.map((role) => grant(role, 'role')),
        ...KEY_TYPES.codes.map((type) => grant(type, 'key_type')),
      ],
    }),
  }),
);
