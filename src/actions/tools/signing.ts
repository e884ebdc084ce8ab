import { hmac } from '../../platform/secrets.js';

/** What a signing secret belongs to. */
export interface SigningPlace {
  readonly tenantId: string;
  readonly toolKey: string;
  /** Counts the rotations, from 1. */
  readonly generation: number;
}

/**
 * The secret that calls of a tool are signed with, in the form of Standard Webhooks. It is derived
 * from the server's secret and stored nowhere; another tenant, key or generation has another one.
 */
export function webhookSecret(secret: string, place: SigningPlace): string {
  const { tenantId, toolKey, generation } = place;
  const bytes = hmac(secret, 'tool signing', [tenantId, toolKey, generation].join('\n'));
  return `whsec_${bytes.toString('base64')}`;
}
