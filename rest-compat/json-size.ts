import { fail } from '../src/kernel/errors/fail.js';

/** The most that a body may hold: each value costs time to parse and to walk. */
export const JSON_LIMITS = {
  levels: 64,
  /** Objects and lists. */
  containers: 50_000,
  /** Texts, and names of members. */
  strings: 100_000,
  /** Items of lists and members of objects; token arrays are long. */
  items: 2_000_000,
  /** Backslashes: `JSON.parse` takes ten times as long for a letter that is escaped. */
  backslashes: 2_000_000,
} as const;

/** Shorter bodies are parsed in a few milliseconds whatever they hold, and are not measured. */
const SMALL_BYTES = 32_768;

/** What is shorter cannot have more backslashes than are allowed. */
const ESCAPABLE_BYTES = JSON_LIMITS.backslashes;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const LIST_BEGIN = 0x5b;
const LIST_END = 0x5d;
const OBJECT_BEGIN = 0x7b;
const OBJECT_END = 0x7d;

/**
 * Measures a body before it is parsed and refuses it at the first limit. `JSON.parse` takes seconds
 * for megabytes of nested lists or names, and the node answers nobody meanwhile. The inside of a
 * text is skipped, so images and long prompts cost next to nothing.
 * @throws invalid_json
 */
export function requireParsable(bytes: Buffer): void {
  if (bytes.length <= SMALL_BYTES) return;
  if (bytes.length > ESCAPABLE_BYTES) requireFewEscapes(bytes);
  let level = 0;
  let containers = 0;
  let strings = 0;
  let items = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    if (byte === QUOTE) {
      strings += 1;
      if (strings > JSON_LIMITS.strings) fail('invalid_json', { values: { reason: STRINGS } });
      index = endOfString(bytes, index);
    } else if (byte === COMMA) {
      items += 1;
      if (items > JSON_LIMITS.items) fail('invalid_json', { values: { reason: ITEMS } });
    } else if (byte === LIST_BEGIN || byte === OBJECT_BEGIN) {
      level += 1;
      containers += 1;
      if (level > JSON_LIMITS.levels) fail('invalid_json', { values: { reason: LEVELS } });
      if (containers > JSON_LIMITS.containers) {
        fail('invalid_json', { values: { reason: CONTAINERS } });
      }
    } else if (byte === LIST_END || byte === OBJECT_END) level -= 1;
  }
}

function requireFewEscapes(bytes: Buffer): void {
  let backslashes = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    if (bytes[index] === BACKSLASH) backslashes += 1;
  }
  if (backslashes > JSON_LIMITS.backslashes) {
    fail('invalid_json', { values: { reason: BACKSLASHES } });
  }
}

export const LEVELS = 'more than 64 levels';
const STRINGS = 'more than 100000 texts and names';
const CONTAINERS = 'more than 50000 objects and lists';
const ITEMS = 'more than 2000000 items';
const BACKSLASHES = 'more than 2000000 backslashes';

/**
 * The place of the quote that ends a text, or the end of the body if none does. The engine's
 * search is fastest where few quotes are escaped. From the first escaped one on, bytes are read
 * one by one, because a search for each of millions takes longer.
 */
function endOfString(bytes: Buffer, start: number): number {
  const first = bytes.indexOf(QUOTE, start + 1);
  if (first === -1) return bytes.length;
  if (!isEscaped(bytes, first)) return first;
  let place = first + 1;
  while (place < bytes.length && bytes[place] !== QUOTE) {
    place += bytes[place] === BACKSLASH ? 2 : 1;
  }
  return Math.min(place, bytes.length);
}

function isEscaped(bytes: Buffer, place: number): boolean {
  let before = place - 1;
  while (bytes[before] === BACKSLASH) before -= 1;
  return (place - before) % 2 === 0;
}
