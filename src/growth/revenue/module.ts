import { registerModule } from '../../graph/registration.js';
import { REVENUE_ERRORS } from './errors.js';

const REVENUE = {
  ids: {
    RevenueSignal: { number: 82, read: 'revenue.read' },
  },
  permissions: {
    'revenue.read': {
      description: 'Read scores, signals, quotes, partner summaries and the pipeline.',
      roles: ['owner', 'admin', 'finance', 'viewer'],
      keys: ['standard', 'service'],
    },
    'revenue.record': {
      description: 'Record events of leads.',
      roles: ['owner', 'admin', 'finance', 'developer'],
      keys: ['standard', 'agent', 'service'],
    },
    'revenue.write': {
      description: 'Derive and close signals, make quotes and attribute clients to partners.',
      roles: ['owner', 'admin', 'finance'],
      keys: ['standard', 'service'],
    },
  },
  errors: REVENUE_ERRORS,
  mutations: {
    one_commit: [
      'partnerAttributionRegister',
      'revenueEventRecord',
      'revenueQuoteCreate',
      'revenueSignalResolve',
      'revenueSignalsDerive',
    ],
  },
  load: () => [import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'growth/revenue': typeof REVENUE;
  }
}

registerModule('growth/revenue', REVENUE);
