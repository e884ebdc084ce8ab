import {
  changesText,
  looksForNothing,
  replacesValue,
  withoutInjection,
} from '../../kernel/firewall/modes.js';
import type { Confidence, FindingClass, FirewallModes } from '../../kernel/firewall/vocabulary.js';
import { Tally } from './finding.js';
import { JsonText } from './json-text.js';
import { type Encoding, replaceRanges, unmaskText, type Vault } from './mask.js';
import { scan } from './scan.js';
import { WordHold } from './word-hold.js';

/** The longest placeholder, in characters. */
const LONGEST_PLACEHOLDER = 48;
/** Text that more characters could turn into a placeholder. */
const BEGINNING = /^\[(?:\[(?:G(?:W(?:_(?:[A-Z]+_)*(?:[A-Z]*|\d{1,9}\]?))?)?)?)?$/;

/** Where the part of a text begins that could be the beginning of a placeholder. */
export function beginningOfPlaceholder(text: string): number {
  let index = text.indexOf('[', Math.max(0, text.length - LONGEST_PLACEHOLDER));
  while (index >= 0) {
    if (BEGINNING.test(text.slice(index))) return index;
    index = text.indexOf('[', index + 1);
  }
  return text.length;
}

/**
 * Puts the client's values back into a text that arrives in pieces. For any split, what `push` and
 * `flush` return together equals `unmaskText` of the whole; only what could be the beginning of a
 * placeholder is held back.
 */
export class StreamUnmasker {
  #held = '';

  constructor(
    private readonly vault: Vault,
    private readonly encoding: Encoding = 'plain',
  ) {}

  /** The text that may be emitted now. */
  push(text: string): string {
    if (this.vault.isEmpty) return text;
    const joined = this.#held + text;
    const end = beginningOfPlaceholder(joined);
    this.#held = joined.slice(end);
    return unmaskText(joined.slice(0, end), this.vault, this.encoding);
  }

  /** What was held back; the text has ended. */
  flush(): string {
    const rest = this.#held;
    this.#held = '';
    return rest;
  }
}

/** Text before a segment that is shown to the detectors again, for the words in it. */
const CONTEXT = 48;
/** Text behind the last digit or `@` that belongs to its segment, for the same reason. */
const REACH = 40;
/** A segment is cut here even inside of numbers, so that memory is bounded. */
const LONGEST_SEGMENT = 512;
/** A private key is the one finding that is longer. */
const LONGEST_KEY = 8_400;
/** A word this long may be a token without any digit. */
const LONG_WORD = 20;
const KEY_BEGINS = '-----BEGIN';
const KEY_ENDS = /-----END [A-Z ]{1,40}-----/;

/** Told of each place of a plain text, counted from its beginning, and of what stands there now. */
export type OnReplaced = (start: number, end: number, instead: string) => void;

/** What scanners saw. Several may share one, as for the choices of an answer. */
export class ScanReport {
  readonly tally = new Tally();
  /** The classes that were replaced, with their counts. */
  readonly masked = new Map<FindingClass, number>();

  add(code: FindingClass, confidence: Confidence, isReplaced: boolean): void {
    this.tally.add(code, confidence);
    if (isReplaced) this.masked.set(code, (this.masked.get(code) ?? 0) + 1);
  }
}

/** True where a character makes the text around it worth a detector's look. */
function isTelling(code: number): boolean {
  return (code >= 48 && code <= 57) || code === 64;
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || code === 0xa0 || code === 0x202f;
}

/** Where an overlong segment is cut: at the last space outside of numbers, if there is one. */
function forcedCut(text: string): number {
  const spaces = [...text.matchAll(/(?<=\D)\s(?=\D)/g)];
  const last = spaces.at(-1);
  return last && last.index >= text.length / 2 ? last.index + 1 : text.length;
}

/**
 * The firewall on a model's text that arrives in pieces. The text is cut into segments at spaces
 * with nothing telling before them; where it is cut depends on the text alone and not on the
 * pieces, so any split gives the same result, and a whole answer pushed at once is the same thing.
 * Prose passes word by word; text with digits or `@` waits for the next 40 characters.
 *
 * Values that the client sent are no findings. Under `mask` and `block` others are replaced by
 * `[class]`, irreversibly. JSON (arguments of tool calls) is judged as one document when it ends,
 * because a replaced number must become a string; it passes at once where nothing is replaced.
 */
export class StreamScanner {
  readonly #modes: FirewallModes;
  readonly #isIdle: boolean;
  readonly #replaces: boolean;
  readonly #wordHold: WordHold;
  #context = '';
  #pending = '';
  #walked = 0;
  #wordStart = 0;
  #tellingUntil = -1;
  #isTelling = false;
  #holdsKey = false;
  /** Characters before what is pending. */
  #settled = 0;

  constructor(
    modes: FirewallModes,
    private readonly vault: Vault,
    private readonly encoding: Encoding = 'plain',
    readonly report = new ScanReport(),
    private readonly onReplaced?: OnReplaced,
  ) {
    this.#modes = withoutInjection(modes);
    this.#isIdle = looksForNothing(this.#modes);
    this.#replaces = changesText(this.#modes);
    this.#wordHold = new WordHold(this.#modes);
  }

  /** Characters of the text, from its beginning, about which everything is known. */
  get settled(): number {
    return this.#replaces ? this.#settled : Number.POSITIVE_INFINITY;
  }

  /** The text that may be emitted now. */
  push(text: string): string {
    if (this.#isIdle) return text;
    this.#pending += text;
    const judged = this.encoding === 'json' ? '' : this.#takeSegments();
    return this.#replaces ? judged : text;
  }

  /** What was held back; the text has ended. */
  flush(): string {
    const rest = this.#judge(this.#pending);
    this.#pending = '';
    return this.#replaces ? rest : '';
  }

  #takeSegments(): string {
    let judged = '';
    let from = 0;
    for (let index = this.#walked; index < this.#pending.length; index += 1) {
      const cut = this.#cutAt(from, index);
      if (cut < 0) continue;
      judged += this.#endSegment(this.#pending.slice(from, cut));
      from = cut;
      index = cut - 1;
      this.#wordStart = cut;
    }
    this.#pending = this.#pending.slice(from);
    this.#walked = this.#pending.length;
    this.#wordStart -= from;
    this.#tellingUntil = Math.max(-1, this.#tellingUntil - from);
    return judged;
  }

  #endSegment(segment: string): string {
    const isWorthALook = this.#isTelling || this.#wordHold.looksAtWords;
    this.#tellingUntil = -1;
    this.#isTelling = false;
    this.#holdsKey = false;
    if (isWorthALook) return this.#judge(segment);
    this.#settled += segment.length;
    this.#context = (this.#context + segment).slice(-CONTEXT);
    return segment;
  }

  /** The end of the segment that begins at `from`, once the character at `index` is known. */
  #cutAt(from: number, index: number): number {
    const code = this.#pending.charCodeAt(index);
    const length = index + 1 - from;
    if (length >= (this.#holdsKey ? LONGEST_KEY : LONGEST_SEGMENT)) {
      return from + forcedCut(this.#pending.slice(from, index + 1));
    }
    if (isTelling(code) || index - this.#wordStart >= LONG_WORD) {
      this.#tellingUntil = index + REACH;
      this.#isTelling = true;
    }
    if (!isSpace(code)) return -1;
    const word = this.#pending.slice(this.#wordStart, index);
    this.#wordStart = index + 1;
    if (word.includes(KEY_BEGINS)) {
      this.#holdsKey = true;
      this.#isTelling = true;
    }
    if (this.#holdsKey) {
      if (!KEY_ENDS.test(this.#pending.slice(Math.max(from, index - 80), index))) return -1;
      this.#holdsKey = false;
    }
    if (this.#wordHold.isPartOfEmail(word)) {
      this.#tellingUntil = index + REACH;
      this.#isTelling = true;
      return -1;
    }
    if (this.#wordHold.waitsAfter(word, code)) {
      this.#isTelling = true;
      return -1;
    }
    return index > this.#tellingUntil ? index + 1 : -1;
  }

  /** A segment as it may leave; what is found in it is counted. */
  #judge(segment: string): string {
    const json = this.encoding === 'json' ? new JsonText(segment) : undefined;
    const seen = this.#context + (json?.view ?? segment);
    const offset = this.#context.length;
    const ranges: { start: number; end: number }[] = [];
    const instead: string[] = [];
    for (const { class: code, confidence, start, end } of scan(seen, this.#modes)) {
      if (end <= offset || this.vault.owns(code, seen.slice(start, end))) continue;
      const isReplaced = replacesValue(this.#modes[code]);
      this.report.add(code, confidence, isReplaced);
      if (!isReplaced) continue;
      const place = { start: Math.max(start, offset) - offset, end: end - offset };
      const label = `[${code}]`;
      this.onReplaced?.(this.#settled + place.start, this.#settled + place.end, label);
      const written = (at: number) => json?.writtenPlace(at) ?? at;
      ranges.push({ start: written(place.start), end: written(place.end) });
      instead.push(label);
    }
    this.#context = seen.slice(-CONTEXT);
    this.#settled += segment.length;
    return replaceRanges(segment, ranges, instead, this.encoding);
  }
}

/** One text of an answer on its way through scanner and unmasker, in any pieces. */
export class AnswerPipe {
  private readonly scanner: StreamScanner;
  private readonly unmasker: StreamUnmasker;

  constructor(modes: FirewallModes, vault: Vault, encoding: Encoding, report: ScanReport) {
    this.scanner = new StreamScanner(modes, vault, encoding, report);
    this.unmasker = new StreamUnmasker(vault, encoding);
  }

  /** The text that may be emitted now. */
  push(text: string): string {
    return this.unmasker.push(this.scanner.push(text));
  }

  /** What was held back; the text has ended. */
  flush(): string {
    return this.unmasker.push(this.scanner.flush()) + this.unmasker.flush();
  }
}
