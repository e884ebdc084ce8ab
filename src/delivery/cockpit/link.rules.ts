import { timingSafeEqual } from 'node:crypto';
import { isUuid } from '../../kernel/ids.js';
import type { Keyring } from '../../platform/keyring.js';
import { LINK_DAYS } from './vocabulary.js';

/** What a link of a report opens. */
export interface LinkPlace {
  readonly tenantId: string;
  readonly runId: string;
  /** The version of the sharing that it belongs to; a later one makes it void. */
  readonly version: number;
}

const UUID_BYTES = 16;
const VERSION_BYTES = 4;
const PLACE_BYTES = 2 * UUID_BYTES + VERSION_BYTES;
/** 128 bits, which nobody guesses. */
const MARK_BYTES = 16;
const TOKEN = /^[\w-]{70}$/;
const DAY_MS = 86_400_000;

/**
 * The secret part of a link: the place with a mark that only this server can make, so that what
 * was guessed is refused without a look at the database. It is stored nowhere.
 * @returns 70 characters of base64url
 */
export function linkToken(keyring: Keyring, { tenantId, runId, version }: LinkPlace): string {
  const place = Buffer.alloc(PLACE_BYTES);
  place.write(tenantId.replaceAll('-', ''), 0, 'hex');
  place.write(runId.replaceAll('-', ''), UUID_BYTES, 'hex');
  place.writeUInt32BE(version, 2 * UUID_BYTES);
  return Buffer.concat([place, ...marksOf(keyring, place).slice(0, 1)]).toString('base64url');
}

/** What a token opens; undefined for one that this server has not made. */
export function linkPlace(keyring: Keyring, token: string): LinkPlace | undefined {
  if (!TOKEN.test(token)) return undefined;
  const bytes = Buffer.from(token, 'base64url');
  const place = bytes.subarray(0, PLACE_BYTES);
  const mark = bytes.subarray(PLACE_BYTES);
  // Another spelling of the same bytes is no link of ours either.
  if (bytes.toString('base64url') !== token) return undefined;
  if (mark.length !== MARK_BYTES) return undefined;
  if (!marksOf(keyring, place).some((each) => timingSafeEqual(mark, each))) return undefined;
  const tenantId = uuidOf(place.subarray(0, UUID_BYTES));
  const runId = uuidOf(place.subarray(UUID_BYTES, 2 * UUID_BYTES));
  if (!isUuid(tenantId) || !isUuid(runId)) return undefined;
  return { tenantId, runId, version: place.readUInt32BE(2 * UUID_BYTES) };
}

/** When the link of a version ends that was opened at a time. */
export function linkEnd(openedAt: Date): Date {
  return new Date(openedAt.getTime() + LINK_DAYS * DAY_MS);
}

/** What is read of a version of a sharing. */
export interface Sharing {
  readonly version: number;
  readonly createdAt: Date;
  readonly body: { readonly shared: boolean };
}

/** Whether a version opens the report at a time: one that was neither taken back nor has ended. */
export function isOpen<S extends Sharing>(sharing: S | undefined, now: Date): sharing is S {
  return sharing?.body.shared === true && now < linkEnd(sharing.createdAt);
}

function marksOf(keyring: Keyring, place: Uint8Array): readonly Buffer[] {
  return keyring.hmacs('report link', place).map((hash) => hash.subarray(0, MARK_BYTES));
}

function uuidOf(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
