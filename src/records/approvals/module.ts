import { EVERYONE } from '../../graph/permissions.js';
import { registerModule } from '../../graph/registration.js';
import { APPROVAL_ERRORS } from './errors.js';

const APPROVALS = {
  ids: {
    Approval: { number: 14, read: 'approvals.read' },
  },
  permissions: {
    'approvals.read': {
      description: 'Read the approval queue and its feed.',
      roles: EVERYONE,
      keys: ['standard', 'service'],
    },
    'approvals.decide': {
      description: 'Approve or reject what waits in the approval queue.',
      roles: ['owner', 'admin', 'security'],
      keys: [],
    },
  },
  errors: APPROVAL_ERRORS,
  mutations: {
    // Approving carries out what waited, and the answer says how that went.
    own_books: ['approvalDecide'],
  },
  load: () => [import('./references.js'), import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'records/approvals': typeof APPROVALS;
  }
}

registerModule('records/approvals', APPROVALS);
