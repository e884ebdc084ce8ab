import { builder } from '../../graph/builder.js';
import { enumValues } from '../../graph/enums.js';
import { ROLES } from '../../graph/permissions.js';

const TENANT_STATUSES = [
  { code: 'active', description: 'The organization is served.' },
  { code: 'suspended', description: 'The operator has suspended it; its requests are refused.' },
] as const;

/** The status of an organization. */
export type TenantStatus = (typeof TENANT_STATUSES)[number]['code'];

const MEMBER_STATUSES = [
  { code: 'active', description: 'The member can log in.' },
  { code: 'removed', description: 'The member was removed; their logins have ended.' },
] as const;

/** The status of a member. */
export type MemberStatus = (typeof MEMBER_STATUSES)[number]['code'];

const GRANT_KINDS = [
  { code: 'role', description: 'A role of members.' },
  { code: 'key_type', description: 'A type of API keys.' },
] as const;

/** What a row of the table of rights is about. */
export type GrantKind = (typeof GRANT_KINDS)[number]['code'];

/** Roles of members. */
export const RoleEnum = builder.enumType('Role', {
  description: 'The role of a member; what each role may do is in `accessTable`.',
  values: enumValues(ROLES),
});

/** Whether an organization is served. */
export const TenantStatusEnum = builder.enumType('TenantStatus', {
  description: 'Whether an organization is served.',
  values: enumValues(TENANT_STATUSES),
});

/** Whether a person still belongs to an organization. */
export const MemberStatusEnum = builder.enumType('MemberStatus', {
  description: 'Whether a person still belongs to the organization.',
  values: enumValues(MEMBER_STATUSES),
});

/** What can carry permissions. */
export const GrantKindEnum = builder.enumType('AccessGrantKind', {
  description: 'What can carry permissions.',
  values: enumValues(GRANT_KINDS),
});
