import { registerModule } from '../../graph/registration.js';
import { EVALUATION_ERRORS } from './errors.js';

const EVALUATIONS = {
  ids: {
    PromptCaseSet: { number: 164, read: 'prompts.read' },
    PromptEvaluation: { number: 165, read: 'prompts.read' },
    PromptEvaluationResult: { number: 166, read: 'prompts.read' },
  },
  errors: EVALUATION_ERRORS,
  mutations: { one_commit: ['promptCaseSetCreate'] },
  load: () => [import('./schema.js'), import('./receipt.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'prompts/evaluations': typeof EVALUATIONS;
  }
}

registerModule('prompts/evaluations', EVALUATIONS);
