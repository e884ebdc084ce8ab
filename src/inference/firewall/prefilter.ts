import { INJECTION_ANCHORS } from './detectors/injection.js';
import { SECRET_ANCHORS } from './detectors/secrets.js';

/** Bits for what a text may hold; a missing bit is a proof that it does not. */
export const SIGNAL = { digits: 1, at: 2, secret: 4, injection: 8, passport: 16 } as const;

/** The shortest identifier that letters do not interrupt has this many digits. */
const FEWEST_DIGITS = 10;

/** Words without which digits that letters interrupt are no passport. */
const PASSPORT_ANCHORS = ['паспорт', 'ssport', 'серия', 'серии', 'серию', 'серией'];

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
const FOLDS = Uint8Array.from({ length: FOLDED }, (_, code) => foldOf(code));

/** The last four folds, six bits each. */
function extend(window: number, fold: number): number {
  return ((window << 6) | fold) & 0xffffff;
}

/** A place in the table of 2^16 for four folds. */
function bucketOf(window: number): number {
  return Math.imul(window, 0x9e3779b1) >>> 16;
}

const isLetterOrDigit = (fold: number) => fold !== OTHER && (fold <= DIGIT || fold >= 32);

/** The windows in which an anchor's first four characters end; a shorter one begins a word. */
function windowsOf(anchor: string): number[] {
  const folds = [...anchor.slice(0, 4)].map((character) => FOLDS[character.charCodeAt(0)] ?? OTHER);
  let heads = [0];
  for (let missing = folds.length; missing < 4; missing += 1) {
    heads = heads.flatMap((head) =>
      Array.from({ length: 64 }, (_, fold) => fold)
        .filter((fold) => anchor.startsWith(':') || !isLetterOrDigit(fold))
        .map((fold) => extend(head, fold)),
    );
  }
  return heads.map((head) => folds.reduce(extend, head));
}

/** Signals by four folds. */
const SIGNALS = new Map<number, number>();
/** One where SIGNALS may have an entry: most characters of a text end at this look-up. */
const BUCKETS = new Uint8Array(0x10000);
for (const [signal, anchors] of [
  [SIGNAL.secret, SECRET_ANCHORS],
  [SIGNAL.injection, INJECTION_ANCHORS],
  [SIGNAL.passport, PASSPORT_ANCHORS],
] as const) {
  for (const window of anchors.flatMap(windowsOf)) {
    SIGNALS.set(window, (SIGNALS.get(window) ?? 0) | signal);
    BUCKETS[bucketOf(window)] = 1;
  }
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
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const fold = code < FOLDED ? (FOLDS[code] as number) : OTHER;
    window = extend(window, fold);
    if (BUCKETS[bucketOf(window)] !== 0) signals |= SIGNALS.get(window) ?? 0;
    if (fold === DIGIT) {
      digits += 1;
      uninterrupted += 1;
      if (uninterrupted >= FEWEST_DIGITS) signals |= SIGNAL.digits;
    } else if (fold === AT) signals |= SIGNAL.at;
    else if (fold !== OTHER && (fold < DIGIT || fold >= FIRST_CYRILLIC)) uninterrupted = 0;
  }
  if (signals & SIGNAL.passport && digits >= FEWEST_DIGITS) signals |= SIGNAL.digits;
  return signals;
}
