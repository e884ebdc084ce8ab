import type { FindingClass } from '../../kernel/firewall/vocabulary.js';
import { insideJsonString, insideStrings } from './json-text.js';
import { spellingOf } from './spelling.js';

/** How a text is written: as it reads, or as JSON source that must stay valid. */
export type Encoding = 'plain' | 'json';

/** Every placeholder in a text, ours or not. */
export const PLACEHOLDER = /\[\[GW_[A-Z]+(?:_[A-Z]+)*_\d{1,9}\]\]/g;

/**
 * The client's values in one request, and the placeholders that stand for them upstream. It lives
 * as long as the request and is never stored. A value has one placeholder, whatever its class and
 * however often it occurs; a placeholder that the client itself wrote is never given out.
 */
export class Vault {
  // Most requests hold nothing to remember, so the books are opened with the first entry.
  #books: VaultState | undefined;
  /** As it was brought from another thread, or is taken there; undefined once it has changed. */
  #packed: PackedVault | undefined;

  /** What answers need of it, in few objects: a copy for another thread. */
  packed(): PackedVault {
    const { values, owned } = this.#books ?? new VaultState();
    this.#packed ??= { values: packTexts([...values].flat()), owned: packTexts(owned) };
    return this.#packed;
  }

  /** The vault of a copy, ready for answers; by turns, since a hostile text has many values. */
  static *unpacking(packed: PackedVault): Generator<void, Vault> {
    const vault = new Vault();
    const { values, owned } = vault.#opened();
    let placeholder: string | undefined;
    let count = 0;
    for (const text of textsIn(packed.values)) {
      if (placeholder === undefined) placeholder = text;
      else {
        values.set(placeholder, text);
        placeholder = undefined;
      }
      count += 1;
      if (count % TURN_TEXTS === 0) yield;
    }
    for (const text of textsIn(packed.owned)) {
      owned.add(text);
      count += 1;
      if (count % TURN_TEXTS === 0) yield;
    }
    if (count === 0) vault.#books = undefined;
    vault.#packed = packed;
    return vault;
  }

  /** True where nothing was masked, so that no answer can hold a placeholder of ours. */
  get isEmpty(): boolean {
    return this.#books === undefined || this.#books.values.size === 0;
  }

  /** Keeps the placeholders that already stand in a text. Call it before anything is masked. */
  reserve(text: string): void {
    if (!text.includes('[[GW_')) return;
    for (const [placeholder] of text.matchAll(PLACEHOLDER))
      this.#opened().reserved.add(placeholder);
  }

  /** Notes that the client sent this value; it is no finding in the answer. */
  remember(code: FindingClass, value: string): void {
    this.#opened().owned.add(spellingOf(code, value));
  }

  /** True where the client sent this value, in this spelling or another one. */
  owns(code: FindingClass, value: string): boolean {
    return this.#books?.owned.has(spellingOf(code, value)) ?? false;
  }

  /** The placeholder of a value, the same one each time. */
  placeholderFor(code: FindingClass, value: string): string {
    const { placeholders, values, reserved, counters } = this.#opened();
    const known = placeholders.get(value);
    if (known) return known;
    let count = counters.get(code) ?? 0;
    let placeholder: string;
    do {
      count += 1;
      placeholder = `[[GW_${code.toUpperCase()}_${count}]]`;
    } while (reserved.has(placeholder));
    counters.set(code, count);
    placeholders.set(value, placeholder);
    values.set(placeholder, value);
    this.remember(code, value);
    return placeholder;
  }

  /** The value behind a placeholder, or undefined for one that is not ours. */
  valueOf(placeholder: string): string | undefined {
    return this.#books?.values.get(placeholder);
  }

  #opened(): VaultState {
    this.#packed = undefined;
    this.#books ??= new VaultState();
    return this.#books;
  }
}

/** Texts in two objects, whatever their number. */
interface PackedTexts {
  readonly joined: string;
  readonly lengths: Uint32Array;
}

/** What answers need of a vault. */
export interface PackedVault {
  /** Placeholders, each with its value behind it. */
  readonly values: PackedTexts;
  readonly owned: PackedTexts;
}

/** So many texts are unpacked in one turn. */
const TURN_TEXTS = 8_192;

function packTexts(texts: Iterable<string>): PackedTexts {
  const all = [...texts];
  return { joined: all.join(''), lengths: Uint32Array.from(all, ({ length }) => length) };
}

function* textsIn({ joined, lengths }: PackedTexts): Generator<string> {
  let from = 0;
  for (const length of lengths) {
    yield joined.slice(from, from + length);
    from += length;
  }
}

/** What a vault knows. */
class VaultState {
  /** Placeholders by value, and values by placeholder. */
  readonly placeholders = new Map<string, string>();
  readonly values = new Map<string, string>();
  /** Placeholders that the client itself wrote. */
  readonly reserved = new Set<string>();
  /** Values of the client in their normal form. */
  readonly owned = new Set<string>();
  readonly counters = new Map<FindingClass, number>();
}

/**
 * The text with each range, which are ordered, disjoint places of it as it is written, replaced. In
 * JSON a number becomes a string, so that the document stays valid.
 */
export function replaceRanges(
  text: string,
  ranges: readonly { readonly start: number; readonly end: number }[],
  instead: readonly string[],
  encoding: Encoding,
): string {
  if (ranges.length === 0) return text;
  const starts = encoding === 'json' ? ranges.map(({ start }) => start) : undefined;
  const quoted = starts && insideStrings(text, starts);
  let written = '';
  let from = 0;
  ranges.forEach(({ start, end }, index) => {
    const value = instead[index] ?? '';
    written += text.slice(from, start);
    written += quoted?.[index] === false ? `"${value}"` : value;
    from = end;
  });
  return written + text.slice(from);
}

/** Puts the client's values back; in JSON they are escaped as a string's content must be. */
export function unmaskText(text: string, vault: Vault, encoding: Encoding = 'plain'): string {
  if (vault.isEmpty || !text.includes('[[GW_')) return text;
  return text.replace(PLACEHOLDER, (placeholder) => {
    const value = vault.valueOf(placeholder);
    if (value === undefined) return placeholder;
    return encoding === 'json' ? insideJsonString(value) : value;
  });
}
