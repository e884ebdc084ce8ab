import { EVERYONE } from '../../graph/permissions.js';
import { registerModule } from '../../graph/registration.js';
import { VALUE_ERRORS } from './errors.js';

const VALUE = {
  ids: {
    ValueEvent: { number: 45, read: 'value.read' },
  },
  permissions: {
    'value.read': {
      description: 'Read value events, returns per use case and the portfolio.',
      roles: EVERYONE,
      keys: ['standard', 'service'],
    },
    'value.record': {
      description: 'Record business results of AI.',
      roles: ['owner', 'admin', 'finance', 'developer'],
      keys: ['standard', 'agent', 'service'],
    },
  },
  errors: VALUE_ERRORS,
  mutations: { one_commit: ['valueEventRecord'] },
  load: () => [import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'growth/value': typeof VALUE;
  }
}

registerModule('growth/value', VALUE);
