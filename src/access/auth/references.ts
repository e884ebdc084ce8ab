import { KEY_TYPES, PERMISSIONS, ROLES } from '../../graph/permissions.js';
import { defineReference } from '../../records/references.js';

defineReference('access.role', ROLES.rows);
defineReference('access.key_type', KEY_TYPES.rows);
defineReference(
  'access.permission',
  Object.entries(PERMISSIONS).map(([code, { description, roles, keys }]) => ({
    code,
    description,
    roles,
    key_types: keys,
  })),
);
