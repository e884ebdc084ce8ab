import { registerModule } from '../../graph/registration.js';

const ORGANIZATION = {
  permissions: {
    'organization.write': {
      description: 'Change how the organization decides: four eyes.',
      roles: ['owner', 'admin'],
      keys: [],
    },
  },
  mutations: {
    one_commit: ['organizationFourEyesSet'],
  },
  load: () => [import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'access/organization': typeof ORGANIZATION;
  }
}

registerModule('access/organization', ORGANIZATION);
