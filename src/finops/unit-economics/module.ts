import { EVERYONE } from '../../graph/permissions.js';
import { registerModule } from '../../graph/registration.js';
import { COST_ERRORS } from './errors.js';

const UNIT_ECONOMICS = {
  ids: { CostEvent: { number: 40, read: 'unit_economics.read' } },
  permissions: {
    'unit_economics.read': {
      description: 'Read cost events, their coverage and leakage, and FinOps receipts.',
      roles: EVERYONE,
      keys: ['standard', 'service'],
    },
    'unit_economics.write': {
      description: 'Record cost events and invoices, and seal FinOps receipts.',
      roles: ['owner', 'admin', 'finance', 'developer'],
      keys: ['standard', 'service'],
    },
  },
  errors: COST_ERRORS,
  mutations: { one_commit: ['costEventRecord', 'finopsReceiptSeal'] },
  load: () => [import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'finops/unit-economics': typeof UNIT_ECONOMICS;
  }
}

registerModule('finops/unit-economics', UNIT_ECONOMICS);
