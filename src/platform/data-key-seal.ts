import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { placeBytes, SealError, type SealedPlace } from './secrets.js';

/** Told apart by its first byte from what is sealed under the secret of the installation. */
const VERSION = 2;
const ID_BYTES = 16;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + ID_BYTES + IV_BYTES;
/** How long a data key is, in bytes. */
export const DATA_KEY_BYTES = 32;

/** A data key with the id of its row. */
export interface DataKey {
  readonly id: string;
  readonly bytes: Uint8Array;
}

/**
 * Seals bytes for one place with AES-256-GCM under a data key. NIST SP 800-38D allows 2^32 random
 * nonces under one key, which no organization writes.
 * @returns version (1 byte), id of the key (16), nonce (12), authentication tag (16), ciphertext
 */
export function sealUnder(key: DataKey, place: SealedPlace, bytes: Uint8Array): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key.bytes, iv);
  cipher.setAAD(placeBytes(place));
  const body = [cipher.update(bytes), cipher.final()];
  const id = Buffer.from(key.id.replaceAll('-', ''), 'hex');
  return Buffer.concat([Buffer.of(VERSION), id, iv, cipher.getAuthTag(), ...body]);
}

/**
 * The id of the data key that a value is sealed under.
 * @throws SealError when it is no sealed value
 */
export function dataKeyIdOf(sealed: Uint8Array): string {
  if (sealed.length < HEADER_BYTES + TAG_BYTES || sealed[0] !== VERSION) {
    throw new SealError('this is not a value sealed under a data key');
  }
  const hex = Buffer.from(sealed.subarray(1, 1 + ID_BYTES)).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/**
 * Opens what `sealUnder` sealed for the same place.
 * @throws SealError when it was sealed for another place or under another key, or was changed
 */
export function openUnder(key: DataKey, place: SealedPlace, sealed: Uint8Array): Buffer {
  if (dataKeyIdOf(sealed) !== key.id) throw new SealError('sealed under another data key');
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  const iv = bytes.subarray(1 + ID_BYTES, HEADER_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key.bytes, iv);
  decipher.setAAD(placeBytes(place));
  decipher.setAuthTag(bytes.subarray(HEADER_BYTES, HEADER_BYTES + TAG_BYTES));
  try {
    const body = decipher.update(bytes.subarray(HEADER_BYTES + TAG_BYTES));
    return Buffer.concat([body, decipher.final()]);
  } catch (cause) {
    throw new SealError('the sealed value was changed or belongs to another place', { cause });
  }
}
