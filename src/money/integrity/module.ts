import { registerModule } from '../../graph/registration.js';

const INTEGRITY = {
  permissions: {
    'billing.seal': {
      description: 'Seal receipts of billing integrity and close months.',
      roles: ['owner', 'admin', 'finance'],
      keys: ['standard', 'service'],
    },
  },
  mutations: { one_commit: ['billingIntegrityReceiptSeal'] },
  load: () => [import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'money/integrity': typeof INTEGRITY;
  }
}

registerModule('money/integrity', INTEGRITY);
