import { EVERYONE } from '../../graph/permissions.js';
import { registerModule } from '../../graph/registration.js';
import { POLICY_ERRORS } from './errors.js';

const POLICIES = {
  ids: {
    Policy: { number: 6, read: 'policies.read' },
    PolicyVersion: { number: 7, read: 'policies.read' },
    Budget: { number: 10, read: 'finops.read' },
  },
  permissions: {
    'policies.read': {
      description: 'Read policies and their versions.',
      roles: EVERYONE,
      keys: ['standard', 'service'],
    },
    'policies.write': {
      description: 'Create and change policies.',
      roles: ['owner', 'admin', 'security'],
      keys: ['standard', 'service'],
    },
  },
  errors: POLICY_ERRORS,
  mutations: {
    one_commit: ['policyCreate', 'policyUpdate'],
  },
  load: () => [import('./references.js'), import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'access/policies': typeof POLICIES;
  }
}

registerModule('access/policies', POLICIES);
