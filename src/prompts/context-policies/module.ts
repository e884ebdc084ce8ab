import { registerModule } from '../../graph/registration.js';

const CONTEXT_POLICIES = {
  ids: {
    ContextPolicy: { number: 22, read: 'prompts.read' },
  },
  mutations: {
    one_commit: ['contextPolicyCreate'],
  },
  load: () => [import('./references.js'), import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'prompts/context-policies': typeof CONTEXT_POLICIES;
  }
}

registerModule('prompts/context-policies', CONTEXT_POLICIES);
