import { registerModule } from '../../graph/registration.js';
import { UPSTREAM_ERRORS } from './errors.js';

const UPSTREAM = {
  errors: UPSTREAM_ERRORS,
  mutations: { own_books: ['deploymentProbe'] },
  load: () => [import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'inference/upstream': typeof UPSTREAM;
  }
}

registerModule('inference/upstream', UPSTREAM);
