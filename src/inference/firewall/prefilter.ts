import { INJECTION_ANCHORS } from './detectors/injection.js';
import { SECRET_ANCHORS } from './detectors/secrets.js';
import { UNUSUAL, unusualBit } from './plain-view.js';
import { WORDS } from './words.js';

/** Bits for what a text may hold; a missing bit is a proof that it does not. */
export const SIGNAL = {
  digits: 1,
  at: 2,
  secret: 4,
  injection: 8,
  document: 16,
  name: 32,
  plate: 64,
  spelt: 128,
  /** Invisible characters or foreign digits: judge the plain view instead. */
  hidden: 256,
  /** Spaces and dashes of typesetting, which the plain view makes plain. */
  typeset: 512,
} as const;

/** The shortest identifier that needs no word beside it has this many digits without letters. */
const FEWEST_DIGITS = 10;
/** The shortest one that a word names: the year of a birth. */
const FEWEST_NAMED = 4;

const OTHER = 0;
const DIGIT = 27;
const AT = 28;
const FIRST_CYRILLIC = 32;
const PUNCTUATION = new Map([
  ['_', 29],
  ['-', 29],
  ['.', 29],
  [':', 30],
  ['|', 31],
  ['<', 31],
  ['[', 31],
]);

/** The fold of a character: letters lose their case, rare characters become one. Below 64. */
function foldOf(code: number): number {
  const character = String.fromCharCode(code).toLowerCase();
  const lower = character.charCodeAt(0);
  if (lower >= 97 && lower <= 122) return lower - 96;
  if (lower >= 48 && lower <= 57) return DIGIT;
  if (character === '@') return AT;
  if (character === 'ё') return FIRST_CYRILLIC + 5;
  if (lower >= 0x430 && lower <= 0x44f) return FIRST_CYRILLIC + lower - 0x430;
  return PUNCTUATION.get(character) ?? OTHER;
}

const FOLDED = 0x500;
/**
 * Folds of the common code units, with the UNUSUAL bits above the six of the fold. The table is
 * small so that it stays in the nearest cache; the bits of rarer characters have a table apart.
 */
const FOLDS = Uint8Array.from({ length: FOLDED }, (_, code) => foldOf(code) | unusualBit(code));
const RARE = Uint8Array.from({ length: 0x10000 }, (_, code) => unusualBit(code));
const FOLD = 63;

/** The last four folds, six bits each. */
function extend(window: number, fold: number): number {
  return ((window << 6) | fold) & 0xffffff;
}

/** A place in the table of 2^16 for four folds. */
function bucketOf(window: number): number {
  return Math.imul(window, 0x9e3779b1) >>> 16;
}

const isLetterOrDigit = (fold: number) => fold !== OTHER && (fold <= DIGIT || fold >= 32);

/** Every fold that is no letter: words may touch digits. */
const BOUNDARIES = Array.from({ length: 64 }, (_, fold) => fold).filter(
  (fold) => fold === DIGIT || !isLetterOrDigit(fold),
);

function foldsOf(text: string): number[] {
  return [...text].map((character) => (FOLDS[character.charCodeAt(0)] ?? OTHER) & FOLD);
}

/**
 * The windows in which an anchor's first four characters end; a shorter one begins a word. `|`
 * stands for whatever is no letter.
 */
function windowsOf(anchor: string): number[] {
  const marks = anchor.length > 1 && anchor.includes('|') && !anchor.startsWith('<');
  const folds: (number | undefined)[] = marks
    ? anchor.split('').map((mark) => (mark === '|' ? undefined : foldsOf(mark)[0]))
    : foldsOf(anchor.slice(0, 4));
  let heads = [0];
  for (let missing = folds.length; missing < 4; missing += 1) {
    heads = heads.flatMap((head) =>
      Array.from({ length: 64 }, (_, fold) => fold)
        .filter((fold) => anchor.startsWith(':') || !isLetterOrDigit(fold))
        .map((fold) => extend(head, fold)),
    );
  }
  return folds.reduce<number[]>(
    (windows, fold) =>
      windows.flatMap((window) =>
        (fold === undefined ? BOUNDARIES : [fold]).map((each) => extend(window, each)),
      ),
    heads,
  );
}

/** Ends of patronymics, with their cases. */
const NAME_ENDS = [
  ...['вич|', 'вича', 'вичу', 'виче', 'вна|', 'вны|', 'вне|', 'вну|', 'вной', 'вною'],
  ...['льич', 'ьмич', 'фоми', 'укич', 'икит', 'авви', 'инич', 'оглы', 'кызы'],
];
/** A Latin letter ends a Russian word as a space does. */
const NAME_ANCHORS = NAME_ENDS.flatMap((end) =>
  end.endsWith('|')
    ? [end, ...[...'abcdefghijklmnopqrstuvwxyz'].map((letter) => end.slice(0, -1) + letter)]
    : [end],
);
const PLATE_LETTERS = 'авекмнорстухabekmhopctyx';
/** Three digits and a letter; see `isPlateLike`. */
const PLATE_ANCHORS = [...PLATE_LETTERS].map((letter) => `000${letter}`);
/** Words that stand for `@`, and `at` in brackets, see `isBracketed`. */
const SPELT_ANCHORS = ['соба', '|at|', '|эт|', '|ат|', '|dot'];

/** Signals by four folds. */
const SIGNALS = new Map<number, number>();
/** One where SIGNALS may have an entry: most characters of a text end at this look-up. */
const BUCKETS = new Uint8Array(0x10000);
for (const [signal, anchors] of [
  [SIGNAL.secret, SECRET_ANCHORS],
  [SIGNAL.injection, INJECTION_ANCHORS],
  [SIGNAL.document, WORDS.documents],
  [SIGNAL.name, NAME_ANCHORS],
  [SIGNAL.plate, PLATE_ANCHORS],
  [SIGNAL.spelt, SPELT_ANCHORS],
] as const) {
  for (const window of anchors.flatMap(windowsOf)) {
    SIGNALS.set(window, (SIGNALS.get(window) ?? 0) | signal);
    BUCKETS[bucketOf(window)] = 1;
  }
}

function isUpperCyrillic(code: number): boolean {
  return (code >= 0x410 && code <= 0x42f) || code === 0x401;
}

function isCyrillic(code: number): boolean {
  return (code >= 0x410 && code <= 0x44f) || code === 0x401 || code === 0x451;
}

/** True where the word that ends at a place, or just before it, begins with a capital. */
function isCapitalised(text: string, place: number): boolean {
  let start = isCyrillic(text.charCodeAt(place)) ? place : place - 1;
  while (start > 0 && isCyrillic(text.charCodeAt(start - 1))) start -= 1;
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
function anchoredAt(text: string, place: number, window: number): number {
  const bits = SIGNALS.get(window) ?? 0;
  return bits & JUDGED ? confirmed(bits, text, place) : bits;
}

/**
 * One pass over a text that decides which detectors have to look at it, at about three nanoseconds
 * a character: most texts need none.
 */
export function signalsOf(text: string): number {
  let signals = 0;
  let window = 0;
  let digits = 0;
  let uninterrupted = 0;
  let unusual = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    let fold = (code < FOLDED ? FOLDS[code] : RARE[code]) as number;
    if (fold > FOLD) {
      unusual |= fold;
      fold &= FOLD;
    }
    window = extend(window, fold);
    if (BUCKETS[bucketOf(window)] !== 0) signals |= anchoredAt(text, index, window);
    if (fold === DIGIT) {
      digits += 1;
      uninterrupted += 1;
      if (uninterrupted >= FEWEST_DIGITS) signals |= SIGNAL.digits;
    } else if (fold === AT) signals |= SIGNAL.at;
    else if (fold !== OTHER && (fold < DIGIT || fold >= FIRST_CYRILLIC)) uninterrupted = 0;
  }
  signals |= anchoredAt(text, text.length, extend(window, OTHER));
  if (digits < FEWEST_NAMED) signals &= ~SIGNAL.document;
  if (unusual & UNUSUAL.hidden) signals |= SIGNAL.hidden;
  if (unusual & UNUSUAL.typeset) signals |= SIGNAL.typeset;
  return signals;
}
