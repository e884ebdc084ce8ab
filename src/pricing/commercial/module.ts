import { EVERYONE } from '../../graph/permissions.js';
import { registerModule } from '../../graph/registration.js';
import { COMMERCIAL_ERRORS } from './errors.js';

const COMMERCIAL = {
  errors: COMMERCIAL_ERRORS,
  permissions: {
    'commercial.read': {
      description: 'Read hypotheses of willingness to pay, win rates and commercial receipts.',
      roles: EVERYONE,
      keys: ['standard', 'service'],
    },
    'commercial.write': {
      description: 'Record hypotheses and outcomes of deals, and seal commercial receipts.',
      roles: ['owner', 'admin', 'finance'],
      keys: ['standard', 'service'],
    },
  },
  mutations: {
    one_commit: [
      'wtpHypothesisRecord',
      'wtpEvidenceState',
      'dealOutcomeRecord',
      'commercialReceiptSeal',
    ],
  },
  load: () => [import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'pricing/commercial': typeof COMMERCIAL;
  }
}

registerModule('pricing/commercial', COMMERCIAL);
