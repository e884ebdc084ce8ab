import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { Keyring } from '../../platform/keyring.js';
import type { SealedPlace } from '../../platform/secrets.js';

/** The key pair of a published log; witnesses know the log by it, so it is never rotated. */
export interface NewLogKey {
  /** The 32 bytes of RFC 8032. */
  readonly publicKey: Buffer;
  /** PKCS #8, sealed for the row of the publication. */
  readonly privateSealed: Buffer;
}

/** Where the private key of a publication is sealed for. */
export function placeOfLogKey(tenantId: string, publicationId: string): SealedPlace {
  return { tenantId, table: 'log_publication', field: 'private_sealed', row: publicationId };
}

/** Makes the key of a publication, sealed under the secret of the installation. */
export function newLogKey(keyring: Keyring, tenantId: string, publicationId: string): NewLogKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const body = privateKey.export({ format: 'der', type: 'pkcs8' });
  const privateSealed = keyring.seal(placeOfLogKey(tenantId, publicationId), body);
  return { publicKey: Buffer.from(x, 'base64url'), privateSealed };
}

/**
 * Opens the private key of a publication.
 * @throws SealError when it was sealed for another one or under another secret
 */
export function openLogKey(
  keyring: Keyring,
  {
    tenantId,
    id,
    privateSealed,
  }: {
    readonly tenantId: string;
    readonly id: string;
    readonly privateSealed: Uint8Array;
  },
): KeyObject {
  const key = keyring.open(placeOfLogKey(tenantId, id), privateSealed);
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
}
