import { registerModule } from '../../graph/registration.js';
import { CONTEXT_ERRORS } from './errors.js';

const CONTEXT = { errors: CONTEXT_ERRORS } as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'inference/context': typeof CONTEXT;
  }
}

registerModule('inference/context', CONTEXT);
