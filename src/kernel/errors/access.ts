import type { StatedError } from './row.js';

/** What every operation may be refused for. */
export const ACCESS_ERRORS = {
  missing_credential: {
    status: 401,
    message: 'No credential was sent. Put `Authorization: Bearer <key or token>` on the request.',
    cause:
      'The operation needs a bearer credential and the header is missing or of another scheme.',
    fix: [
      'Create a key with POST /api-keys or log in with POST /auth/login, and send it as bearer.',
    ],
  },
  permission_denied: {
    status: 403,
    message: '{principal} may not do this; it needs the permission {permission}.',
    cause: 'The role of the member or the type of the key does not carry the permission.',
    fix: ['See the table of roles and key types in the docs; use a credential that carries it.'],
  },
  platform_admin_required: {
    status: 403,
    message: 'Only administrators of the platform may do this.',
    cause:
      'The operator of this server names its administrators by their ids in GW_PLATFORM_ADMINS.',
    fix: ['Ask the operator of this server.'],
  },
  tenant_suspended: {
    status: 403,
    message: 'The organization is suspended.',
    cause: 'An operator suspended the organization.',
    fix: ['Contact support.'],
  },
} as const satisfies Record<string, StatedError>;
