import type { ErrorRow } from './row.js';

/** Actions of integrations. */
export const INTEGRATION_ERRORS = {} as const satisfies Record<string, ErrorRow>;
