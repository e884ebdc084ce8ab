import type { ErrorRow } from '../../kernel/errors/row.js';

/** Migrations from other providers. */
export const MIGRATION_ERRORS = {
  migration_key_taken: {
    status: 409,
    type: 'conflict_error',
    message: 'A migration with the key {key} exists.',
    cause: 'The key of a migration is unique in the organization.',
    fix: ['Use the migration that exists (GET /v1/gw/migration/projects), or another key.'],
    ru: {
      message: 'Миграция с ключом {key} уже есть.',
      cause: 'Ключ миграции уникален в организации.',
      fix: ['Используйте имеющуюся миграцию (GET /v1/gw/migration/projects) или другой ключ.'],
    },
  },
  acknowledgement_needs_member: {
    status: 403,
    type: 'permission_error',
    message: 'Only a member can acknowledge conditions of a cutover; an API key cannot.',
    cause: 'A conditional cutover rests on the judgement of a person, who is named in its receipt.',
    fix: ['Ask for the cutover with the token of a member (POST /auth/login).'],
    ru: {
      message: 'Подтвердить условия переключения может только участник; ключу API это недоступно.',
      cause: 'Условное переключение опирается на решение человека, который назван в квитанции.',
      fix: ['Запросите переключение с токеном участника (POST /auth/login).'],
    },
  },
} as const satisfies Record<string, ErrorRow>;
