import { EVERYONE } from '../../graph/permissions.js';
import { registerModule } from '../../graph/registration.js';
import { KEY_ERRORS } from './errors.js';

const KEYS = {
  ids: {
    ApiKey: { number: 5, read: 'keys.read' },
  },
  permissions: {
    'keys.read': {
      description: 'List API keys; a key itself is shown only once, at its creation.',
      roles: EVERYONE,
      keys: ['standard', 'service'],
    },
    'keys.write': {
      description: 'Create, rotate and revoke API keys.',
      roles: ['owner', 'admin', 'security', 'developer'],
      keys: ['service'],
    },
    'keys.limit': {
      description: 'Change what API keys may do: their limits, end, project and workspace.',
      roles: ['owner', 'admin', 'security', 'developer'],
      keys: ['service'],
    },
  },
  errors: KEY_ERRORS,
  mutations: {
    one_commit: [
      'apiKeyCreate',
      'apiKeyFormerSecretsEnd',
      'apiKeyRevoke',
      'apiKeyRotate',
      'apiKeyUpdate',
    ],
  },
  urgent: ['apiKeyFormerSecretsEnd', 'apiKeyRevoke'],
  load: () => [import('./schema.js'), import('./tree-schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'access/keys': typeof KEYS;
  }
}

registerModule('access/keys', KEYS);
