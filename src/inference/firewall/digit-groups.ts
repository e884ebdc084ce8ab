import { Surroundings } from './context.js';
import type { Finding } from './finding.js';

/**
 * Runs of ASCII digits in a text, with what stands between neighbours. Identifiers are written in
 * groups (`112-233-445 95`, `4111 1111 1111 1111`), so detectors compare the lengths of groups
 * instead of running one expression each over the whole text.
 */
export class DigitGroups {
  /** Start and end of each group, flat: a group costs two numbers and no object. */
  #bounds = new Int32Array(64);
  /** How many groups there are. */
  readonly count: number;

  constructor(
    readonly text: string,
    /** What the words around its numbers say. */
    readonly words = new Surroundings(text),
  ) {
    let start = -1;
    let filled = 0;
    const add = (end: number) => {
      if (filled === this.#bounds.length) this.#grow();
      this.#bounds[filled] = start;
      this.#bounds[filled + 1] = end;
      filled += 2;
      start = -1;
    };
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      const isDigit = code >= 48 && code <= 57;
      if (isDigit && start < 0) start = index;
      if (!isDigit && start >= 0) add(index);
    }
    if (start >= 0) add(text.length);
    this.count = filled / 2;
  }

  #grow(): void {
    const wider = new Int32Array(this.#bounds.length * 2);
    wider.set(this.#bounds);
    this.#bounds = wider;
  }

  start(group: number): number {
    return group < this.count ? (this.#bounds[group * 2] ?? 0) : this.text.length;
  }

  end(group: number): number {
    return group < this.count ? (this.#bounds[group * 2 + 1] ?? 0) : this.text.length;
  }

  /** Number of digits, 0 behind the last group. */
  length(group: number): number {
    return this.end(group) - this.start(group);
  }

  /** The text between a group and the next one, or undefined where it is over `limit` long. */
  gapAfter(group: number, limit: number): string | undefined {
    if (group + 1 >= this.count) return undefined;
    const from = this.end(group);
    const to = this.start(group + 1);
    return to - from <= limit ? this.text.slice(from, to) : undefined;
  }

  /** True where the groups from `first` have exactly these lengths and each gap is accepted. */
  matches(first: number, lengths: readonly number[], gap: RegExp, limit = 2): boolean {
    for (let offset = 0; offset < lengths.length; offset += 1) {
      if (this.length(first + offset) !== lengths[offset]) return false;
      if (offset + 1 === lengths.length) return true;
      const between = this.gapAfter(first + offset, limit);
      if (between === undefined || !gap.test(between)) return false;
    }
    return false;
  }

  /** Where `count` groups from `first` stand. */
  place(first: number, count: number): { readonly start: number; readonly end: number } {
    return { start: this.start(first), end: this.end(first + count - 1) };
  }

  /** The digits of `count` groups from `first`, joined. */
  digits(first: number, count: number): string {
    if (count === 1) return this.text.slice(this.start(first), this.end(first));
    let joined = '';
    for (let group = first; group < first + count; group += 1) {
      joined += this.text.slice(this.start(group), this.end(group));
    }
    return joined;
  }
}

const LATIN = /[A-Za-z]/;
const CLOSES_LABEL = /(?:inn|snils|ogrn|ogrnip|tel|bic|bik|acc)$/i;
const PART_OF_NUMBER_BEFORE = /[\d.][.]$|[\da-fA-F][-\u2010\u2011]$|\b0,$/;
/** `1,79161234567 взят` is a fraction; in `1,79161234567,Пётр` a table goes on. */
const FRACTION_BEFORE = /(?:^|[^\d,])\d,$/;
const PROSE_AFTER = /^[ )]/;
const PART_OF_NUMBER_AFTER = /^(?:[.,]\d{1,2}(?!\d)|[-\u2010\u2011][\da-fA-F])/;

/**
 * True where the range is not a piece of something longer: of a word or name in Latin letters, of
 * a UUID or another hexadecimal code, of a decimal fraction or a sum with kopeks. Cyrillic letters
 * may touch, since `ИНН7707083893` is often written so, and a line below may, as in the names of
 * files: there only what `certainBesideLines` leaves counts.
 */
export function standsAlone(text: string, start: number, end: number): boolean {
  if (LATIN.test(text.charAt(end))) return false;
  if (PART_OF_NUMBER_AFTER.test(text.slice(end, end + 4))) return false;
  const before = text.slice(Math.max(0, start - 6), start);
  if (FRACTION_BEFORE.test(before) && PROSE_AFTER.test(text.charAt(end))) return false;
  if (LATIN.test(before.slice(-1))) return CLOSES_LABEL.test(before);
  return !PART_OF_NUMBER_BEFORE.test(before);
}

/** True where a line below touches a range, as in the names of files and of variables. */
export function touchesLine(text: string, start: number, end: number): boolean {
  return text.charAt(start - 1) === '_' || text.charAt(end) === '_';
}

/** Names of files and of variables have numbers of any kind: a guess says nothing there. */
export function certainBesideLines(text: string, findings: readonly Finding[]): Finding[] {
  return findings.filter(
    ({ confidence, start, end }) => confidence === 'confirmed' || !touchesLine(text, start, end),
  );
}

const UNIT = /^[ \u00a0\u202f]{0,2}(?:₽|\$|€|%|руб|коп|rub\b|usd\b|eur\b|шт|тыс|млн|млрд|кг|км)/i;

/** True where a unit of money or measure follows: then the number is an amount. */
export function isAmount(text: string, end: number): boolean {
  return UNIT.test(text.slice(end, end + 8));
}
