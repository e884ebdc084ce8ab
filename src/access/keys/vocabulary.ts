import { vocabulary } from '../../kernel/vocabulary.js';

/** Whether an API key works. */
export const KEY_STATUSES = vocabulary('ApiKeyStatus', 'Whether an API key works.', [
  { code: 'active', description: 'Requests with the key are served.' },
  { code: 'revoked', description: 'The key was revoked; requests with it are refused for ever.' },
]);
