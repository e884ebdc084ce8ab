import { registerModule } from '../../graph/registration.js';

const PROMPT_EVALUATIONS = {
  mutations: { one_commit: ['promptEvaluationCancel', 'promptEvaluationStart'] },
  load: () => [import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'delivery/prompt-evaluations': typeof PROMPT_EVALUATIONS;
  }
}

registerModule('delivery/prompt-evaluations', PROMPT_EVALUATIONS);
