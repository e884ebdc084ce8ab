import type { ErrorRow } from './row.js';

/** Migrations from other providers. */
export const MIGRATION_ERRORS = {
  migration_key_taken: {
    status: 409,
    type: 'conflict_error',
    message: 'A migration with the key {key} exists.',
    cause: 'The key of a migration is unique in the organization.',
    fix: ['Use the migration that exists (GET /v1/gw/migration/projects), or another key.'],
  },
} as const satisfies Record<string, ErrorRow>;
