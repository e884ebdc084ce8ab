import type { StatedError } from '../../kernel/errors/row.js';

/** Who is asking: credentials, logins and invites. */
export const AUTH_ERRORS = {
  invalid_api_key: {
    status: 401,
    message: 'The API key is not valid.',
    cause:
      'The key is misspelt (its checksum does not fit), unknown or belongs to a closed ' +
      'organization.',
    fix: ['Copy the key again; a lost key cannot be shown, create a new one with POST /api-keys.'],
  },
  api_key_revoked: {
    status: 401,
    message: 'The API key was revoked.',
    cause: 'A member or a service key revoked it; revocation takes effect at once on every node.',
    fix: ['Create a new key with POST /api-keys and replace the old one.'],
  },
  invalid_token: {
    status: 401,
    message: 'The access token is not valid: {reason}.',
    cause: 'The token is expired, of another issuer, or its member left the organization.',
    fix: ['Log in again with POST /auth/login, or use the refresh token.'],
  },
  invalid_login: {
    status: 401,
    message: 'E-mail or password is wrong.',
    cause: 'No member has this pair of e-mail and password.',
    fix: ['Check both; ask an owner of your organization for an invite if you have no account.'],
  },
  login_throttled: {
    status: 429,
    message: 'Too many failed logins. Try again in {seconds} s.',
    cause: 'Failed logins are limited by e-mail and by address.',
    fix: ['Wait for the time in `retry-after`, then try again.'],
  },
  email_taken: {
    status: 409,
    message: 'This e-mail cannot be registered.',
    cause: 'An account with this e-mail exists.',
    fix: ['Log in with it, or register with another e-mail.'],
  },
  invalid_invite: {
    status: 400,
    message: 'The invite is not valid.',
    cause:
      'The invite token is unknown, was used, was withdrawn, has expired or is for another e-mail.',
    fix: ['Ask an owner or admin of the organization for a new invite.'],
  },
} as const satisfies Record<string, StatedError>;
