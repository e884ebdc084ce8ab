import { registerModule } from '../../graph/registration.js';
import { CHAT_ERRORS } from './errors.js';

const CHAT = {
  permissions: {
    'inference.run': {
      description: 'Call models: chat and embeddings.',
      roles: ['owner', 'admin', 'security', 'developer'],
      keys: ['standard', 'agent', 'service'],
    },
  },
  errors: CHAT_ERRORS,
  mutations: { own_books: ['chatComplete', 'chatCompletionCreate'] },
  load: () => [import('./schema.js'), import('./typed/schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'inference/chat': typeof CHAT;
  }
}

registerModule('inference/chat', CHAT);
