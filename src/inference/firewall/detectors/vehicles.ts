import { Surroundings } from '../context.js';
import { type Finding, findingsIn } from '../finding.js';
import { matchesAtRuns } from '../near-digits.js';

/** The twelve letters of plates, and the Latin ones that look the same. */
const CYRILLIC = 'АВЕКМНОРСТУХ';
const LATIN = 'ABEKMHOPCTYX';
const LETTER = `[${CYRILLIC}${CYRILLIC.toLowerCase()}${LATIN}${LATIN.toLowerCase()}]`;
const REGION = '(?:[1279]\\d{2}|0[1-9]|[1-9]\\d)';
const ALONE_BEFORE = '(?<![\\dA-Za-zА-Яа-яЁё_-])';
const ALONE_BEHIND = '(?![\\dA-Za-zА-Яа-яЁё_]|[-.,]\\d)';

/** A car's plate: letter, three digits, two letters, region. */
const CAR = new RegExp(
  `${ALONE_BEFORE}${LETTER} ?(?!000)\\d{3} ?${LETTER}{2} ?${REGION}(?: ?RUS)?${ALONE_BEHIND}`,
  'y',
);
/** Plates of taxis and trailers, of motorcycles, and those of cars without their region. */
const OTHERS = new RegExp(
  `${ALONE_BEFORE}(?:${LETTER}{2} ?\\d{3,4} ?${REGION}|\\d{4} ?${LETTER}{2} ?${REGION}|` +
    `${LETTER} ?\\d{3} ?${LETTER}{2})(?: ?RUS)?${ALONE_BEHIND}`,
  'y',
);
/** Letters and spaces before the digits of a plate. */
const LEAD_MAX = 3;
const ANY_CYRILLIC = /[А-Яа-я]/;
const LOWER = /[a-zа-я]/;

function whereCar(words: Surroundings, value: string, start: number, end: number) {
  if (words.isLabelled(start, end, 'plate')) return 'confirmed';
  // Without a word, Latin letters or spaces are as likely an article or a measure.
  const isPlain = ANY_CYRILLIC.test(value) && !value.includes(' ');
  if (!isPlain || words.isNamedOtherwise(start, end)) return undefined;
  return LOWER.test(value) ? 'suspected' : 'confirmed';
}

function whereNamed(words: Surroundings, value: string, start: number, end: number) {
  if (LOWER.test(value.replace(/RUS$/, '')) || !words.isLabelled(start, end, 'plate')) {
    return undefined;
  }
  return words.isNamedOtherwise(start, end) ? undefined : 'confirmed';
}

/** Plates of vehicles. Only the full plate of a car is known by its shape, others by a word. */
export function detectVehicles(text: string, words = new Surroundings(text)): Finding[] {
  const matches = (pattern: RegExp) => matchesAtRuns(text, pattern, LEAD_MAX);
  return [
    ...findingsIn('vehicle_plate', matches(CAR), (...found) => whereCar(words, ...found)),
    ...findingsIn('vehicle_plate', matches(OTHERS), (...found) => whereNamed(words, ...found)),
  ];
}
