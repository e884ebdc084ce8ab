import { EVERYONE } from '../../graph/permissions.js';
import { registerModule } from '../../graph/registration.js';
import { SCOPE_BUDGET_ERRORS } from './errors.js';

const BUDGETS = {
  ids: { BudgetAlert: { number: 30 }, BudgetStep: { number: 33 } },
  permissions: {
    'finops.read': {
      description: 'Read budgets by scope, forecasts, cost receipts and anomaly rules.',
      roles: EVERYONE,
      keys: ['standard', 'service'],
    },
    'finops.write': {
      description: 'Set budgets by scope and anomaly rules, record forecasts and cost receipts.',
      roles: ['owner', 'admin', 'security', 'finance'],
      keys: ['standard', 'service'],
    },
  },
  errors: SCOPE_BUDGET_ERRORS,
  mutations: { one_commit: ['budgetSet'] },
  load: () => [import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'finops/budgets': typeof BUDGETS;
  }
}

registerModule('finops/budgets', BUDGETS);
