import { z } from 'zod';
import { dataFile, PATTERN, WORDS } from '../../platform/data-file.js';
import { wordsOf } from './observation.js';

const FILE = z.strictObject({ words: WORDS, prefixes: PATTERN });
const { words, prefixes } = dataFile('src/delivery/migration-import/secret-shapes.yaml', FILE);

/** Secrets that say by their beginning what they are. */
export const KNOWN_PREFIXES = prefixes;

const SECRET_ENDING = /(?:key|token|secret|password|passwd|pwd)s?$/;
/** Words that end like a secret and are names of counts. */
const COUNTS = new Set(['tokens']);

/** True for names under which secrets stand: keys, tokens, passwords, in any spelling. */
export function isSecretName(name: string): boolean {
  return wordsOf(name).some(
    (word) => words.has(word) || (SECRET_ENDING.test(word) && !COUNTS.has(word)),
  );
}

const OPAQUE_LENGTH_MIN = 20;
const HEX_MIN = 16;
const DIGITS_MAX = 11;
const HUMP_MAX = 18;
const SEGMENT_MIN = 12;
/** Changes between letters in either case and digits, for each character: words have few. */
const CHANGES_MAX = 0.25;
const WORD_CHANGES_MAX = 0.21;
const SHORT_CHANGES_MAX = 0.2;
const VOWELS_MIN = 0.22;

const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/i;

/** True for a run of characters that no person has written: what keys and tokens look like. */
export function isOpaque(run: string): boolean {
  if (run.length < OPAQUE_LENGTH_MIN) return false;
  if (UUID.test(run)) return true;
  const segments = run.split(/[^A-Za-z0-9]+/).filter(Boolean);
  return segments.some(isOpaqueSegment) || isOpaqueTogether(segments);
}

function isOpaqueSegment(segment: string): boolean {
  if (segment.length < SEGMENT_MIN) return false;
  if (/^\d+$/.test(segment)) return segment.length > DIGITS_MAX;
  if (segment.length >= HEX_MIN && /^(?=.*\d)[0-9a-f]+$/i.test(segment)) return true;
  if (/\d/.test(segment)) return changesIn(segment) / segment.length > CHANGES_MAX;
  return segment.length >= HEX_MIN && !readsAsWords(segment);
}

function readsAsWords(letters: string): boolean {
  const humps = letters.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? [];
  if (humps.some((hump) => hump.length > HUMP_MAX)) return false;
  if (/[bcdfghjklmnpqrstvwxz]{6}/i.test(letters)) return false;
  const vowels = letters.match(/[aeiouy]/gi)?.length ?? 0;
  return (
    changesIn(letters) / letters.length <= WORD_CHANGES_MAX && vowels / letters.length >= VOWELS_MIN
  );
}

/** A secret with separators inside has short segments, each too short to tell alone. */
function isOpaqueTogether(segments: readonly string[]): boolean {
  const mixed = segments.filter(
    (segment) => segment.length >= 4 && /\d/.test(segment) && /[a-z]/i.test(segment),
  );
  const odd = mixed.filter((segment) => changesIn(segment) / segment.length > SHORT_CHANGES_MAX);
  return odd.reduce((sum, { length }) => sum + length, 0) >= SEGMENT_MIN;
}

function changesIn(text: string): number {
  let changes = 0;
  let previous = '';
  for (const character of text) {
    const now = /\d/.test(character) ? '0' : /[A-Z]/.test(character) ? 'A' : 'a';
    // A capital before small letters begins a word; that is no change.
    if (previous !== '' && now !== previous && !(previous === 'A' && now === 'a')) changes += 1;
    previous = now;
  }
  return changes;
}
