import { registerModule } from '../../graph/registration.js';
import { INTEGRITY_ERRORS } from './errors.js';

const INTEGRITY = {
  errors: INTEGRITY_ERRORS,
  ids: {
    IntegritySeal: { number: 160, read: 'billing.read' },
  },
  permissions: {
    'billing.seal': {
      description: 'Seal receipts of billing integrity and close months.',
      roles: ['owner', 'admin', 'finance'],
      keys: ['standard', 'service'],
    },
  },
  mutations: { one_commit: ['billingIntegrityPeriodSeal', 'billingIntegrityReceiptSeal'] },
  load: () => [import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'money/integrity': typeof INTEGRITY;
  }
}

registerModule('money/integrity', INTEGRITY);
