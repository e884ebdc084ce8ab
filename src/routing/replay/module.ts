import { registerModule } from '../../graph/registration.js';

const REPLAY = {
  load: () => [import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'routing/replay': typeof REPLAY;
  }
}

registerModule('routing/replay', REPLAY);
