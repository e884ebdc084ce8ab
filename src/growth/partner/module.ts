import { registerModule } from '../../graph/registration.js';

const PARTNER = {
  permissions: {
    'partner.read': {
      description: 'Read terms of partner clients, margins and client reports.',
      roles: ['owner', 'admin', 'finance'],
      keys: ['standard', 'service'],
    },
    'partner.write': {
      description: 'Publish the terms that a partner bills a client by.',
      roles: ['owner', 'admin', 'finance'],
      keys: ['standard', 'service'],
    },
  },
  mutations: { one_commit: ['partnerTermsPublish'] },
  load: () => [import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'growth/partner': typeof PARTNER;
  }
}

registerModule('growth/partner', PARTNER);
