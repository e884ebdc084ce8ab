import { EVERYONE } from '../../graph/permissions.js';
import { registerModule } from '../../graph/registration.js';
import { ADAPTIVE_ERRORS } from './errors.js';

const ADAPTIVE = {
  errors: ADAPTIVE_ERRORS,
  permissions: {
    'adaptive_routing.read': {
      description: 'Read routing contracts, kill switches, receipts of routes and the portfolio.',
      roles: EVERYONE,
      keys: ['standard', 'service'],
    },
    'adaptive_routing.write': {
      description: 'Publish routing contracts, decide routes and report outcomes of answers.',
      roles: ['owner', 'admin', 'developer'],
      keys: ['standard', 'service'],
    },
    'adaptive_routing.switch': {
      description: 'Set the kill switch of a router.',
      roles: ['owner', 'admin', 'security'],
      keys: ['service'],
    },
  },
  mutations: {
    one_commit: [
      'adaptiveRouteDecide',
      'routingOutcomeRecord',
      'routingContractPublish',
      'routerKillSwitchSet',
    ],
  },
  urgent: ['routerKillSwitchSet'],
  load: () => [import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'routing/adaptive': typeof ADAPTIVE;
  }
}

registerModule('routing/adaptive', ADAPTIVE);
