import { registerModule } from '../../graph/registration.js';
import { BUDGET_ERRORS } from './errors.js';

const BUDGETS = {
  ids: {
    BudgetException: { number: 19, read: 'policies.read' },
  },
  permissions: {
    'budgets.request': {
      description: 'Ask for an exception from a budget.',
      roles: ['owner', 'admin', 'security', 'finance', 'developer'],
      keys: ['standard', 'agent', 'service'],
    },
  },
  errors: BUDGET_ERRORS,
  mutations: {
    one_commit: ['budgetExceptionRequest'],
  },
  load: () => [import('./references.js'), import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'access/budgets': typeof BUDGETS;
  }
}

registerModule('access/budgets', BUDGETS);
