import { EVERYONE } from '../../graph/permissions.js';
import { registerModule } from '../../graph/registration.js';

const READINESS = {
  permissions: {
    'readiness.read': {
      description: 'Read the production readiness of the organization.',
      roles: EVERYONE,
      keys: ['standard', 'service'],
    },
  },
  load: () => [import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'growth/readiness': typeof READINESS;
  }
}

registerModule('growth/readiness', READINESS);
