import { MICRO_PER_RUB } from '../../kernel/money.js';
import { vocabulary } from '../../kernel/vocabulary.js';

/** Whether an API key works. */
export const KEY_STATUSES = vocabulary('ApiKeyStatus', 'Whether an API key works.', [
  { code: 'active', description: 'Requests with the key are served.' },
  { code: 'revoked', description: 'The key was revoked; requests with it are refused for ever.' },
]);

/** Bounds of what a key can be limited by. Amounts in micro-rubles. */
export const KEY_BOUNDS = {
  modelsMax: 200,
  addressesMax: 100,
  budgetMicroMax: 1_000_000_000n * MICRO_PER_RUB,
  expiryDaysMax: 3_650,
  graceSecondsDefault: 86_400,
  graceSecondsMax: 2_592_000,
  /** Secrets of one key that work at once, the present one among them. */
  secretsMax: 5,
  /** Keys from one that a member has made to one that keys have made, both ends counted. */
  lineMax: 8,
} as const;
