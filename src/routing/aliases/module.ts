import { EVERYONE } from '../../graph/permissions.js';
import { registerModule } from '../../graph/registration.js';

const ALIASES = {
  permissions: {
    'aliases.read': {
      description: 'Read the names under which the organization calls models.',
      roles: EVERYONE,
      keys: ['standard', 'service'],
    },
    'aliases.write': {
      description: 'Name a model, or gw:auto, by a model name of your own code.',
      roles: ['owner', 'admin', 'security', 'developer'],
      keys: ['standard', 'service'],
    },
  },
  mutations: { one_commit: ['modelAliasPublish'] },
  load: () => [import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'routing/aliases': typeof ALIASES;
  }
}

registerModule('routing/aliases', ALIASES);
