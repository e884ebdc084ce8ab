import { hmac } from '../../platform/secrets.js';

/** What a secret belongs to. */
export interface SecretPlace {
  readonly tenantId: string;
  readonly endpointId: string;
  /** Counts the rotations, from 1. */
  readonly generation: number;
}

/**
 * The secret that messages to an endpoint are signed with, in the form of Standard Webhooks. It is
 * derived from the server's secret and stored nowhere.
 */
export function endpointSecret(serverSecret: string, place: SecretPlace): string {
  const { tenantId, endpointId, generation } = place;
  const said = [tenantId, endpointId, generation].join('\n');
  return `whsec_${hmac(serverSecret, 'webhook signing', said).toString('base64')}`;
}
