import { withoutLookAlikes } from './look-alikes.js';
import { labelOfMistyped } from './mistyped.js';
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
  return bits === 0 && !excludesOwned ? labelOfMistyped(window, place) : bits;
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

/** Words as labels have them: in lower case, with Russian letters and single spaces. */
function plainWords(text: string): string {
  const plain = withoutLookAlikes(text.toLowerCase());
  return plain.includes('  ') ? plain.replace(/ {2,}/g, ' ') : plain;
}

/** The number that a label at the end of the reach may own begins this much later. */
const OWN_NUMBER_REACH = 32;
/** How far from a number a word that speaks about it ends at most, in characters. */
export const LABEL_CHARS = REACH + OWN_NUMBER_REACH;

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

/** What may stand between the name of a thing and its number. */
const BETWEEN =
  '(?:[\\s:№#=("\'«.,/_-]|номер[а-яё]{0,2}|number|no|num|nr|товара|заказа|клиента|id|code|' +
  'код|услуг[а-яё]{0,3}|работ[а-яё]?|тарифа|счета|документа|еаэс|уч[её]та|устройства|по|' +
  'отправления|партии|wb|ozon|озон|вб|time|' +
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

/** The unit in which a text says where it has letters. */
const BLOCK_BITS = 4;

/** A letter of a label or a name of things; any character beyond Latin-1 may come to be one. */
function mayBeLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code > 0xff;
}

/** Answers about the places that were asked for last; more of them take the place of older ones. */
const KEPT_MAX = 512;

class Kept {
  readonly #places: number[] = [];
  readonly #answers: number[] = [];

  at(place: number): number | undefined {
    const slot = place % KEPT_MAX;
    return this.#places[slot] === place ? this.#answers[slot] : undefined;
  }

  keep(place: number, answer: number): void {
    const slot = place % KEPT_MAX;
    this.#places[slot] = place;
    this.#answers[slot] = answer;
  }
}

/**
 * What the words around the numbers of one text say. A detector asks several times for one place,
 * so that the last answers are kept; they live as long as the scan of the text.
 */
export class Surroundings {
  /** How often the words at a place were read. It grows with the numbers of the text. */
  readings = 0;
  #letters: Uint8Array | undefined;
  readonly #lists = new Kept();
  readonly #adjacent = new Kept();
  readonly #before = new Kept();
  readonly #touching = new Kept();
  readonly #after = new Kept();
  readonly #named = new Kept();
  readonly #series = new Kept();
  readonly #called = new Kept();

  constructor(readonly text: string) {}

  /**
   * What the words within 40 characters say about the number at [start, end), as LABEL bits. Words
   * between the previous number and this one decide alone where there are any (`ИНН/КПП 77…` names
   * both), with those that touch its end; else the word before the list of numbers in which it
   * stands, and every word within reach, before and after.
   */
  labels(start: number, end: number): number {
    const adjacent = this.#labelsAdjacent(start);
    if (adjacent !== 0) return adjacent | this.#labelsTouching(end);
    return this.#labelsBefore(start) | this.#labelsAfter(end);
  }

  /** True where a word within reach says that the number at [start, end) is that of the label. */
  isLabelled(start: number, end: number, label: LabelName): boolean {
    return (this.labels(start, end) & LABEL[label]) !== 0;
  }

  /** True where words that touch a number call it that of goods, of a document or the like. */
  isNamedOtherwise(start: number, end: number): boolean {
    return this.#isNamedThing(start) || this.#isCalledThing(end) || this.#isOfSeries(start);
  }

  #labelsAdjacent(start: number): number {
    if (!this.#hasLetters(start - REACH, start)) return 0;
    return this.#kept(this.#adjacent, start, () =>
      labelsIn(sinceLastNumber(this.#wordsBefore(start)), REACH, false),
    );
  }

  /** What the word before a list of numbers says, and every word within reach. */
  #labelsBefore(start: number): number {
    if (!this.#hasLetters(start - LIST_REACH - REACH, start)) return 0;
    return this.#kept(this.#before, start, () => {
      const listed = this.#startOfList(start);
      const near = labelsIn(this.#wordsBefore(start), REACH, false);
      return listed < start ? near | this.#labelsAdjacent(listed) : near;
    });
  }

  #labelsTouching(end: number): number {
    return this.#labelsWithin(end, TOUCHING, this.#touching);
  }

  #labelsAfter(end: number): number {
    return this.#labelsWithin(end, REACH, this.#after);
  }

  #labelsWithin(end: number, reach: number, known: Kept): number {
    const last = end + reach + OWN_NUMBER_REACH;
    if (!this.#hasLetters(end, last)) return 0;
    return this.#kept(known, end, () =>
      labelsIn(plainWords(this.text.slice(end, last)), reach, true),
    );
  }

  #isNamedThing(start: number): boolean {
    if (!this.#hasLetters(start - LIST_REACH - REACH, start)) return false;
    const listed = this.#startOfList(start);
    const isNamed = () =>
      NAMED_THING.test(this.text.slice(Math.max(0, listed - REACH), listed)) ? 1 : 0;
    return this.#kept(this.#named, listed, isNamed) === 1;
  }

  #isCalledThing(end: number): boolean {
    if (!this.#hasLetters(end, end + REACH)) return false;
    const isCalled = () => (CALLED_THING.test(this.text.slice(end, end + REACH)) ? 1 : 0);
    return this.#kept(this.#called, end, isCalled) === 1;
  }

  /** True where a number of the same series before this one is named as a thing. */
  #isOfSeries(start: number): boolean {
    if (!this.#hasLetters(start - SERIES_REACH - LIST_REACH - REACH, start)) return false;
    const isOfSeries = () => {
      const from = Math.max(0, start - SERIES_REACH);
      const head = this.text.slice(start, start + SERIES_DIGITS);
      const sibling = this.text.slice(from, start).lastIndexOf(head);
      return sibling >= 0 && this.#isNamedThing(from + sibling) ? 1 : 0;
    };
    return this.#kept(this.#series, start, isOfSeries) === 1;
  }

  #startOfList(start: number): number {
    return this.#kept(this.#lists, start, () => startOfList(this.text, start));
  }

  #wordsBefore(place: number): string {
    return plainWords(this.text.slice(Math.max(0, place - REACH), place));
  }

  #kept(known: Kept, place: number, read: () => number): number {
    const kept = known.at(place);
    if (kept !== undefined) return kept;
    this.readings += 1;
    const found = read();
    known.keep(place, found);
    return found;
  }

  /** False proves that no letter stands in a range, so that no word does. */
  #hasLetters(from: number, to: number): boolean {
    this.#letters ??= lettersOf(this.text);
    const last = (Math.min(to, this.text.length) - 1) >> BLOCK_BITS;
    for (let block = Math.max(0, from) >> BLOCK_BITS; block <= last; block += 1) {
      if (this.#letters[block] === 1) return true;
    }
    return false;
  }
}

function lettersOf(text: string): Uint8Array {
  const blocks = new Uint8Array((text.length >> BLOCK_BITS) + 1);
  for (let place = 0; place < text.length; place += 1) {
    if (mayBeLetter(text.charCodeAt(place))) blocks[place >> BLOCK_BITS] = 1;
  }
  return blocks;
}
