import { EVERYONE } from '../../graph/permissions.js';
import { registerModule } from '../../graph/registration.js';

const MODELS = {
  permissions: {
    'models.read': {
      description: 'List the models that the policy of the project allows.',
      roles: EVERYONE,
      keys: ['standard', 'agent', 'service'],
    },
  },
  load: () => [import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'inference/models': typeof MODELS;
  }
}

registerModule('inference/models', MODELS);
