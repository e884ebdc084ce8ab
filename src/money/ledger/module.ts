import { registerModule } from '../../graph/registration.js';
import { LEDGER_ERRORS } from './errors.js';

const LEDGER = {
  errors: LEDGER_ERRORS,
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'money/ledger': typeof LEDGER;
  }
}

registerModule('money/ledger', LEDGER);
