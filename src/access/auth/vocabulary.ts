import { vocabulary } from '../../kernel/vocabulary.js';

/** Whether an organization is served. */
export const TENANT_STATUSES = vocabulary('TenantStatus', 'Whether an organization is served.', [
  { code: 'active', description: 'The organization is served.' },
  { code: 'suspended', description: 'The operator has suspended it; its requests are refused.' },
]);

/** Whether a person still belongs to an organization. */
export const MEMBER_STATUSES = vocabulary(
  'MemberStatus',
  'Whether a person still belongs to the organization.',
  [
    { code: 'active', description: 'The member can log in.' },
    { code: 'removed', description: 'The member was removed; their logins have ended.' },
  ],
);

/** What a row of the table of rights is about. */
export const GRANT_KINDS = vocabulary('AccessGrantKind', 'What can carry permissions.', [
  { code: 'role', description: 'A role of members.' },
  { code: 'key_type', description: 'A type of API keys.' },
]);
