import type { ErrorRow } from './row.js';

/** Migrations from other providers. */
export const MIGRATION_ERRORS = {} as const satisfies Record<string, ErrorRow>;
