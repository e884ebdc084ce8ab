import { BUILT_IN_CLASSES } from '../../kernel/firewall/modes.js';
import type { FindingClass } from '../../kernel/firewall/vocabulary.js';
import { PlainView } from './plain-view.js';

/** Cyrillic letters of plates and the Latin ones that look the same. */
const LOOK_ALIKES = new Map([...'АВЕКМНОРСТУХ'].map((letter, at) => [letter, 'ABEKMHOPCTYX'[at]]));

/** An address that is spelt out, as machines read addresses. */
function plainAddress(value: string): string {
  return value
    .toLowerCase()
    .replace(/\s{0,2}[([{<]\s?(?:at|dog|собака|соб|эт|ат|@)\s?[)\]}>]\s{0,2}/g, '@')
    .replace(/\s{1,2}(?:собака|at)\s{1,2}/g, '@')
    .replace(/\s{0,2}[([{<]\s?(?:dot|точка|\.)\s?[)\]}>]\s{0,2}|\s{1,2}(?:dot|точка)\s{1,2}/g, '.');
}

/** The form in which two spellings of one value are equal: a model may rewrite a number. */
export function spellingOf(code: FindingClass, written: string): string {
  if (code === 'secret' || code === 'prompt_injection') return written;
  const value = new PlainView(written).view;
  if (code === 'email') return plainAddress(value);
  if (code === 'person_name' || !BUILT_IN_CLASSES.has(code)) {
    return value.toLowerCase().replaceAll('ё', 'е').replace(/\s+/g, ' ');
  }
  const upper = value.toUpperCase().replace(/[^\dA-ZА-ЯЁ]/g, '');
  if (code === 'phone') return upper.slice(-10);
  return upper.replace(/[А-ЯЁ]/g, (letter) => LOOK_ALIKES.get(letter) ?? letter);
}
