import type { UnreadKind } from '../../kernel/firewall/contents.js';
import { kindOfBytes } from './unread.js';

/** Below this, an image or a sound does not exist, and bytes may be a digest or a key. */
export const FILE_CHARACTERS_MIN = 64;
/** Bytes that nothing names; shorter ones are digests, keys and signatures. */
export const BYTES_CHARACTERS_MIN = 128;
export const HEXADECIMAL = /^(?:[\da-f]+|[\dA-F]+)$/;

/** Signs are judged in windows of this length, so that nothing that surrounds bytes hides them. */
const WINDOW = 256;
/** What fills a file up: zeros, spaces, any three bytes again and again. */
const FILLING = /(.{4})\1{3,}/g;
/** The least parts of capitals, small letters, digits, and neighbours of two kinds in bytes. */
const PARTS_MIN = { capitals: 0.1, small: 0.1, digits: 0.03, turns: 0.3 } as const;

interface UnreadBytes {
  readonly kind: UnreadKind;
  readonly isNameless: boolean;
}

/** What bytes are that no text stands in; undefined for signs that are no bytes, or few of them. */
export function unreadBytes(payload: string): UnreadBytes | undefined {
  const named = payload.length < FILE_CHARACTERS_MIN ? undefined : kindOfBytes(payload);
  if (named) return { kind: named, isNameless: false };
  return isOfBytes(payload) ? { kind: 'file', isNameless: true } : undefined;
}

function isOfBytes(payload: string): boolean {
  if (payload.length < BYTES_CHARACTERS_MIN || HEXADECIMAL.test(payload)) return false;
  return isMixed(payload);
}

/** True where signs are mixed as they are in bytes, and in no path, name or word. */
export function isMixed(payload: string): boolean {
  return hasMixedWindow(payload) || hasMixedWindow(payload.replace(FILLING, ''));
}

function hasMixedWindow(signs: string): boolean {
  const { length } = signs;
  if (length < FILE_CHARACTERS_MIN) return false;
  for (let at = 0; at < length; at += WINDOW) {
    const end = Math.min(at + WINDOW, length);
    if (isMixedWithin(signs, Math.max(0, end - WINDOW), end)) return true;
  }
  return false;
}

function isMixedWithin(signs: string, begin: number, end: number): boolean {
  const counts = [0, 0, 0, 0];
  let turns = 0;
  let before = -1;
  for (let at = begin; at < end; at += 1) {
    const kind = kindOfSign(signs.charCodeAt(at));
    counts[kind] = (counts[kind] ?? 0) + 1;
    if (kind !== before) turns += 1;
    before = kind;
  }
  const size = end - begin;
  const [capitals = 0, small = 0, digits = 0] = counts;
  return (
    capitals >= size * PARTS_MIN.capitals &&
    small >= size * PARTS_MIN.small &&
    digits >= size * PARTS_MIN.digits &&
    turns >= size * PARTS_MIN.turns
  );
}

function kindOfSign(code: number): number {
  if (code >= 65 && code <= 90) return 0;
  if (code >= 97 && code <= 122) return 1;
  return code >= 48 && code <= 57 ? 2 : 3;
}
