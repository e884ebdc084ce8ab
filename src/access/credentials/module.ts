import { EVERYONE } from '../../graph/permissions.js';
import { registerModule } from '../../graph/registration.js';
import { CREDENTIAL_ERRORS } from './errors.js';

const CREDENTIALS = {
  ids: { AuthSession: { number: 130 }, PasswordReset: { number: 131 } },
  permissions: {
    'credentials.own': {
      description: 'See and end the own logins, change the own password and second factor.',
      roles: EVERYONE,
      keys: [],
    },
  },
  errors: CREDENTIAL_ERRORS,
  mutations: {
    one_commit: [
      'authLogout',
      'authLogoutEverywhere',
      'authPasswordChange',
      'authPasswordReset',
      'authPasswordResetRequest',
      'authRecoveryCodesRenew',
      'authSecondFactorConfirm',
      'authSecondFactorEnroll',
      'authSecondFactorRemove',
      'authSessionEnd',
      'memberPasswordResetIssue',
      'memberSecondFactorRemove',
      'signingKeyRotate',
    ],
  },
  // What the second one writes belongs to no tenant, which sessions of a tenant cannot.
  everyTenant: ['authPasswordReset', 'signingKeyRotate'],
  urgent: ['authLogout', 'authLogoutEverywhere', 'authSessionEnd'],
  load: () => [
    import('./schema.js'),
    import('./password-schema.js'),
    import('./second-factor-schema.js'),
    import('./signing-key-schema.js'),
  ],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'access/credentials': typeof CREDENTIALS;
  }
}

registerModule('access/credentials', CREDENTIALS);
