import { EVERYONE } from '../../graph/permissions.js';
import { registerModule } from '../../graph/registration.js';

const DEVEX = {
  ids: { Onboarding: { number: 120 } },
  permissions: {
    'onboarding.read': {
      description: 'Read the onboarding of the organization and its receipts.',
      roles: EVERYONE,
      keys: ['standard', 'service'],
    },
    'onboarding.write': {
      description: 'Track the onboarding of the organization and declare milestones.',
      roles: ['owner', 'admin', 'security', 'developer'],
      keys: ['standard', 'service'],
    },
  },
  mutations: { one_commit: ['onboardingTrack'] },
  load: () => [
    import('./capabilities/schema.js'),
    import('./debug/schema.js'),
    import('./onboarding/schema.js'),
    import('./quickstart/schema.js'),
    import('./reference.js'),
  ],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'growth/devex': typeof DEVEX;
  }
}

registerModule('growth/devex', DEVEX);
