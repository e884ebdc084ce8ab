import { EVERYONE } from '../../graph/permissions.js';
import { registerModule } from '../../graph/registration.js';
import { PROMPT_ERRORS } from './errors.js';

const PACKAGES = {
  ids: {
    Prompt: { number: 20, read: 'prompts.read' },
    PromptVersion: { number: 21, read: 'prompts.read' },
  },
  permissions: {
    'prompts.read': {
      description: 'Read prompt packages, their versions and receipts, and context policies.',
      roles: EVERYONE,
      keys: ['standard', 'service'],
    },
    'prompts.write': {
      description: 'Create, test, promote and roll back prompts; create context policies.',
      roles: ['owner', 'admin', 'developer'],
      keys: ['standard', 'service'],
    },
    'prompts.try': {
      description: 'Use a version of a prompt that is not promoted, by its number, in chat.',
      roles: ['owner', 'admin', 'developer'],
      keys: ['service'],
    },
  },
  errors: PROMPT_ERRORS,
  mutations: {
    one_commit: [
      'promptCreate',
      'promptPromote',
      'promptRollback',
      'promptTest',
      'promptVersionCreate',
    ],
  },
  load: () => [
    import('./diff/schema.js'),
    import('./gate/schema.js'),
    import('./reference.js'),
    import('./schema.js'),
  ],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'prompts/packages': typeof PACKAGES;
  }
}

registerModule('prompts/packages', PACKAGES);
