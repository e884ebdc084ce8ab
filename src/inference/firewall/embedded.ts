import type { UnreadKind } from '../../kernel/firewall/contents.js';
import { BYTES_CHARACTERS_MIN, FILE_CHARACTERS_MIN, isMixed, unreadBytes } from './base64-bytes.js';
import { type Chain, chainAt } from './base64-chain.js';
import { inManner } from './base64-layout.js';
import {
  type Ends,
  endsOfPayload,
  endsOfRow,
  isMixedCase,
  matchAt,
  mayHaveRow,
  nextRow,
} from './base64-rows.js';
import { withoutHidden } from './base64-signs.js';
import type { TextAmongSigns } from './base64-text.js';
import { bytesIn, charsetOf, withoutSpelling, withoutWrapping } from './encoded-text.js';
import { inHexadecimal } from './hexadecimal.js';
import { beginsAsText } from './text-bytes.js';
import { kindOfBytes, unreadInText } from './unread.js';
import { type Writing, writingOf } from './writings.js';

/** What base64 is. */
interface Piece {
  /** The base64 as the text has it. */
  readonly written: string;
  /** What it carries that nothing reads. */
  readonly unread: UnreadKind | undefined;
  /** True for bytes of which nothing says what they are. */
  readonly isNameless?: boolean;
  /** The text that it is, and the way to write another one in its place. */
  readonly read: { readonly text: string; readonly encode: (text: string) => string } | undefined;
}

/** Base64 within a text, and its place there. */
export interface Embedded extends Omit<Piece, 'written'> {
  readonly begin: number;
  readonly end: number;
}

/** Further ones in one text are not read. */
const EMBEDDED_MAX = 256;
/** What may part a name from the base64 behind it, looked for at the beginning of a row. */
const DIVIDER = /[_/+-]/g;
const LEAD_MAX = 40;
const LEADS_MAX = 6;
/** A cut, or signs that do not belong to it, may put base64 out of its groups of four. */
const SHIFTS = [1, 2, 3] as const;
/** So many signs show whether they are mixed as bytes are. */
const HEAD_SIGNS = 1_024;
const DIVIDED = /[_/+-]$/;

const NOTHING: readonly Embedded[] = Object.freeze([]);

const COLON = ':';
const SMALL = 0x20;
const [D, A] = [0x64, 0x61];

/** True where a text contains `data:`, in any case. */
function mayHaveAddress(text: string): boolean {
  for (let at = text.indexOf(COLON); at >= 0; at = text.indexOf(COLON, at + 1)) {
    const isLast = (text.charCodeAt(at - 1) | SMALL) === A;
    if (isLast && (text.charCodeAt(at - 4) | SMALL) === D) return true;
  }
  return false;
}

/** False proves that a text has no base64 that would be read, or counted as unread. */
export function mayEmbed(text: string): boolean {
  return mayHaveRow(text) || mayHaveAddress(text);
}

const ADDRESS = /data:[^,\r\n"'<>]{0,400};\s{0,4}base64\s{0,4},\s{0,4}/gi;
const LINES = /(?:\\r)?\\n|[\s>]/g;

/** The bytes of base64; undefined where it is not well formed. */
function bytesOf(payload: string): Buffer | undefined {
  const bytes = Buffer.from(payload, 'base64');
  return bytes.length > 0 && bytes.length === bytesIn(payload) ? bytes : undefined;
}

/** A text that stood in an encoding, and the way to write another one in its manner. */
function readOf({ text, encode }: Writing, written: string, lead = '') {
  return {
    text,
    encode: (changed: string) => inManner(encode(changed), withoutSpelling(written), lead),
  };
}

/** What is no text and no drawing of letters, by its address. */
const MEDIUM = /^data:(?:image\/(?!svg)|audio|video)/i;

/** What base64 behind an address is. */
function behindAddress(
  text: string,
  address: string,
  begin: number,
  ends: Ends,
): Piece | undefined {
  const { tries, whole } = ends;
  const among = amongSigns(text, chainAt(text, begin), begin, ends, address);
  if (among) return among;
  let guess: Piece | undefined;
  for (const end of tries) {
    const written = text.slice(begin, end);
    const payload = withoutWrapping(written.replace(LINES, '').replaceAll('\\/', '/'));
    const bytes = bytesOf(payload);
    const writing = bytes && writingOf(bytes, charsetOf(address));
    if (!writing) continue;
    const isTooShort = written.length < FILE_CHARACTERS_MIN && MEDIUM.test(address);
    const unread = isTooShort ? undefined : unreadInText(address + payload, writing);
    const one = { written, unread, read: readOf(writing, written) };
    if (writing.isCertain) return one;
    guess ??= one;
  }
  if (guess) return guess;
  const written = text.slice(begin, whole);
  if (written.length < FILE_CHARACTERS_MIN) return undefined;
  return { written, unread: kindOfBytes(address + written) ?? 'file', read: undefined };
}

/** What a row of signs is, with the rows that follow it, where they end so. */
function inRows(text: string, begin: number, ends: Ends, chain: Chain): Piece | undefined {
  // First, since hexadecimal digits are base64 of letters, too, of those of the West.
  const hexadecimal = inHexadecimal(text, begin, ends);
  if (hexadecimal) return hexadecimal;
  const among = amongSigns(text, chain, begin, ends);
  if (among) return among;
  const joined = inWholeChain(text, chain, begin, ends) ?? namedChain(text, chain, begin, ends);
  if (joined || ends.tries.length === 0) return joined ?? anywhere(text, chain, begin, chain.end);
  const { certain, guess } = tried(text, begin, ends.tries);
  if (certain) return certain;
  const near = amongSigns(text, chain, begin);
  if (near) return near;
  const written = text.slice(begin, ends.whole);
  const bytes = unreadBytes(written.replace(LINES, ''));
  if (guess?.unread) return guess;
  if (bytes) return { written, unread: bytes.kind, isNameless: bytes.isNameless, read: undefined };
  return anywhere(text, chain, begin, ends.whole) ?? guess;
}

/** A text in any encoding that all rows of a chain are together; tried once for each chain. */
function inWholeChain(text: string, chain: Chain, begin: number, ends: Ends): Piece | undefined {
  if (chain.isTried || chain.end <= (ends.tries[0] ?? begin)) return undefined;
  chain.isTried = true;
  return tried(text, begin, [chain.end]).certain;
}

/** A file that its first signs name, however narrow its rows are. */
function namedChain(text: string, chain: Chain, begin: number, ends: Ends): Piece | undefined {
  if (chain.end <= ends.whole || ends.whole - begin >= FILE_CHARACTERS_MIN) return undefined;
  const from = chain.signAt(begin);
  const head = chain.signs.slice(from, from + HEAD_SIGNS);
  const kind = isGuessOfBytes(head) ? kindOfBytes(head) : undefined;
  return kind && { written: text.slice(begin, chain.end), unread: kind, read: undefined };
}

/** What rows are that are a text from end to end, and what they may be. */
function tried(text: string, begin: number, tries: readonly number[]) {
  let guess: Piece | undefined;
  for (const end of mayBeText(text.slice(begin, tries[0])) ? tries : []) {
    const written = text.slice(begin, end);
    const payload = written.replace(LINES, '');
    for (const lead of leadsOf(payload)) {
      const own = payload.slice(lead.length);
      const bytes = beginsAsText(own) ? bytesOf(own) : undefined;
      const writing = bytes && writingOf(bytes);
      if (!writing) continue;
      const read = readOf(writing, written, lead);
      if (writing.isCertain) {
        return { certain: { written, unread: unreadInText(own, writing), read }, guess };
      }
      // What stands behind other signs is a text only where it is certain.
      if (lead !== '' && !DIVIDED.test(lead)) continue;
      guess ??= {
        written,
        unread: isGuessOfBytes(own) ? unreadInText(own, writing) : undefined,
        read,
      };
    }
  }
  return { certain: undefined, guess };
}

/**
 * A text that begins near a place, whatever stands before it and wherever it ends. Signs that begin
 * as a file are no text, though some of their bytes may be.
 * @param ends given, the text must go on behind them
 * @param address what stands before the base64, which then begins with the text
 */
function amongSigns(
  text: string,
  chain: Chain,
  begin: number,
  ends?: Ends,
  address?: string,
): Piece | undefined {
  const end = ends?.tries[0] ?? begin;
  if (ends && chain.end <= end) return undefined;
  const from = chain.signAt(begin);
  const among = chain.textNear(from, FILE_CHARACTERS_MIN - 1);
  if (!among || (ends && chain.endOf(among.end) <= end)) return undefined;
  if (address !== undefined && (among.lead > from || among.bytes.length > 0)) return undefined;
  if (kindOfBytes(chain.signs.slice(from, from + FILE_CHARACTERS_MIN))) return undefined;
  return pieceOf(text, chain, begin, among, address);
}

/** The first text that begins between two places. */
function anywhere(text: string, chain: Chain, begin: number, end: number): Piece | undefined {
  const from = chain.signAt(begin);
  const among = chain.textFrom(from);
  if (!among || chain.placeOf(among.lead) >= end) return undefined;
  return pieceOf(text, chain, begin, among);
}

function pieceOf(
  text: string,
  chain: Chain,
  begin: number,
  among: TextAmongSigns,
  address = '',
): Piece {
  const from = chain.signAt(begin);
  const lead = chain.signs.slice(from, among.lead);
  const written = text.slice(begin, chain.endOf(among.end));
  const own = chain.signs.slice(among.lead, among.end);
  const encode = (changed: string) => Buffer.concat([among.bytes, Buffer.from(changed)]);
  const read = readOf({ text: among.text, isCertain: true, encode }, written, lead);
  const unread = unreadInText(address + own, { text: among.text, isCertain: true });
  return { written, unread: unread ?? unreadBytes(lead)?.kind, read };
}

/** True where a text that was guessed from signs is not all that they may be. */
function isGuessOfBytes(payload: string): boolean {
  return payload.length >= FILE_CHARACTERS_MIN && isMixed(payload);
}

/** What may precede base64 in a row of signs. */
function leadsOf(row: string): string[] {
  const dividers = row.slice(0, LEAD_MAX).matchAll(DIVIDER);
  const leads = Array.from(dividers, ({ index }) => row.slice(0, index + 1));
  const shifts = SHIFTS.map((count) => row.slice(0, count));
  return [...new Set(['', ...leads.slice(0, LEADS_MAX), ...shifts])];
}

/** False for short rows that no text in base64 looks like: names, words, digests. */
function mayBeText(row: string): boolean {
  if (row.length >= BYTES_CHARACTERS_MIN) return true;
  return isMixedCase(row);
}

/**
 * The base64 within a text, in its order: what is a text, and what nothing reads.
 * Addresses in `data:` count at any length; other base64 as a row of at least 40 signs, with the
 * rows below it. A text in UTF-8 of 24 bytes and more is found among whatever other signs, and in
 * narrower rows, down to 16 signs, that follow one another or are parted by blanks. A text that is
 * a guess counts as unread from 64 signs on, and bytes that nothing names from 128 signs on.
 * Invisible characters count for nothing. The time is linear.
 */
export function embeddedIn(text: string): readonly Embedded[] {
  if (!mayEmbed(text)) return NOTHING;
  const shown = withoutHidden(text);
  if (!shown) return new Search(text).all();
  return new Search(shown.view).all().map((each) => {
    const last = shown.writtenPlace(Math.max(each.begin, each.end - 1));
    const end = each.end === each.begin ? last : last + 1;
    return { ...each, begin: shown.writtenPlace(each.begin), end };
  });
}

/** Walks over the base64 of a text. */
class Search {
  /** Rows before it were tried together. */
  private tried = 0;
  private chain: Chain | undefined;

  constructor(private readonly text: string) {}

  all(): readonly Embedded[] {
    const { text } = this;
    const found: Embedded[] = [];
    let row = nextRow(text, 0);
    let address = mayHaveAddress(text) ? matchAt(ADDRESS, text, 0) : null;
    while (row >= 0 || address) {
      const isRow = !address || (row >= 0 && row < address.index);
      const begin = !address || isRow ? row : address.index + address[0].length;
      const { piece, whole } =
        !address || isRow
          ? this.inRows(begin, address?.index ?? text.length)
          : this.behind(address[0], begin);
      const end = Math.max(piece ? begin + piece.written.length : whole, begin + 1);
      if (piece && found.length === EMBEDDED_MAX) return [...found, tooMany(begin)];
      if (piece) found.push({ ...piece, begin, end });
      if (row >= 0 && row < end) row = this.rowFrom(end);
      if (address && address.index < end) address = matchAt(ADDRESS, text, end);
    }
    return found;
  }

  private inRows(begin: number, limit: number) {
    const ends = endsBefore(endsOfRow(this.text, begin, begin < this.tried), limit);
    this.tried = Math.max(this.tried, ends.tried);
    if (!this.chain || begin >= this.chain.end) this.chain = chainAt(this.text, begin, limit);
    return { piece: inRows(this.text, begin, ends, this.chain), whole: ends.whole };
  }

  private behind(address: string, begin: number) {
    const ends = endsOfPayload(this.text, begin);
    this.tried = Math.max(this.tried, ends.tried);
    return { piece: behindAddress(this.text, address, begin, ends), whole: ends.whole };
  }

  /** The next row: a long one, or one in which a text begins that the chain goes on with. */
  private rowFrom(place: number): number {
    const { chain } = this;
    if (!chain || place >= chain.end) return nextRow(this.text, place);
    const row = nextRow(this.text, place, chain.end);
    const more = chain.textFrom(chain.signAt(place));
    if (!more) return row;
    const begin = Math.max(place, chain.placeOf(more.lead));
    return row < 0 ? begin : Math.min(row, begin);
  }
}

/** A row ends where an address begins, since its first letters are signs, too. */
function endsBefore({ tries, whole, tried }: Ends, limit: number): Ends {
  const within = tries.map((end) => Math.min(end, limit));
  return { tries: within, whole: Math.min(whole, limit), tried: Math.min(tried, limit) };
}

function tooMany(place: number): Embedded {
  return { begin: place, end: place, unread: 'file', read: undefined };
}
