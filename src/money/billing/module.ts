import { EVERYONE } from '../../graph/permissions.js';
import { registerModule } from '../../graph/registration.js';
import { BILLING_ERRORS } from './errors.js';

const BILLING = {
  ids: {
    Account: { number: 8, read: 'billing.read' },
  },
  permissions: {
    'balance.read': {
      description: 'Read the balance.',
      roles: EVERYONE,
      keys: ['standard', 'service'],
    },
    'billing.read': {
      description: 'Read the ledger, the closes of months and what is proved about the bill.',
      roles: EVERYONE,
      keys: ['standard', 'service'],
    },
    'billing.top_up': {
      description: 'Top up the account by hand where the server allows it.',
      roles: ['owner', 'admin', 'finance', 'developer'],
      keys: ['standard', 'service'],
    },
  },
  errors: BILLING_ERRORS,
  mutations: {
    one_commit: ['billingTopUp', 'commercialTermsSet'],
  },
  everyTenant: ['commercialTermsSet'],
  load: () => [import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'money/billing': typeof BILLING;
  }
}

registerModule('money/billing', BILLING);
