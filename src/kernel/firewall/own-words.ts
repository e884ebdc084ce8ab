import type { OwnClass } from './vocabulary.js';

/** One place of a word, end exclusive. */
interface WordPlace {
  readonly class: OwnClass;
  readonly start: number;
  readonly end: number;
}

/** A word or phrase, ready to be compared. */
interface Phrase {
  readonly class: OwnClass;
  /** Its parts between spaces, folded. */
  readonly parts: readonly string[];
  /** Where the first run of letters and digits begins in the first part. */
  readonly lead: number;
}

const LETTER_RUN = /[\p{L}\p{N}_]+/gu;
const LETTER = /[\p{L}\p{N}_]/u;
const SPACES = /\s{1,8}/y;

/** Letters lose their case and `ё` its dots; every place stays where it was. */
function folded(text: string): string {
  const lower = text.toLowerCase();
  const sameLength = lower.length === text.length ? lower : eachLowered(text);
  return sameLength.replaceAll('ё', 'е');
}

/** For texts in which a lower-case letter is longer, as with `İ`: such letters stay. */
function eachLowered(text: string): string {
  return text.replace(/\p{Lu}/gu, (letter) => {
    const lower = letter.toLowerCase();
    return lower.length === letter.length ? lower : letter;
  });
}

/** True where a word holds something that it can be found by. */
export function isFindable(word: string): boolean {
  return LETTER.test(word);
}

/**
 * Finds whole words and phrases, whatever their case, with `ё` equal to `е` and any spaces between
 * words. The work is one look-up for each word of the text, however many words are looked for.
 */
export class OwnWords {
  /** Phrases by their first run of letters and digits. */
  readonly #byHead = new Map<string, Phrase[]>();

  constructor(words: readonly { readonly class: OwnClass; readonly phrase: string }[]) {
    for (const { class: name, phrase } of words) {
      const parts = folded(phrase.trim()).split(/\s+/);
      const head = parts[0]?.match(LETTER_RUN)?.[0];
      const found = head === undefined ? -1 : parts.findIndex((part) => part.includes(head));
      if (head === undefined || found !== 0) continue;
      const row = { class: name, parts, lead: parts[0]?.indexOf(head) ?? 0 };
      this.#byHead.set(head, [...(this.#byHead.get(head) ?? []), row]);
    }
  }

  /** Every place of every word. */
  find(text: string): WordPlace[] {
    const found: WordPlace[] = [];
    if (this.#byHead.size === 0) return found;
    const view = folded(text);
    for (const { 0: run, index } of view.matchAll(LETTER_RUN)) {
      for (const phrase of this.#byHead.get(run) ?? []) {
        const start = index - phrase.lead;
        const end = endOf(phrase, view, start);
        if (end > start) found.push({ class: phrase.class, start, end });
      }
    }
    return found;
  }
}

/** The end of a phrase that stands at `start` as whole words, or -1. */
function endOf({ parts }: Phrase, view: string, start: number): number {
  let place = start;
  for (const [index, part] of parts.entries()) {
    if (index > 0) {
      SPACES.lastIndex = place;
      if (!SPACES.test(view)) return -1;
      place = SPACES.lastIndex;
    }
    if (place < 0 || !view.startsWith(part, place)) return -1;
    place += part.length;
  }
  return isWhole(view, start, place) ? place : -1;
}

/** True where no letter or digit that touches an end belongs to the same word. */
function isWhole(view: string, start: number, end: number): boolean {
  const before = view.charAt(start - 1);
  const after = view.charAt(end);
  if (LETTER.test(view.charAt(start)) && LETTER.test(before)) return false;
  return !(LETTER.test(view.charAt(end - 1)) && LETTER.test(after));
}
