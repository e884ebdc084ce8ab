import { registerModule } from '../../graph/registration.js';
import { MONTH_CLOSE_ERRORS } from './errors.js';

const MONTH_CLOSE = {
  errors: MONTH_CLOSE_ERRORS,
  mutations: { one_commit: ['monthCloseSeal'] },
  load: () => [import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'money/month-close': typeof MONTH_CLOSE;
  }
}

registerModule('money/month-close', MONTH_CLOSE);
