import type { ErrorRow } from './row.js';

/** Prompt packages and their use in chat requests. */
export const PROMPT_ERRORS = {} as const satisfies Record<string, ErrorRow>;
