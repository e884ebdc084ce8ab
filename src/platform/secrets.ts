import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hash,
  hkdfSync,
  randomBytes,
} from 'node:crypto';
import { LRUCache } from 'lru-cache';

/**
 * The place of a sealed value. It is authenticated with the value, so that a sealed value that is
 * copied to another row, field or tenant does not open there.
 */
export interface SealedPlace {
  /** Null for what belongs to the installation. */
  readonly tenantId: string | null;
  readonly table: string;
  readonly field: string;
  /** The primary key of the row. */
  readonly row: string;
}

/** A sealed value cannot be opened: another secret, another place, or changed bytes. */
export class SealError extends Error {
  override readonly name = 'SealError';
}

const VERSION = 1;
const KEY_ID_BYTES = 4;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + KEY_ID_BYTES + IV_BYTES;
const KEY_BYTES = 32;

const derivedKeys = new LRUCache<string, Buffer>({ max: 100 });

/** One independent key for each purpose (HKDF-SHA-256, RFC 5869). */
function derive(secret: string, purpose: string): Buffer {
  const name = `${purpose}\n${secret}`;
  const known = derivedKeys.get(name);
  if (known) return known;
  const key = Buffer.from(hkdfSync('sha256', secret, '', `gw ${purpose}`, KEY_BYTES));
  derivedKeys.set(name, key);
  return key;
}

/** Names a secret, in the values that are sealed under it, without telling anything about it. */
export function keyIdOf(secret: string): Buffer {
  return derive(secret, 'envelope key id').subarray(0, KEY_ID_BYTES);
}

/** A place as it is authenticated. */
export function placeBytes({ tenantId, table, field, row }: SealedPlace): Buffer {
  return Buffer.from(JSON.stringify([tenantId, table, field, row]), 'utf8');
}

/**
 * Seals bytes for one place with AES-256-GCM under a key from the server's secret. Each call takes
 * a fresh random nonce, so equal values look different.
 * @returns version (1 byte), key id (4), nonce (12), authentication tag (16), ciphertext
 */
export function sealBytes(secret: string, place: SealedPlace, bytes: Uint8Array): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', derive(secret, 'envelope'), iv);
  cipher.setAAD(placeBytes(place));
  const body = [cipher.update(bytes), cipher.final()];
  return Buffer.concat([Buffer.of(VERSION), keyIdOf(secret), iv, cipher.getAuthTag(), ...body]);
}

/**
 * Opens what `sealBytes` sealed for the same place.
 * @throws SealError when it was sealed under another secret or for another place, or was changed
 */
export function openBytes(secret: string, place: SealedPlace, sealed: Uint8Array): Buffer {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  if (bytes.length < HEADER_BYTES + TAG_BYTES || bytes[0] !== VERSION) {
    throw new SealError('this is not a sealed value');
  }
  const keyId = bytes.subarray(1, 1 + KEY_ID_BYTES);
  if (!keyId.equals(keyIdOf(secret))) {
    throw new SealError(`sealed under another secret, whose id is ${keyId.toString('hex')}`);
  }
  const iv = bytes.subarray(1 + KEY_ID_BYTES, HEADER_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', derive(secret, 'envelope'), iv);
  decipher.setAAD(placeBytes(place));
  decipher.setAuthTag(bytes.subarray(HEADER_BYTES, HEADER_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([
      decipher.update(bytes.subarray(HEADER_BYTES + TAG_BYTES)),
      decipher.final(),
    ]);
  } catch (error) {
    throw new SealError('the sealed value was changed or belongs to another place', {
      cause: error,
    });
  }
}

/** The first 96 bits of a hash, in base64url. */
const SHORT_HASH_CHARACTERS = 16;

/**
 * Short keyed hashes of texts, for telling equal ones: 96 bits of SHA-256 over key and text. Cut
 * off like this it cannot be extended, and it takes a third of the time of an HMAC.
 * @returns what makes 16 characters of base64url of a text
 */
export function shortHasher(secret: string, purpose: string): (text: string) => string {
  const key = derive(secret, `short hash ${purpose}`).toString('base64url');
  return (text) => hash('sha256', key + text, 'base64url').slice(0, SHORT_HASH_CHARACTERS);
}

/** HMAC-SHA-256 under a key of its own for each purpose, so that no two uses share values. */
export function hmac(secret: string, purpose: string, bytes: Uint8Array | string): Buffer {
  return hmacUnder(hmacKey(secret, purpose), bytes);
}

/** The key of `hmac`. */
export function hmacKey(secret: string, purpose: string): Buffer {
  return derive(secret, `hmac ${purpose}`);
}

/** HMAC-SHA-256. */
export function hmacUnder(key: Uint8Array, bytes: Uint8Array | string): Buffer {
  return createHmac('sha256', key).update(bytes).digest();
}

/** The id of the secret that a value is sealed under, in hexadecimal. */
export function sealedUnder(sealed: Uint8Array): string {
  return Buffer.from(sealed.subarray(1, 1 + KEY_ID_BYTES)).toString('hex');
}
