import { FINDING_CLASSES, type FirewallModes } from '../../kernel/firewall/vocabulary.js';
import { LABEL_CHARS } from './context.js';
import { PLACEHOLDER } from './mask.js';
import { scan } from './scan.js';

/** Whatever identifies a person or opens a door is replaced; injection markers are not secret. */
export const MASK_EVERYTHING = Object.fromEntries(
  FINDING_CLASSES.map(({ code }) => [code, code === 'prompt_injection' ? 'off' : 'mask']),
) as FirewallModes;

/** A part of a text, in UTF-16 code units, end exclusive. */
interface Part {
  readonly start: number;
  readonly end: number;
}

/** How far a cut has to keep from a value, so that the words that name it stay beside it. */
interface Margins {
  readonly before: number;
  readonly after: number;
}

/** Words around a value say what it is, so that much of the text is read on both sides of a cut. */
const AROUND_CHARS = 2_000;

/** A character of two code units. */
const PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;

const NO_WORDS: Margins = { before: 0, after: 0 };
/** Of a beginning, only the words behind a value are cut off. */
const WORDS_BEHIND: Margins = { before: 0, after: LABEL_CHARS };
const WORDS_AROUND: Margins = { before: LABEL_CHARS, after: LABEL_CHARS };

/**
 * What a cut near a place must not split: a placeholder, one character of two code units, and a
 * value that the firewall finds, together with the words that make it found.
 */
function unsplittable(text: string, at: number, { before, after }: Margins): readonly Part[] {
  const offset = Math.max(0, at - AROUND_CHARS);
  const read = text.slice(offset, at + AROUND_CHARS);
  const parts: readonly Part[] = [
    ...scan(read, MASK_EVERYTHING).map(({ start, end }) => ({
      start: start - before,
      end: end + after,
    })),
    ...[...read.matchAll(PLACEHOLDER), ...read.matchAll(PAIR)].map(({ 0: { length }, index }) => ({
      start: index,
      end: index + length,
    })),
  ];
  return parts.map(({ start, end }) => ({ start: offset + start, end: offset + end }));
}

/** The last place, not behind the given one, at which no part is split; 0 or less without one. */
function placeBefore(parts: readonly Part[], given: number): number {
  let place = given;
  for (;;) {
    const split = parts.filter(({ start, end }) => start < place && place < end);
    if (split.length === 0 || place <= 0) return place;
    place = Math.min(...split.map(({ start }) => start));
  }
}

function placeBehind(parts: readonly Part[], given: number): number {
  const split = parts.filter(({ start, end }) => start < given && given < end);
  return Math.max(given, ...split.map(({ end }) => end));
}

/**
 * The beginning of a text, at most `length` code units of it: it ends inside of no placeholder, of
 * no character, and of no value that the firewall finds with the words behind it, so that it can
 * still be masked.
 */
export function beginningOf(text: string, length: number): string {
  if (text.length <= length) return text;
  return text.slice(0, Math.max(0, placeBefore(unsplittable(text, length, WORDS_BEHIND), length)));
}

/**
 * A text in pieces of at most `length` code units. They split no value that the firewall finds;
 * only one that is longer by itself makes a longer piece. They part no value from the words around
 * it either, unless such words and values leave no place for a cut.
 */
export function piecesOf(text: string, length: number): string[] {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > length) {
    const cut = placeOfCut(rest, length);
    pieces.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  return rest === '' ? pieces : [...pieces, rest];
}

function placeOfCut(text: string, length: number): number {
  const besideWords = placeBefore(unsplittable(text, length, WORDS_AROUND), length);
  if (besideWords > 0) return besideWords;
  const values = unsplittable(text, length, NO_WORDS);
  const besideValues = placeBefore(values, length);
  return besideValues > 0 ? besideValues : placeBehind(values, length);
}

/** The longest value of a few words that an answer may end in the middle of. */
const TAIL_CHARS = 80;

/**
 * A text that whoever wrote it has cut, without the piece that the cut may have split: its last
 * word, and groups of digits in front of that one.
 */
export function withoutSplitEnd(text: string): string {
  const at = Math.max(0, text.length - TAIL_CHARS);
  return text.slice(0, at) + text.slice(at).replace(/(?:[+\d()-]+\s+)*\S*$/u, '');
}
