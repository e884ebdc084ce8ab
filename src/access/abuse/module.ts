import { EVERYONE } from '../../graph/permissions.js';
import { registerModule } from '../../graph/registration.js';
import { ABUSE_ERRORS } from './errors.js';

const ABUSE = {
  ids: {
    EphemeralToken: { number: 70, read: 'abuse.read' },
    AbuseIncident: { number: 71, read: 'abuse.read' },
    KeyAction: { number: 72, read: 'abuse.read' },
  },
  permissions: {
    'abuse.read': {
      description: 'Read ephemeral tokens, risks of keys and incidents.',
      roles: EVERYONE,
      keys: ['standard', 'service'],
    },
    'abuse.write': {
      description:
        'Issue, validate and revoke ephemeral tokens, scan keys, record incidents and throttle ' +
        'keys. Rotating and revoking keys takes keys.write too.',
      roles: ['owner', 'admin', 'security', 'developer'],
      keys: ['standard', 'service'],
    },
  },
  errors: ABUSE_ERRORS,
  mutations: {
    one_commit: [
      'abuseIncidentRecord',
      'ephemeralTokenIssue',
      'ephemeralTokenRevoke',
      'ephemeralTokenValidate',
      'keyActionUndo',
      'keyRiskScan',
    ],
  },
  urgent: ['abuseIncidentRecord', 'ephemeralTokenRevoke'],
  load: () => [import('./schema.js')],
} as const;

declare module '../../kernel/module-rows.js' {
  interface ModuleRows {
    readonly 'access/abuse': typeof ABUSE;
  }
}

registerModule('access/abuse', ABUSE);
