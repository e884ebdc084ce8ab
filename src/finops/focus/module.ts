import { registerModule } from '../../graph/registration.js';

const FOCUS = {
  load: () => [import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'finops/focus': typeof FOCUS;
  }
}

registerModule('finops/focus', FOCUS);
