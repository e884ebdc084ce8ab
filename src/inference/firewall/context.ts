import { LABEL, LABEL_NAMES, type LabelName, WORDS } from './words.js';

/** How far from a number a word may stand and still speak about it, in characters. */
const REACH = 40;

/** One label's words that begin with the same two characters, to be tried at one place. */
interface LabelWords {
  readonly bit: number;
  readonly pattern: RegExp;
}

function wordsByHead(): ReadonlyMap<string, readonly LabelWords[]> {
  const rows = LABEL_NAMES.flatMap((label) =>
    WORDS.labels[label].map((word) => ({ bit: LABEL[label], word })),
  );
  const heads = new Set(rows.map(({ word }) => word.slice(0, 2)));
  return new Map(
    [...heads].map((head) => [
      head,
      rows
        .filter(({ word }) => word.startsWith(head))
        .map(({ bit, word }) => ({ bit, pattern: new RegExp(word, 'y') })),
    ]),
  );
}

const WORDS_BY_HEAD = wordsByHead();

/** A label that its own number follows speaks about that number alone. */
const OWN_NUMBER = /[^\d\n]{0,12}\d{5}/y;
/** A word this close behind a number, as in `7707083893 (ИНН)`, speaks about it in any case. */
const TOUCHING = 4;

function isLowerLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 0x430 && code <= 0x44f) || code === 0x451;
}

/** The labels that begin at a place of a text in lower case without their own number behind. */
function labelAt(window: string, place: number, excludesOwned: boolean): number {
  let bits = 0;
  for (const { bit, pattern } of WORDS_BY_HEAD.get(window.slice(place, place + 2)) ?? []) {
    pattern.lastIndex = place;
    if (!pattern.test(window)) continue;
    OWN_NUMBER.lastIndex = pattern.lastIndex;
    if (!excludesOwned || !OWN_NUMBER.test(window)) bits |= bit;
  }
  return bits;
}

function labelsIn(window: string, reach: number, excludesOwned: boolean): number {
  let bits = 0;
  let wasLetter = false;
  for (let place = 0; place < window.length && place <= reach; place += 1) {
    const isLetter = isLowerLetter(window.charCodeAt(place));
    if (isLetter && !wasLetter) bits |= labelAt(window, place, excludesOwned);
    wasLetter = isLetter;
  }
  return bits;
}

/** The number that a label at the end of the reach may own begins this much later. */
const OWN_NUMBER_REACH = 32;

function labelsAfter(text: string, end: number, reach: number): number {
  const window = text.slice(end, end + reach + OWN_NUMBER_REACH).toLowerCase();
  return labelsIn(window, reach, true);
}

/** The part of a window that stands behind its last number of five digits or more. */
function sinceLastNumber(window: string): string {
  let digits = 0;
  for (let place = window.length - 1; place >= 0; place -= 1) {
    const code = window.charCodeAt(place);
    digits = code >= 48 && code <= 57 ? digits + 1 : 0;
    if (digits === 5) return window.slice(place + 5);
  }
  return window;
}

/** Numbers, and what separates them in a list. */
const IN_LIST = /[\d\s,;()+"'«»[\].-]/;
const IN_LIST_BY_CODE = Uint8Array.from({ length: 0x100 }, (_, code) =>
  IN_LIST.test(String.fromCharCode(code)) ? 1 : 0,
);

function isInList(text: string, place: number): boolean {
  const code = text.charCodeAt(place);
  return code < 0x100 ? IN_LIST_BY_CODE[code] === 1 : IN_LIST.test(text.charAt(place));
}

const JOINER = /\s(?:и|или|and|or)$/i;
/** As far back as a list of numbers is followed to the word before it. */
const LIST_REACH = 240;
const DIGIT_ZERO = 0x30;
const DIGIT_NINE = 0x39;

/** Where the list of numbers begins that a number at `start` continues; `start` without one. */
function startOfList(text: string, start: number): number {
  const floor = Math.max(0, start - LIST_REACH);
  let place = start;
  let digits = 0;
  let longest = 0;
  while (place > floor) {
    if (isInList(text, place - 1)) {
      const code = text.charCodeAt(place - 1);
      digits = code >= DIGIT_ZERO && code <= DIGIT_NINE ? digits + 1 : 0;
      longest = Math.max(longest, digits);
      place -= 1;
      continue;
    }
    const joiner = JOINER.exec(text.slice(Math.max(floor, place - 4), place));
    if (!joiner) break;
    place -= joiner[0].length;
    digits = 0;
  }
  return longest >= 5 ? place : start;
}

/**
 * What the words within 40 characters say about the number at [start, end), as LABEL bits. Words
 * between the previous number and this one decide alone where there are any (`ИНН/КПП 77…` names
 * both), with those that touch its end; else the word before the list of numbers in which it
 * stands, and every word within reach, before and after.
 */
export function labelsAround(text: string, start: number, end: number): number {
  const window = text.slice(Math.max(0, start - REACH), start).toLowerCase();
  const adjacent = labelsIn(sinceLastNumber(window), REACH, false);
  if (adjacent !== 0) return adjacent | labelsAfter(text, end, TOUCHING);
  const listed = startOfList(text, start);
  const before = text.slice(Math.max(0, listed - REACH), listed).toLowerCase();
  const ofList = listed < start ? labelsIn(sinceLastNumber(before), REACH, false) : 0;
  return ofList | labelsIn(window, REACH, false) | labelsAfter(text, end, REACH);
}

/** True where a word within reach says that the number at [start, end) is what the label names. */
export function isLabelled(text: string, start: number, end: number, label: LabelName): boolean {
  return (labelsAround(text, start, end) & LABEL[label]) !== 0;
}

/** What may stand between the name of a thing and its number. */
const BETWEEN =
  '(?:[\\s:№#=("\'«.,/_-]|номер[а-яё]{0,2}|number|no|num|nr|товара|заказа|клиента|id|code|' +
  'код|счета|документа|еаэс|уч[её]та|устройства|по|отправления|партии|wb|ozon|озон|вб|time|' +
  'n(?![a-zа-яё])){0,8}$';
const NAMED_THING = new RegExp(`(?<![а-яёa-z])(?:${WORDS.things.join('|')})(?:${BETWEEN})`, 'i');
const CALLED_THING = new RegExp(
  '^["\'»)]?(?:,? ?[(—–-]{0,2} ?(?:это )?(?:наш )?(?:артикул|арт\\.|sku|трек|заказ(?![а-яё]{4})|' +
    'номер (?:заказа|накладной|отправления|посылки|доставки|позиции))|' +
    '[:,]? ?[—–-]? ?\\d{1,6} ?(?:шт|ед\\.|уп\\.|кор\\.|пал|pcs))',
  'i',
);

/** Numbers of one series share this many digits: `артикул 89161234567 заменён на 89161234568`. */
const SERIES_DIGITS = 8;
const SERIES_REACH = 80;

function isCalledThing(text: string, start: number): boolean {
  const listed = startOfList(text, start);
  return NAMED_THING.test(text.slice(Math.max(0, listed - REACH), listed));
}

/** True where words that touch a number call it that of goods, of a document or the like. */
export function isNamedOtherwise(text: string, start: number, end: number): boolean {
  if (isCalledThing(text, start) || CALLED_THING.test(text.slice(end, end + REACH))) return true;
  const head = text.slice(start, start + SERIES_DIGITS);
  const sibling = text.slice(Math.max(0, start - SERIES_REACH), start).lastIndexOf(head);
  return sibling >= 0 && isCalledThing(text, Math.max(0, start - SERIES_REACH) + sibling);
}
