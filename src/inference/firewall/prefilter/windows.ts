import { INJECTION_ANCHORS } from '../detectors/injection.js';
import { SECRET_ANCHORS } from '../detectors/secrets.js';
import { LOOK_ALIKE_PAIRS } from '../look-alikes.js';
import { WORDS } from '../words.js';
import { CONDITIONAL_ANCHORS } from './conditions.js';
import { DIGIT, extend, FIRST_CYRILLIC, FOLD, hashOf, OTHER, UNITS } from './folds.js';
import { SIGNAL } from './signals.js';

const ALL_FOLDS: readonly number[] = Array.from({ length: 64 }, (_, fold) => fold);

const isLetterOrDigit = (fold: number) => fold !== OTHER && (fold <= DIGIT || fold >= 32);

/** Every fold that is no letter: words may touch digits. */
const BOUNDARIES = ALL_FOLDS.filter((fold) => fold === DIGIT || !isLetterOrDigit(fold));

/** A Latin letter that looks like a Russian one stands for it in forms and scans. */
const LOOK_ALIKES = new Map(
  [...LOOK_ALIKE_PAIRS].map(([russian, latin]) => [foldsOf(russian)[0], foldsOf(latin)[0]]),
);

function foldsOf(text: string): number[] {
  return [...text].map((character) => (UNITS[character.charCodeAt(0)] ?? OTHER) & FOLD);
}

/** The folds that may stand at each of four places. */
export type Shape = readonly (readonly number[])[];

/**
 * What an anchor's first four characters look like; a shorter one begins a word. `|` stands for
 * whatever is no letter; behind `~` Latin letters stand for Russian ones that look the same.
 */
function shapeOf(written: string, boundaries: readonly number[] = BOUNDARIES): Shape {
  const hasLookAlikes = written.startsWith('~');
  const anchor = hasLookAlikes ? written.slice(1) : written;
  const marks = anchor.length > 1 && anchor.includes('|') && !anchor.startsWith('<');
  const folds = marks
    ? [...anchor].map((mark) => (mark === '|' ? boundaries : foldsOf(mark)))
    : foldsOf(anchor.slice(0, 4)).map((fold) =>
        hasLookAlikes ? [fold, ...alikeOf(fold)] : [fold],
      );
  const before = ALL_FOLDS.filter((fold) => anchor.startsWith(':') || !isLetterOrDigit(fold));
  return [...Array(4 - folds.length).fill(before), ...folds];
}

function alikeOf(fold: number): readonly number[] {
  const alike = LOOK_ALIKES.get(fold);
  return alike === undefined ? [] : [alike];
}

function windowsOf(shape: Shape): number[] {
  return shape.reduce<number[]>(
    (windows, folds) => windows.flatMap((window) => folds.map((fold) => extend(window, fold))),
    [0],
  );
}

/** Ends of patronymics, with their cases. A Latin letter ends a Russian word as a space does. */
const NAME_ANCHORS = [
  ...['вич|', 'вича', 'вичу', 'виче', 'вна|', 'вны|', 'вне|', 'вну|', 'вной', 'вною'],
  ...['льич', 'ьмич', 'фоми', 'укич', 'икит', 'авви', 'инич', 'оглы', 'кызы'],
];
const NAME_ENDS = ALL_FOLDS.filter((fold) => fold < FIRST_CYRILLIC);
const PLATE_LETTERS = 'авекмнорстухabekmhopctyx';
/** Three digits and a letter; see `isPlateLike`. */
const PLATE_SHAPE: Shape = [[DIGIT], [DIGIT], [DIGIT], foldsOf(PLATE_LETTERS)];
/** `at` and `эт` in brackets, see `isBracketed`, and the word for a dot behind a plain `at`. */
const SPELT_ANCHORS = ['|at|', '|эт|', '|ат|', '|dot'];

const shapesOf = (anchors: readonly string[]) => anchors.map((anchor) => shapeOf(anchor));

/** What all anchors look like, and what they are a signal of. */
export const SHAPES: readonly (readonly [shape: Shape, signal: number])[] = [
  ...shapesOf(SECRET_ANCHORS).map((shape) => [shape, SIGNAL.secret] as const),
  ...shapesOf(INJECTION_ANCHORS).map((shape) => [shape, SIGNAL.injection] as const),
  ...shapesOf(WORDS.anchors.documents).map((shape) => [shape, SIGNAL.document] as const),
  ...NAME_ANCHORS.map((anchor) => [shapeOf(anchor, NAME_ENDS), SIGNAL.name] as const),
  [PLATE_SHAPE, SIGNAL.plate],
  ...shapesOf(SPELT_ANCHORS).map((shape) => [shape, SIGNAL.spelt] as const),
  ...shapesOf(WORDS.anchors.handles).map((shape) => [shape, SIGNAL.handle] as const),
  ...shapesOf(WORDS.anchors.addresses).map((shape) => [shape, SIGNAL.address] as const),
  ...CONDITIONAL_ANCHORS.map(({ anchor, signal }) => [shapeOf(anchor), signal] as const),
];

/** Signals by the hash of windows: most characters of a text end at this look-up. */
export const SIGNALS_BY_HASH = new Uint8Array(0x10000);
for (const [shape, signal] of SHAPES) {
  for (const window of windowsOf(shape)) {
    const hash = hashOf(window);
    SIGNALS_BY_HASH[hash] = (SIGNALS_BY_HASH[hash] ?? 0) | signal;
  }
}

/** What a window is: the signals that it is enough for, and the conditions of others. */
interface Meaning {
  readonly signals: number;
  readonly conditions: readonly (typeof CONDITIONAL_ANCHORS)[number][];
}

const MEANINGS = new Map<number, Meaning>();
const meaningOf = (window: number) => MEANINGS.get(window) ?? { signals: 0, conditions: [] };
for (const [shape, signal] of SHAPES.slice(0, -CONDITIONAL_ANCHORS.length)) {
  for (const window of windowsOf(shape)) {
    const known = meaningOf(window);
    MEANINGS.set(window, { ...known, signals: known.signals | signal });
  }
}
for (const row of CONDITIONAL_ANCHORS) {
  for (const window of windowsOf(shapeOf(row.anchor))) {
    const known = meaningOf(window);
    MEANINGS.set(window, { ...known, conditions: [...known.conditions, row] });
  }
}

function isUpperCyrillic(code: number): boolean {
  return (code >= 0x410 && code <= 0x42f) || code === 0x401;
}

function isCyrillic(code: number): boolean {
  return (code >= 0x410 && code <= 0x44f) || code === 0x401 || code === 0x451;
}

/** More letters than a patronymic with its case has. */
const WORD_LETTERS_MAX = 32;

/**
 * True where the word that ends at a place, or just before it, begins with a capital. One that is
 * longer than any patronymic is not followed to its beginning: a text may be one word.
 */
function isCapitalised(text: string, place: number): boolean {
  let start = isCyrillic(text.charCodeAt(place)) ? place : place - 1;
  const last = Math.max(0, start - WORD_LETTERS_MAX);
  while (start > last && isCyrillic(text.charCodeAt(start - 1))) start -= 1;
  return isUpperCyrillic(text.charCodeAt(start));
}

/** True where a letter of plates stands before the three digits that end before a place. */
function isPlateLike(text: string, place: number): boolean {
  const before = text.charAt(place - 4).toLowerCase();
  return before !== '' && PLATE_LETTERS.includes(before);
}

/** True where a bracket opens before the word that ends before a place. */
function isBracketed(text: string, place: number): boolean {
  return '([{<'.includes(text.charAt(place - 3));
}

/** Common letters such as `вне ` mean something only in the right surroundings. */
function confirmed(bits: number, text: string, place: number): number {
  let kept = bits;
  // Of the ends that the table knows, only `оглы` and `кызы`, which follow the name, end in ы.
  if (bits & SIGNAL.name && text.charAt(place) !== 'ы' && !isCapitalised(text, place)) {
    kept &= ~SIGNAL.name;
  }
  if (bits & SIGNAL.plate && !isPlateLike(text, place)) kept &= ~SIGNAL.plate;
  if (bits & SIGNAL.spelt && /[^а-яёa-z]/i.test(text.charAt(place)) && !isBracketed(text, place)) {
    kept &= ~SIGNAL.spelt;
  }
  return kept;
}

const JUDGED = SIGNAL.name | SIGNAL.plate | SIGNAL.spelt;

/** What the four characters that end at a place may belong to. */
export function anchoredAt(text: string, place: number, window: number): number {
  const meaning = MEANINGS.get(window);
  if (meaning === undefined) return 0;
  let bits = meaning.signals & JUDGED ? confirmed(meaning.signals, text, place) : meaning.signals;
  for (const { signal, behind } of meaning.conditions) {
    behind.lastIndex = place + 1;
    if (behind.test(text)) bits |= signal;
  }
  return bits;
}
