import { AT, DIGIT } from './folds.js';
import { FEWEST_DIGITS, SIGNAL } from './signals.js';

/** Units of UTF-16 that the program reads at once. */
export const BLOCK_UNITS = 16;
/** Units of a text that are put before the program together: they stay in the nearer caches. */
export const PART_UNITS = 16_384;

/** Where the program's memory holds what; each place is a multiple of 16. */
export const PLACES = {
  /** For each unit of UTF-16 its fold, with the UNUSUAL bits above. */
  units: 0,
  /** The signals of windows by the hash of their four folds. */
  windows: 0x10000,
  /** The folds of ASCII from the space on, 16 bytes for each high half of a character. */
  ascii: 0x20000,
  /** For each of four places of a window the buckets of folds 0 to 31. */
  latin: 0x20060,
  /** For each of four places the buckets of all 64 folds. */
  russian: 0x200e0,
  /** The folds of a part; right before them stand the last ones of the part before. */
  folds: 0x201f0,
  text: 0x201f0 + PART_UNITS + BLOCK_UNITS,
} as const;

/** In pages of 64 KiB. */
const PAGES = Math.ceil((PLACES.text + 2 * (PART_UNITS + BLOCK_UNITS)) / 0x10000);

const every = (value: number) => `(v128.const i8x16 ${Array(16).fill(value).join(' ')})`;
const steps = (first: number, step: number) =>
  Array.from({ length: 16 }, (_, index) => first + index * step).join(' ');
const kept = (place: number) => `(v128.load offset=${place} (i32.const 0))`;
const either = (...parts: readonly string[]): string =>
  parts.reduce((left, right) => `(v128.or ${left} ${right})`);
const both = (...parts: readonly string[]): string =>
  parts.reduce((left, right) => `(v128.and ${left} ${right})`);

/** The bytes of 16 that stand in a table from this number on, and 0 for every other number. */
const lookedUp = (place: number, vector: string, first: number) =>
  `(i8x16.swizzle ${kept(place)} (i8x16.sub ${vector} ${every(first)}))`;

/** Folds of what is ASCII in $ascii: a table for each high half from 2 to 7. */
const ASCII_FOLDS = either(
  ...[2, 3, 4, 5, 6, 7].map((half) =>
    lookedUp(PLACES.ascii + 16 * (half - 2), '(local.get $ascii)', 16 * half),
  ),
);

/** The folds at this place of the windows that end in this block: those of so many signs before. */
const foldsAt = (place: number) =>
  place === 3
    ? '(local.get $folds)'
    : `(i8x16.shuffle ${steps(13 + place, 1)} (local.get $before) (local.get $folds))`;

/** The buckets that take a fold at this place, by a table of so many folds for each place. */
const bucketsAt = (table: number, folds: number, place: number) =>
  either(
    ...Array.from({ length: folds / 16 }, (_, quarter) =>
      lookedUp(table + folds * place + 16 * quarter, `(local.get $at${place})`, 16 * quarter),
    ),
  );

const WINDOW = [0, 1, 2, 3];

/**
 * The first pass over a text, sixteen units at a time, in the text format of WebAssembly. It is the
 * Teddy algorithm of Hyperscan over folds: windows are put into buckets, one bit of a byte each,
 * and for each of four places a look-up says in which buckets a fold may stand there. Only where
 * one bucket has all four the window itself is looked up. Windows with Russian letters have eight
 * buckets of their own, which only blocks with or behind such letters are asked for.
 */
export const PROGRAM = `(module
  (import "prefilter" "confirmed" (func $confirmed (param i32 i32) (result i32)))
  (memory (export "memory") ${PAGES})

  ;; What was read up to now: signals, UNUSUAL bits, digits in all, digits since the last letter.
  (global $signals (export "signals") (mut i32) (i32.const 0))
  (global $unusual (export "unusual") (mut i32) (i32.const 0))
  (global $digits (export "digits") (mut i32) (i32.const 0))
  (global $run (export "run") (mut i32) (i32.const 0))

  ;; Looks up the windows that end at the marked places of a block of folds.
  (func $lookUpWindows (param $at i32) (param $marks i32)
    (local $place i32) (local $window i32)
    (loop $next
      (local.set $place (i32.add (local.get $at) (i32.ctz (local.get $marks))))
      (local.set $window (i32.load offset=${PLACES.folds - 3} (local.get $place)))
      ;; What is known already needs no second look.
      (if (i32.and (i32.xor (global.get $signals) (i32.const -1))
          (i32.load8_u offset=${PLACES.windows} (i32.shr_u
            (i32.mul (local.get $window) (i32.const 0x9e3779b1)) (i32.const 16))))
        (then (global.set $signals (i32.or (global.get $signals)
          (call $confirmed (local.get $place) (local.get $window))))))
      (local.set $marks (i32.and (local.get $marks)
        (i32.sub (local.get $marks) (i32.const 1))))
      (br_if $next (local.get $marks))))

  ;; Looks up each marked unit of a block in the table of units.
  (func $lookUpUnits (param $at i32) (param $marks i32)
    (loop $next
      (global.set $unusual (i32.or (global.get $unusual) (i32.load8_u
        (i32.load16_u offset=${PLACES.text} (i32.shl
          (i32.add (local.get $at) (i32.ctz (local.get $marks))) (i32.const 1))))))
      (local.set $marks (i32.and (local.get $marks)
        (i32.sub (local.get $marks) (i32.const 1))))
      (br_if $next (local.get $marks))))

  ;; Adds the marked digits of a block to the run that a marked letter ends.
  (func $countRun (param $digits i32) (param $letters i32)
    (local $place i32)
    (block $done
      ;; So few that no run can be long enough: those behind the last letter count on.
      (if (i32.lt_u (i32.add (global.get $run) (i32.popcnt (local.get $digits)))
          (i32.const ${FEWEST_DIGITS}))
        (then
          (if (local.get $letters) (then (global.set $run (i32.const 0))))
          (global.set $run (i32.add (global.get $run) (i32.popcnt (i32.shr_u
            (local.get $digits) (i32.sub (i32.const 32) (i32.clz (local.get $letters)))))))
          (return)))
      (loop $next
        ;; Up to the next letter, or to the end of the block.
        (local.set $place (i32.ctz (i32.or (local.get $letters) (i32.const 0x10000))))
        (global.set $run (i32.add (global.get $run) (i32.popcnt (i32.and (local.get $digits)
          (i32.sub (i32.shl (i32.const 1) (local.get $place)) (i32.const 1))))))
        (if (i32.ge_u (global.get $run) (i32.const ${FEWEST_DIGITS}))
          (then
            (global.set $signals (i32.or (global.get $signals) (i32.const ${SIGNAL.digits})))
            (global.set $run (i32.const 0))
            (return)))
        (br_if $done (i32.eqz (local.get $letters)))
        (global.set $run (i32.const 0))
        (local.set $place (i32.add (local.get $place) (i32.const 1)))
        (local.set $digits (i32.shr_u (local.get $digits) (local.get $place)))
        (local.set $letters (i32.shr_u (local.get $letters) (local.get $place)))
        (br_if $next (local.get $digits)))))

  ;; Reads so many units of the text, whole blocks, behind what was read before.
  (func (export "read") (param $units i32)
    (local $at i32) (local $marks i32) (local $isMixed i32) (local $wasMixed i32)
    (local $first v128) (local $second v128) (local $low v128) (local $high v128)
    (local $ascii v128) (local $letters v128) (local $russian v128)
    (local $folds v128) (local $before v128)
    ${WINDOW.map((place) => `(local $at${place} v128)`).join(' ')}
    (local $windows v128) (local $digits v128) (local $rare v128) (local $atSigns v128)
    (local.set $before ${kept(PLACES.folds - BLOCK_UNITS)})
    (local.set $wasMixed (i32.const 1))
    (loop $blocks
      (local.set $first (v128.load offset=${PLACES.text}
        (i32.shl (local.get $at) (i32.const 1))))
      (local.set $second (v128.load offset=${PLACES.text + 16}
        (i32.shl (local.get $at) (i32.const 1))))
      (local.set $isMixed (v128.any_true (v128.and
        (v128.or (local.get $first) (local.get $second))
        (v128.const i8x16 ${Array(8).fill('0x80 0xff').join(' ')}))))
      (if (local.get $isMixed)
        (then
          ;; The low bytes of the units, and the high ones: 0 is ASCII, 4 is Cyrillic.
          (local.set $low (i8x16.shuffle ${steps(0, 2)}
            (local.get $first) (local.get $second)))
          (local.set $high (i8x16.shuffle ${steps(1, 2)}
            (local.get $first) (local.get $second)))
          (local.set $ascii ${both(
            '(local.get $low)',
            `(i8x16.eq (local.get $high) ${every(0)})`,
            `(i8x16.gt_s (local.get $low) ${every(-1)})`,
          )})
          ;; U+0410 to U+044F are the letters; their case is a distance of 32. U+0401 and U+0451
          ;; read as the sixth one.
          (local.set $letters (i8x16.sub (local.get $low) ${every(0x10)}))
          (local.set $russian (v128.and (i8x16.eq (local.get $high) ${every(4)}) ${either(
            both(
              either(every(32), both('(local.get $letters)', every(31))),
              `(i8x16.le_u (local.get $letters) ${every(63)})`,
            ),
            both(
              every(37),
              either(
                `(i8x16.eq (local.get $low) ${every(0x01)})`,
                `(i8x16.eq (local.get $low) ${every(0x51)})`,
              ),
            ),
          )})))
        (else
          (local.set $ascii (i8x16.narrow_i16x8_u (local.get $first) (local.get $second)))
          (local.set $russian ${every(0)})))
      (local.set $folds (v128.or (local.get $russian)
        ${ASCII_FOLDS}))
      (v128.store offset=${PLACES.folds} (local.get $at) (local.get $folds))
      ${WINDOW.map((place) => `(local.set $at${place} ${foldsAt(place)})`).join('\n      ')}
      (local.set $before (local.get $folds))
      (local.set $windows ${both(...WINDOW.map((place) => bucketsAt(PLACES.latin, 32, place)))})
      (if (i32.or (local.get $isMixed) (local.get $wasMixed))
        (then (local.set $windows (v128.or (local.get $windows)
          ${both(...WINDOW.map((place) => bucketsAt(PLACES.russian, 64, place)))}))))
      (local.set $wasMixed (local.get $isMixed))
      (local.set $digits (i8x16.eq (local.get $folds) ${every(DIGIT)}))
      (local.set $atSigns (v128.or (local.get $atSigns)
        (i8x16.eq (local.get $folds) ${every(AT)})))
      ;; What is no Russian letter, below a space or above ~, may be unusual.
      (local.set $low (v128.or (local.get $ascii) (local.get $russian)))
      (local.set $rare (v128.or
        (i8x16.le_u (local.get $low) ${every(0x1f)}) (i8x16.eq (local.get $low) ${every(0x7f)})))
      (if (i32.or (global.get $run) (v128.any_true
          ${either('(local.get $windows)', '(local.get $digits)', '(local.get $rare)')}))
        (then
          (local.set $marks (i8x16.bitmask (i8x16.ne (local.get $windows) ${every(0)})))
          (if (local.get $marks)
            (then (call $lookUpWindows (local.get $at) (local.get $marks))))
          (local.set $marks (i8x16.bitmask (local.get $rare)))
          (if (local.get $marks)
            (then (call $lookUpUnits (local.get $at) (local.get $marks))))
          (local.set $marks (i8x16.bitmask (local.get $digits)))
          (global.set $digits (i32.add (global.get $digits) (i32.popcnt (local.get $marks))))
          ;; Digits and runs are counted up to the first run that is long enough.
          (if (i32.and (i32.ne (i32.or (local.get $marks) (global.get $run)) (i32.const 0))
              (i32.eqz (i32.and (global.get $signals) (i32.const ${SIGNAL.digits}))))
            (then (call $countRun (local.get $marks) (i8x16.bitmask (v128.or
              (i8x16.gt_s (local.get $folds) ${every(31)})
              (i8x16.le_u (i8x16.sub (local.get $folds) ${every(1)}) ${every(25)}))))))))
      (local.set $at (i32.add (local.get $at) (i32.const ${BLOCK_UNITS})))
      (br_if $blocks (i32.lt_u (local.get $at) (local.get $units))))
    (if (v128.any_true (local.get $atSigns))
      (then (global.set $signals (i32.or (global.get $signals) (i32.const ${SIGNAL.at})))))
    (v128.store offset=${PLACES.folds - BLOCK_UNITS} (i32.const 0) (local.get $before))))`;
