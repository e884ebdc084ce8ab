import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Keyring } from '../../platform/keyring.js';

/** Every API key begins so. */
export const KEY_PREFIX = 'gw_sk_';
/** Every ephemeral token begins so. */
export const TOKEN_PREFIX = 'gw_et_';
/** So much of the beginning of a key is shown, to recognise it. */
export const SHOWN_PREFIX_LENGTH = KEY_PREFIX.length + 4;

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const SHAPE = new RegExp(
  `^(?:${KEY_PREFIX}|${TOKEN_PREFIX})[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`,
);

/** A new key: prefix, 256 random bits in base 62, and their CRC-32. It is never stored. */
export function newKey(): string {
  return secret(KEY_PREFIX);
}

/** A new ephemeral token, made as keys are. */
export function newToken(): string {
  return secret(TOKEN_PREFIX);
}

function secret(prefix: string): string {
  const number = BigInt(`0x${randomBytes(32).toString('hex')}`);
  const body = prefix + base62(number, SECRET_LENGTH);
  return body + checksum(body);
}

/** True for the shape and the checksum of a key or token: a typo is refused without a look-up. */
export function isWellFormedKey(text: string): boolean {
  if (!SHAPE.test(text)) return false;
  const body = text.slice(0, -CHECKSUM_LENGTH);
  return checksum(body) === text.slice(-CHECKSUM_LENGTH);
}

/** Hashes keys under a pepper that only the server has, so that a copied table opens nothing. */
export function keyHasher(keyring: Keyring): (key: string) => Buffer {
  return (key) => keyring.hmac('api key', key);
}

/** All hashes under which a key may be stored: also those of a secret that is being replaced. */
export function keyHashes(keyring: Keyring): (key: string) => readonly Buffer[] {
  return (key) => keyring.hmacs('api key', key);
}

function checksum(body: string): string {
  return base62(BigInt(crc32(body)), CHECKSUM_LENGTH);
}

function base62(value: bigint, length: number): string {
  let rest = value;
  let text = '';
  while (text.length < length) {
    text = (ALPHABET[Number(rest % 62n)] ?? '') + text;
    rest /= 62n;
  }
  return text;
}
