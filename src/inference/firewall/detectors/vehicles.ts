import { isNamedOtherwise, LABEL, labelsAround } from '../context.js';
import type { Finding } from '../finding.js';

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
  'g',
);
/** Plates of taxis and trailers, of motorcycles, and those of cars without their region. */
const OTHERS = new RegExp(
  `${ALONE_BEFORE}(?:${LETTER}{2} ?\\d{3,4} ?${REGION}|\\d{4} ?${LETTER}{2} ?${REGION}|` +
    `${LETTER} ?\\d{3} ?${LETTER}{2})(?: ?RUS)?${ALONE_BEHIND}`,
  'g',
);
const ANY_CYRILLIC = /[А-Яа-я]/;
const LOWER = /[a-zа-я]/;

function isNamed(text: string, start: number, end: number): boolean {
  return (labelsAround(text, start, end) & LABEL.plate) !== 0;
}

function carFinding(text: string, value: string, start: number): Finding | undefined {
  const end = start + value.length;
  if (isNamed(text, start, end)) {
    return { class: 'vehicle_plate', start, end, confidence: 'confirmed' };
  }
  // Without a word, Latin letters or spaces are as likely an article or a measure.
  const isPlain = ANY_CYRILLIC.test(value) && !value.includes(' ');
  if (!isPlain || isNamedOtherwise(text, start, end)) return undefined;
  const confidence = LOWER.test(value) ? 'suspected' : 'confirmed';
  return { class: 'vehicle_plate', start, end, confidence };
}

/** Plates of vehicles. Only the full plate of a car is known by its shape, others by a word. */
export function detectVehicles(text: string): Finding[] {
  const found: Finding[] = [];
  for (const { 0: value, index } of text.matchAll(CAR)) {
    const finding = carFinding(text, value, index);
    if (finding) found.push(finding);
  }
  for (const { 0: value, index: start } of text.matchAll(OTHERS)) {
    const end = start + value.length;
    if (LOWER.test(value.replace(/RUS$/, '')) || !isNamed(text, start, end)) continue;
    if (isNamedOtherwise(text, start, end)) continue;
    found.push({ class: 'vehicle_plate', start, end, confidence: 'confirmed' });
  }
  return found;
}
