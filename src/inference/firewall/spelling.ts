import { BUILT_IN_CLASSES } from '../../kernel/firewall/modes.js';
import type { FindingClass } from '../../kernel/firewall/vocabulary.js';
import { PlainView } from './plain-view.js';

/** Cyrillic letters of plates and the Latin ones that look the same. */
const LOOK_ALIKES = new Map([...'АВЕКМНОРСТУХ'].map((letter, at) => [letter, 'ABEKMHOPCTYX'[at]]));

const DOT = '(?:dot|дот|точк[ау]|тчк)';
const AT = '(?:at|dog|собак[ауе]|собачк[ауе]|соб|эт|ат|@)';
const LINE = '(?:нижнее |нижний )?(?:подч[её]ркивани[ея]|пробел)|андерскор|underscore';
const SPELLED_OUT: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`\\s{0,2}[([{<]\\s?${AT}\\s?[)\\]}>]\\s{0,2}|\\s{1,2}${AT}\\s{1,2}`, 'g'), '@'],
  [/\s{0,2}@\s{0,2}/g, '@'],
  [
    new RegExp(`\\s{0,2}[([{<]\\s?(?:${DOT}|\\.)\\s?[)\\]}>]\\s{0,2}|\\s{1,2}${DOT}\\s{1,2}`, 'g'),
    '.',
  ],
  [/\s?\.\s?/g, '.'],
  [new RegExp(`\\s{1,2}(?:${LINE})\\s{1,2}`, 'g'), '_'],
  [/\s{1,2}(?:тире|дефис|минус|dash|hyphen)\s{1,2}/g, '-'],
  [/\s/g, ''],
];

/** An address that is spelled out, as machines read addresses. */
function plainAddress(value: string): string {
  return SPELLED_OUT.reduce(
    (plain, [pattern, sign]) => plain.replace(pattern, sign),
    value.toLowerCase(),
  );
}

/** The name in a messenger, without what its address has in front of it. */
function plainHandle(value: string): string {
  return value.toLowerCase().replace(/^.*[/@]/, '');
}

/** The form in which two spellings of one value are equal: a model may rewrite a number. */
export function spellingOf(code: FindingClass, written: string): string {
  if (code === 'secret' || code === 'prompt_injection') return written;
  const value = new PlainView(written).view;
  if (code === 'email') return plainAddress(value);
  if (code === 'messenger_handle') return plainHandle(value);
  if (code === 'person_name' || !BUILT_IN_CLASSES.has(code)) {
    return value.toLowerCase().replaceAll('ё', 'е').replace(/\s+/g, ' ');
  }
  const upper = value.toUpperCase().replace(/[^\dA-ZА-ЯЁ]/g, '');
  if (code === 'phone') return upper.slice(-10);
  return upper.replace(/[А-ЯЁ]/g, (letter) => LOOK_ALIKES.get(letter) ?? letter);
}
