import { EVERYONE } from '../../graph/permissions.js';
import { registerModule } from '../../graph/registration.js';
import { errorRows } from '../../kernel/errors/row.js';
import ERRORS from './errors.json' with { type: 'json' };

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
  errors: errorRows(ERRORS),
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
