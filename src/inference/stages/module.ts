import { registerModule } from '../../graph/registration.js';
import { STAGE_ERRORS } from './errors.js';

const STAGES = {
  errors: STAGE_ERRORS,
  load: () => [import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'inference/stages': typeof STAGES;
  }
}

registerModule('inference/stages', STAGES);
