import type { ErrorRow } from './row.js';

/** Blueprints. */
export const BLUEPRINT_ERRORS = {} as const satisfies Record<string, ErrorRow>;
