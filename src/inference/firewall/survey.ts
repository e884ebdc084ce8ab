import { replacesValue, withoutInjection } from '../../kernel/firewall/modes.js';
import type { FindingClass, FirewallModes } from '../../kernel/firewall/vocabulary.js';
import type { TextVisitor } from './body-texts.js';
import { type Finding, Tally } from './finding.js';
import { hasSpelling } from './json-text.js';
import { joinedMarks, type Mark, marksIn } from './mark.js';
import { type Encoding, replaceRanges, Vault } from './mask.js';
import { scan } from './scan.js';

/** Texts up to this length are the same wherever they stand: names, ids, words of a schema. */
const SAME_LENGTH_MAX = 256;

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

/** The first pass over a request: what is in it, and nothing changed. */
export class Survey implements TextVisitor {
  readonly vault = new Vault();
  readonly tally = new Tally();
  isBlocked = false;
  isMasked = false;
  /** What was found, by the number of the call that showed it. */
  readonly marks = new Map<number, readonly Mark[]>();
  /** What was found in short texts, wherever they stood. */
  readonly same = new Map<string, readonly Mark[]>();
  /** How often detectors were asked; at most a few times for each text of the request. */
  scans = 0;
  private site = 0;
  private pendingName = '';
  private readonly open: { readonly isForeign: boolean; together: Together | undefined }[] = [];
  private readonly ownModes: FirewallModes;

  constructor(private readonly modes: FirewallModes) {
    this.ownModes = withoutInjection(modes);
  }

  alone(text: string, encoding: Encoding, isForeign: boolean): string {
    const site = this.site++;
    this.vault.reserve(text);
    this.scans += 1;
    this.note(site, text, marksIn(text, encoding, this.modesFor(isForeign)));
    return text;
  }

  begin(isForeign: boolean): void {
    this.open.push({ isForeign, together: undefined });
  }

  end(): void {
    const { together, isForeign = false } = this.open.pop() ?? {};
    this.pendingName = '';
    if (!together) return;
    this.vault.reserve(together.view);
    this.scans += 1;
    const found = together.marksOf(scan(together.view, this.modesFor(isForeign)));
    for (const [piece, spelled] of together.spelled) {
      found.set(piece, [...joinedMarks([found.get(piece) ?? [], spelled])]);
    }
    for (const [piece, marks] of found) {
      this.note(together.sites[piece] ?? 0, together.texts[piece] ?? '', marks);
    }
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

  private note(site: number, text: string, marks: readonly Mark[]): void {
    if (marks.length === 0) return;
    this.marks.set(site, marks);
    if (text.length <= SAME_LENGTH_MAX) {
      const known = this.same.get(text);
      this.same.set(text, known ? joinedMarks([known, marks]) : marks);
    }
    for (const { class: code, confidence, value } of marks) {
      this.tally.add(code, confidence);
      this.vault.remember(code, value);
      const mode = this.modes[code];
      if (mode === 'block' && confidence === 'confirmed') this.isBlocked = true;
      if (replacesValue(mode)) this.isMasked = true;
    }
  }
}

/**
 * The second pass: every value whose mode says so becomes its placeholder. A short text in which
 * something was found is treated the same wherever it stands, so that the id of a call, a name in
 * `required` and its property stay equal.
 */
export class Masking implements TextVisitor {
  readonly masked = new Map<FindingClass, number>();
  private site = 0;

  constructor(
    private readonly survey: Survey,
    private readonly modes: FirewallModes,
  ) {}

  alone(text: string, encoding: Encoding): string {
    return this.replaced(text, encoding);
  }

  begin(): void {}

  end(): void {}

  known(): void {}

  name(name: string): string {
    return this.replaced(name, 'plain');
  }

  text(text: string): string {
    return this.replaced(text, 'plain');
  }

  number(value: number, written: string): number | string {
    const replaced = this.replaced(written, 'plain');
    return replaced === written ? value : replaced;
  }

  private replaced(text: string, encoding: Encoding): string {
    const { marks, same, vault } = this.survey;
    const site = this.site++;
    const found = (text.length <= SAME_LENGTH_MAX ? same.get(text) : undefined) ?? marks.get(site);
    const replaced = found?.filter(({ class: code }) => replacesValue(this.modes[code])) ?? [];
    if (replaced.length === 0) return text;
    const placeholders = replaced.map(({ class: code, value }) => {
      this.masked.set(code, (this.masked.get(code) ?? 0) + 1);
      return vault.placeholderFor(code, value);
    });
    return replaceRanges(text, replaced, placeholders, encoding);
  }
}
