import { UNUSUAL } from '../plain-view.js';
import { AT, DIGIT, extend, FIRST_CYRILLIC, FOLD, hashOf, OTHER, UNITS } from './folds.js';
import { FEWEST_DIGITS, FEWEST_NAMED, SIGNAL } from './signals.js';
import { anchoredAt, SIGNALS_BY_HASH } from './windows.js';

/** The small part of UNITS that stays in the nearest cache. */
const COMMON = UNITS.slice(0, 0x500);

/** The signals of a text, unit by unit; `openBlocks` answers the same. */
export function signalsInScript(text: string): number {
  let signals = 0;
  let window = 0;
  let digits = 0;
  let uninterrupted = 0;
  let unusual = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    let fold = (code < COMMON.length ? COMMON[code] : UNITS[code]) as number;
    if (fold > FOLD) {
      unusual |= fold;
      fold &= FOLD;
    }
    window = extend(window, fold);
    if (SIGNALS_BY_HASH[hashOf(window)] !== 0) signals |= anchoredAt(text, index, window);
    if (fold === DIGIT) {
      digits += 1;
      uninterrupted += 1;
      if (uninterrupted >= FEWEST_DIGITS) signals |= SIGNAL.digits;
    } else if (fold === AT) signals |= SIGNAL.at;
    else if (fold !== OTHER && (fold < DIGIT || fold >= FIRST_CYRILLIC)) uninterrupted = 0;
  }
  signals |= anchoredAt(text, text.length, extend(window, OTHER));
  if (digits > 0) signals |= SIGNAL.digit;
  else signals &= ~SIGNAL.address;
  if (digits < FEWEST_NAMED) signals &= ~SIGNAL.document;
  if (unusual & UNUSUAL.hidden) signals |= SIGNAL.hidden;
  if (unusual & UNUSUAL.typeset) signals |= SIGNAL.typeset;
  return signals;
}
