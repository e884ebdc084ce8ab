import type { UnreadKind } from '../../kernel/firewall/contents.js';
import { embeddedIn } from './embedded.js';

/** Base64 within base64 is read this often. */
const LEVELS_MAX = 3;

/** A piece of base64 that nothing reads. */
export interface UnreadPiece {
  readonly kind: UnreadKind;
  /** True for bytes of which nothing says what they are. */
  readonly isNameless: boolean;
  /** How deeply it is nested: 1 in the text itself, 2 in base64 within it. */
  readonly level: number;
}

/** How base64 within a text is handled. */
export interface EmbeddedReader {
  /** A text; the answer takes its place. */
  read(text: string): string;
  unread(piece: UnreadPiece): void;
}

/**
 * A reader that leaves out what is judged elsewhere: the whole of a member, and bytes that nothing
 * names where they are ordinary.
 */
export function unlessOrdinary(
  reader: EmbeddedReader,
  isJudged: boolean,
  isOrdinary: boolean,
): EmbeddedReader {
  if (!isJudged && !isOrdinary) return reader;
  return {
    read: reader.read,
    unread(piece) {
      const isLeftOut = (isJudged && piece.level === 1) || (isOrdinary && piece.isNameless);
      if (!isLeftOut) reader.unread(piece);
    },
  };
}

/**
 * Shows a reader the decoded base64 of a text.
 * @param standing the text as the reader left it, the base64 in it included
 * @returns that text with what the reader left of the base64; empty where a value that was replaced
 * in both readings would still show the other
 */
export function withEmbedded(
  text: string,
  standing: string,
  reader: EmbeddedReader,
  level = 1,
): string {
  const edits: Edit[] = [];
  for (const { begin, end, unread, isNameless = false, read } of embeddedIn(text)) {
    const isTooDeep = read !== undefined && level > LEVELS_MAX;
    if (unread || isTooDeep) reader.unread({ kind: unread ?? 'file', isNameless, level });
    if (!read || isTooDeep) continue;
    const within = withEmbedded(read.text, reader.read(read.text), reader, level + 1);
    if (within !== read.text) edits.push({ begin, end, changed: read.encode(within) });
  }
  return edits.length === 0 ? standing : edited(text, standing, edits);
}

interface Edit {
  readonly begin: number;
  readonly end: number;
  readonly changed: string;
}

function edited(text: string, standing: string, edits: readonly Edit[]): string {
  const places = new Places(text, standing);
  let left = '';
  let at = 0;
  for (const { begin, end, changed } of edits) {
    const written = text.slice(begin, end);
    const place = places.of(written, begin);
    if (place === undefined || place < at) {
      if (hasPartOf(written, standing)) return '';
      continue;
    }
    left += standing.slice(at, place) + changed;
    at = place + written.length;
  }
  return left + standing.slice(at);
}

/** Where pieces of a text stand in what a reader left of it. */
class Places {
  private readonly known = new Map<string, readonly (readonly number[])[]>();

  constructor(
    private readonly text: string,
    private readonly standing: string,
  ) {}

  /** Undefined where it is uncertain which of several equal ones was replaced. */
  of(written: string, begin: number): number | undefined {
    if (this.standing === this.text) return begin;
    const known = this.known.get(written);
    const [given = [], left = []] = known ?? [
      placesOf(this.text, written),
      placesOf(this.standing, written),
    ];
    if (!known) this.known.set(written, [given, left]);
    return given.length === left.length ? left[given.indexOf(begin)] : undefined;
  }
}

function placesOf(text: string, written: string): number[] {
  const places: number[] = [];
  let at = text.indexOf(written);
  while (at >= 0) {
    places.push(at);
    at = text.indexOf(written, at + written.length);
  }
  return places;
}

const PART = 12;

/** False where what was replaced around a piece took all of it away. */
function hasPartOf(written: string, left: string): boolean {
  return left.includes(written.slice(0, PART)) || left.includes(written.slice(-PART));
}
