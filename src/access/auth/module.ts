import { EVERYONE } from '../../graph/permissions.js';
import { registerModule } from '../../graph/registration.js';
import { AUTH_ERRORS } from './errors.js';

const AUTH = {
  ids: {
    Tenant: { number: 1, read: 'profile.read' },
    Project: { number: 2, read: 'profile.read' },
    User: { number: 3, read: 'members.read' },
    Invite: { number: 4, read: 'members.read' },
    Session: { number: 17 },
  },
  permissions: {
    'profile.read': {
      description: 'Read the own profile, the organization and its projects.',
      roles: EVERYONE,
      keys: ['standard', 'agent', 'service'],
    },
    'projects.write': {
      description: 'Create projects.',
      roles: ['owner', 'admin'],
      keys: ['standard', 'service'],
    },
    'members.read': {
      description: 'List members and open invites.',
      roles: EVERYONE,
      keys: ['standard', 'service'],
    },
    'members.write': {
      description: 'Invite members, withdraw invites, change roles and remove members.',
      roles: ['owner', 'admin'],
      keys: [],
    },
  },
  errors: AUTH_ERRORS,
  mutations: {
    one_commit: [
      'authLogin',
      'authRefresh',
      'authRegister',
      'inviteAccept',
      'inviteCreate',
      'inviteRevoke',
      'memberChangeRole',
      'memberRemove',
      'projectCreate',
    ],
  },
  everyTenant: ['authLogin', 'authRefresh', 'authRegister', 'inviteAccept'],
  urgent: ['inviteRevoke', 'memberChangeRole', 'memberRemove'],
  load: () => [
    import('./access-table-schema.js'),
    import('./references.js'),
    import('./schema.js'),
  ],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'access/auth': typeof AUTH;
  }
}

registerModule('access/auth', AUTH);
