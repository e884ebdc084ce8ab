import { registerModule } from '../../graph/registration.js';

const ADVANCES = {
  load: () => [import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'money/advances': typeof ADVANCES;
  }
}

registerModule('money/advances', ADVANCES);
