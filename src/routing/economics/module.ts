import { EVERYONE } from '../../graph/permissions.js';
import { registerModule } from '../../graph/registration.js';
import { ECONOMICS_ERRORS } from './errors.js';

const ECONOMICS = {
  permissions: {
    'routing.read': {
      description: 'Read route policies, scorecards of models, decisions and the portfolio.',
      roles: EVERYONE,
      keys: ['standard', 'service'],
    },
    'routing.write': {
      description: 'Publish route policies and scorecards of models, and decide routes.',
      roles: ['owner', 'admin', 'developer'],
      keys: ['standard', 'service'],
    },
  },
  errors: ECONOMICS_ERRORS,
  mutations: { one_commit: ['modelScorecardPublish', 'routeDecide', 'routePolicyPublish'] },
  load: () => [import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'routing/economics': typeof ECONOMICS;
  }
}

registerModule('routing/economics', ECONOMICS);
