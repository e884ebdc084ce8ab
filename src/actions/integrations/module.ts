import { EVERYONE } from '../../graph/permissions.js';
import { registerModule } from '../../graph/registration.js';
import { INTEGRATION_ERRORS } from './errors.js';

const INTEGRATIONS = {
  ids: {
    IntegrationPreview: { number: 24 },
    IntegrationAction: { number: 25, read: 'integrations.read' },
  },
  permissions: {
    'integrations.read': {
      description: 'Read integration actions and receipts; an agent key sees its own.',
      roles: EVERYONE,
      keys: ['standard', 'agent', 'service'],
    },
    'integrations.run': {
      description: 'Preview and execute actions of integrations.',
      roles: ['owner', 'admin', 'developer'],
      keys: ['standard', 'agent', 'service'],
    },
  },
  errors: INTEGRATION_ERRORS,
  mutations: {
    one_commit: [
      'integrationActionExecute',
      'integrationActionPreview',
      'integrationActionRollback',
    ],
  },
  load: () => [import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'actions/integrations': typeof INTEGRATIONS;
  }
}

registerModule('actions/integrations', INTEGRATIONS);
