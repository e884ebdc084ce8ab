import type { ErrorRow } from './row.js';

/** Tools and their calls. */
export const TOOL_ERRORS = {} as const satisfies Record<string, ErrorRow>;
