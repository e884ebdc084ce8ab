import type { Keyring } from '../../platform/keyring.js';
import { type Secrets, whsec } from '../webhook/secrets.js';

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
export function endpointSecrets(keyring: Keyring, place: SecretPlace): Secrets {
  const { tenantId, endpointId, generation } = place;
  const said = [tenantId, endpointId, generation].join('\n');
  return whsec(keyring.hmacs('webhook signing', said));
}
