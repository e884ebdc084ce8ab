import { registerModule } from '../../graph/registration.js';
import { OPERATION_ERRORS } from './errors.js';

/** What administrators of the platform do in the account of another organization. */
const OPERATIONS_OF_OFFICE = [
  'balanceAdjust',
  'balanceCredit',
  'balanceRefund',
  'balanceReturn',
  'slaCreditIssue',
] as const;

const OPERATIONS = {
  errors: OPERATION_ERRORS,
  mutations: { one_commit: OPERATIONS_OF_OFFICE },
  everyTenant: OPERATIONS_OF_OFFICE,
  load: () => [import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'money/operations': typeof OPERATIONS;
  }
}

registerModule('money/operations', OPERATIONS);
