import type { Keyring } from '../../platform/keyring.js';
import { type Secrets, whsec } from '../webhook/secrets.js';

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
export function webhookSecrets(keyring: Keyring, place: SigningPlace): Secrets {
  const { tenantId, toolKey, generation } = place;
  return whsec(keyring.hmacs('tool signing', [tenantId, toolKey, generation].join('\n')));
}
