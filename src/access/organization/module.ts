import { registerModule } from '../../graph/registration.js';
import { ORGANIZATION_ERRORS } from './errors.js';

const ORGANIZATION = {
  permissions: {
    'organization.write': {
      description:
        'Change how the organization decides and logs in: four eyes, second factor, who ' +
        'changes limits, and whether requests need a workspace.',
      roles: ['owner', 'admin'],
      keys: [],
    },
  },
  errors: ORGANIZATION_ERRORS,
  mutations: {
    one_commit: [
      'organizationFourEyesSet',
      'organizationSecondFactorSet',
      'organizationLimitsByMembersSet',
      'organizationWorkspaceRequiredSet',
    ],
  },
  load: () => [import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'access/organization': typeof ORGANIZATION;
  }
}

registerModule('access/organization', ORGANIZATION);
