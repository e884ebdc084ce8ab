import { EVERYONE } from '../../graph/permissions.js';
import { registerModule } from '../../graph/registration.js';
import { WORKSPACE_ERRORS } from './errors.js';

const WORKSPACES = {
  ids: {
    Workspace: { number: 73, read: 'workspaces.read' },
    AdoptionEvent: { number: 74, read: 'workspaces.read' },
  },
  permissions: {
    'workspaces.read': {
      description: 'Read workspaces, their policies, events and dashboards.',
      roles: EVERYONE,
      keys: ['standard', 'service'],
    },
    'workspaces.record': {
      description: 'Record adoption events of workspaces.',
      roles: ['owner', 'admin', 'security', 'developer'],
      keys: ['standard', 'agent', 'service'],
    },
    'workspaces.write': {
      description:
        'Create workspaces, change their policies, enable departments, and say which members and ' +
        'projects belong to them.',
      roles: ['owner', 'admin', 'security'],
      keys: ['standard', 'service'],
    },
  },
  errors: WORKSPACE_ERRORS,
  mutations: {
    one_commit: [
      'memberWorkspaceSet',
      'projectWorkspaceSet',
      'workspaceAdoptionRecord',
      'workspaceChange',
      'workspaceCreate',
      'workspaceDepartmentsEnable',
    ],
  },
  load: () => [import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'access/workspaces': typeof WORKSPACES;
  }
}

registerModule('access/workspaces', WORKSPACES);
