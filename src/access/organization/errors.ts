import type { StatedError } from '../../kernel/errors/row.js';

/** What an organization keeps to its members. */
export const ORGANIZATION_ERRORS = {
  limits_by_members_only: {
    status: 403,
    message: 'In this organization members change limits, and no key does.',
    cause:
      'The organization says that limits of keys, budgets and policies are changed by members ' +
      'only (organizationLimitsByMembersSet).',
    fix: ['Log in as a member with the right, and make the change with that access token.'],
    ru: {
      message: 'В этой организации ограничения меняют участники, а ключи — нет.',
      cause:
        'Организация указала, что ограничения ключей, бюджеты и политики меняют только участники ' +
        '(organizationLimitsByMembersSet).',
      fix: ['Войдите как участник с нужным правом и внесите изменение с его токеном доступа.'],
    },
  },
} as const satisfies Record<string, StatedError>;
