import { replacesValue, withoutInjection } from '../../kernel/firewall/modes.js';
import type { FindingClass, FirewallModes } from '../../kernel/firewall/vocabulary.js';
import type { TextVisitor } from './body-texts.js';
import { type Finding, Tally } from './finding.js';
import type { Piece } from './joints.js';
import { hasSpelling } from './json-text.js';
import { joinedMarks, type Mark, marksIn, outsideOfEscapes } from './mark.js';
import { type Encoding, Vault } from './mask.js';
import { scan } from './scan.js';
import { type Joined, joinedMarksOf, withJoined } from './seams.js';
import type { TokenReading } from './token-text.js';
import type { Unread } from './unread.js';
import { withEmbedded } from './with-embedded.js';

/** Texts up to this length are the same wherever they stand: names, ids, words of a schema. */
export const SAME_LENGTH_MAX = 256;

/** Values that stand together, as one text in which the names are the words around the values. */
class Together {
  view = '';
  readonly sites: number[] = [];
  /** Where the piece of each site begins in the view. */
  readonly starts: number[] = [];
  readonly texts: string[] = [];
  /** What escapes hide in the texts of some sites, by the index of the site in the lists. */
  readonly spelled = new Map<number, readonly Mark[]>();

  add(site: number, text: string, before: string, after: string): void {
    this.view += before;
    this.sites.push(site);
    this.starts.push(this.view.length);
    this.texts.push(text);
    this.view += text + after;
  }

  /** The findings of the view in the pieces that they touch, by the index of the site. */
  marksOf(findings: readonly Finding[]): Map<number, Mark[]> {
    const marks = new Map<number, Mark[]>();
    let first = 0;
    for (const finding of findings) {
      while (first + 1 < this.starts.length && (this.starts[first + 1] ?? 0) <= finding.start) {
        first += 1;
      }
      for (let piece = first; (this.starts[piece] ?? finding.end) < finding.end; piece += 1) {
        const begins = this.starts[piece] ?? 0;
        const text = this.texts[piece] ?? '';
        const start = Math.max(0, finding.start - begins);
        const end = Math.min(text.length, finding.end - begins);
        if (start >= end) continue;
        const mark = { ...finding, start, end, value: text.slice(start, end) };
        const known = marks.get(piece);
        if (known) known.push(mark);
        else marks.set(piece, [mark]);
      }
    }
    return marks;
  }
}

/** Token arrays as the firewall has read them; undefined where nobody has decoded them. */
export type TokenReadings = readonly (readonly TokenReading[])[] | undefined;

/** The first pass over a request: what is in it, and nothing changed. */
export class Survey implements TextVisitor {
  readonly vault = new Vault();
  readonly tally = new Tally();
  isMasked = false;
  /** The classes that refuse the request. */
  readonly blockedBy = new Set<FindingClass>();
  /** What was found, by the number of the call that showed it. */
  readonly marks = new Map<number, readonly Mark[]>();
  /** What was found in short texts, wherever they stood. */
  readonly same = new Map<string, readonly Mark[]>();
  /** How often detectors were asked for a text by itself; at most a few times for each text. */
  scans = 0;
  /** The content that nothing reads. */
  readonly unreadContent: Unread[] = [];
  private site = 0;
  private unit = 0;
  private pendingName = '';
  private readonly open: { readonly isForeign: boolean; together: Together | undefined }[] = [];
  private readonly said: (Piece & { readonly isPlain: boolean })[] = [];
  private readonly ownModes: FirewallModes;

  constructor(
    private readonly modes: FirewallModes,
    readonly readings?: TokenReadings,
  ) {
    this.ownModes = withoutInjection(modes);
  }

  alone(text: string, encoding: Encoding, isForeign: boolean, isSaid: boolean): string {
    const site = this.site++;
    this.vault.reserve(text);
    this.scans += 1;
    const marks = marksIn(text, encoding, this.modesFor(isForeign));
    if (!isSaid) this.note(site, text, marks);
    else {
      const isPlain = encoding === 'plain';
      this.said.push({ site, text, unit: this.unit, isForeign, marks, isPlain });
    }
    return text;
  }

  next(): void {
    this.unit += 1;
  }

  unread(content: Unread): void {
    this.unreadContent.push(content);
  }

  /**
   * All that the arrays may say. What is to be replaced in a text that cannot stand for its array,
   * nobody can replace: it refuses the request.
   */
  tokens(input: readonly unknown[]): unknown {
    const isList = Array.isArray(input[0]);
    const { written } = this;
    for (let index = 0; index < (isList ? input.length : 1); index += 1) {
      const readings = this.readings?.[index] ?? [];
      const place = isList ? `input.${index}` : 'input';
      if (!readings.some(({ isWritten }) => isWritten)) this.unread({ kind: 'tokens', place });
      this.next();
      for (const reading of readings) {
        const read = this.readerOf(reading, written);
        const { text, isWritten } = reading;
        read(text, true);
        withEmbedded(text, text, {
          read: (inner) => read(inner, false),
          unread: ({ kind }) => isWritten && this.unread({ kind, place }),
        });
      }
    }
    return input;
  }

  private readerOf({ encoding, isWritten }: TokenReading, written: number | undefined) {
    return (text: string, isSaid: boolean): string =>
      encoding === written
        ? this.alone(text, 'plain', false, isSaid)
        : this.readOnly(text, isWritten && written === undefined);
  }

  /**
   * The encoding that writes all arrays of the request, so that texts can stand in their place; of
   * several the one in which most is found. Undefined where there is none.
   */
  get written(): number | undefined {
    this.#written ??= { encoding: writtenBy(this.readings ?? [], this.ownModes) };
    return this.#written.encoding;
  }

  #written: { readonly encoding: number | undefined } | undefined;

  /** A text that cannot stand for its array. A guess counts only where no text can. */
  private readOnly(text: string, countsGuesses: boolean): string {
    for (const mark of marksIn(text, 'plain', this.ownModes)) {
      if (mark.confidence !== 'confirmed' && !countsGuesses) continue;
      this.count(mark);
      if (replacesValue(this.modes[mark.class])) this.blockedBy.add(mark.class);
    }
    return text;
  }

  begin(isForeign: boolean): void {
    this.open.push({ isForeign, together: undefined });
  }

  end(): void {
    const { together, isForeign = false } = this.open.pop() ?? {};
    this.pendingName = '';
    if (together) this.judgeTogether(together, isForeign);
    if (this.open.length === 0) this.judgeSaid();
  }

  private judgeTogether(together: Together, isForeign: boolean): void {
    this.vault.reserve(together.view);
    this.scans += 1;
    const found = together.marksOf(scan(together.view, this.modesFor(isForeign)));
    for (const [piece, spelled] of together.spelled) {
      const read = outsideOfEscapes(together.texts[piece] ?? '', found.get(piece) ?? []);
      found.set(piece, [...joinedMarks([read, spelled])]);
    }
    for (const [piece, marks] of found) {
      this.note(together.sites[piece] ?? 0, together.texts[piece] ?? '', marks);
    }
  }

  /**
   * What is said, each text by itself and with its neighbours. Arguments of calls stand between
   * texts and do not belong to them, so that the texts are judged without them, too.
   */
  private judgeSaid(): void {
    const joined = this.joinedMarks();
    if (joined.length === 0) {
      for (const { site, text, marks } of this.said) this.note(site, text, marks);
      return;
    }
    const found = new Map(this.said.map(({ site, text, marks }) => [site, { text, marks }]));
    const counted = new Set<Mark>();
    for (const { site, mark, continues } of joined) {
      const piece = found.get(site);
      if (!piece) continue;
      const { marks, whole } = withJoined(piece.marks, mark, piece.text, this.modes);
      found.set(site, { text: piece.text, marks });
      if (continues) counted.add(whole);
      else if (whole.class !== mark.class) this.count(mark);
    }
    for (const [site, { text, marks }] of found) this.note(site, text, marks, counted);
  }

  private joinedMarks(): readonly Joined[] {
    const { said } = this;
    if (said.length < 2) return [];
    if (said.every(({ isPlain }) => isPlain)) return joinedMarksOf(said, this.modes);
    const plain = said.filter(({ isPlain }) => isPlain);
    return [...joinedMarksOf(plain, this.modes), ...joinedMarksOf(said, this.modes)];
  }

  known(name: string): void {
    this.pendingName = name;
  }

  name(name: string): string {
    this.together().add(this.site++, name, '"', '":');
    this.pendingName = '';
    return name;
  }

  text(text: string): string {
    const together = this.together();
    if (hasSpelling(text)) {
      this.scans += 1;
      const isForeign = this.open.at(-1)?.isForeign ?? false;
      const marks = marksIn(text, 'plain', this.modesFor(isForeign));
      together.spelled.set(together.sites.length, marks);
    }
    together.add(this.site++, text, this.namedBefore('"'), '",');
    return text;
  }

  number(value: number, written: string): number {
    this.together().add(this.site++, written, this.namedBefore(''), ',');
    return value;
  }

  private namedBefore(opens: string): string {
    const name = this.pendingName;
    this.pendingName = '';
    return name === '' ? opens : `"${name}":${opens}`;
  }

  private together(): Together {
    const inner = this.open.at(-1);
    if (!inner) throw new TypeError('a value stands in no body');
    inner.together ??= new Together();
    return inner.together;
  }

  private modesFor(isForeign: boolean): FirewallModes {
    return isForeign ? this.modes : this.ownModes;
  }

  private note(
    site: number,
    text: string,
    marks: readonly Mark[],
    counted?: ReadonlySet<Mark>,
  ): void {
    if (marks.length === 0) return;
    this.marks.set(site, marks);
    if (text.length <= SAME_LENGTH_MAX) {
      const known = this.same.get(text);
      this.same.set(text, known ? joinedMarks([known, marks]) : marks);
    }
    for (const mark of marks) {
      this.vault.remember(mark.class, mark.value);
      if (replacesValue(this.modes[mark.class])) this.isMasked = true;
      if (!counted?.has(mark)) this.count(mark);
    }
  }

  private count({ class: code, confidence }: Mark): void {
    this.tally.add(code, confidence);
    if (this.modes[code] === 'block' && confidence === 'confirmed') this.blockedBy.add(code);
  }
}

function writtenBy(
  arrays: readonly (readonly TokenReading[])[],
  modes: FirewallModes,
): number | undefined {
  const found = new Map<number, number>();
  for (const { encoding } of arrays[0] ?? []) {
    const texts = arrays.flatMap((readings) =>
      readings.filter((one) => one.encoding === encoding && one.isWritten),
    );
    if (texts.length < arrays.length) continue;
    found.set(
      encoding,
      texts.reduce((sum, { text }) => sum + scan(text, modes).length, 0),
    );
  }
  const [best] = [...found].sort((left, right) => right[1] - left[1]);
  return best?.[0];
}
