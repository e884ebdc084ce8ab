import { registerModule } from '../../graph/registration.js';
import { COST_ERRORS } from './errors.js';

const COSTS = {
  errors: COST_ERRORS,
  mutations: { one_commit: ['costForecastRecord', 'costReceiptSeal'] },
  load: () => [import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'finops/costs': typeof COSTS;
  }
}

registerModule('finops/costs', COSTS);
