/** Whether an API key works. */
export const KEY_STATUSES = [
  { code: 'active', description: 'Requests with the key are served.' },
  { code: 'revoked', description: 'The key was revoked; requests with it are refused for ever.' },
] as const;

/** The status of an API key. */
export type KeyStatus = (typeof KEY_STATUSES)[number]['code'];
