/** When a request that found no slot may ask again, in milliseconds. */
export const SLOT_RETRY_MS = 250;

/**
 * Tokens that may be missing without a refusal. A bucket is refilled in fractions, so after exactly
 * the time that a refusal names, rounding may leave it short by less than this.
 */
export const TOKENS_MISSING_MIN = 1e-6;
