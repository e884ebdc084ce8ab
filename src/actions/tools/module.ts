import { EVERYONE } from '../../graph/permissions.js';
import { registerModule } from '../../graph/registration.js';
import { TOOL_ERRORS } from './errors.js';

const TOOLS = {
  ids: {
    ToolCall: { number: 23, read: 'tools.read' },
  },
  permissions: {
    'tools.read': {
      description: 'Read tools, calls and receipts; an agent key sees the calls it made.',
      roles: EVERYONE,
      keys: ['standard', 'agent', 'service'],
    },
    'tools.write': {
      description: 'Register tools and rotate their signing secrets.',
      roles: ['owner', 'admin', 'security', 'developer'],
      keys: ['standard', 'service'],
    },
    'tools.run': {
      description: 'Preview and request actions of tools, and undo them.',
      roles: ['owner', 'admin', 'security', 'developer'],
      keys: ['standard', 'agent', 'service'],
    },
  },
  errors: TOOL_ERRORS,
  mutations: {
    one_commit: ['toolRegister', 'toolSigningSecretRotate'],
    own_books: ['toolCallApprove', 'toolCallExecute', 'toolCallReject', 'toolCallRollback'],
  },
  load: () => [import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'actions/tools': typeof TOOLS;
  }
}

registerModule('actions/tools', TOOLS);
