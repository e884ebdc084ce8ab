import { isHarmlessName, isHarmlessNumber } from './harmless.js';
import type { Observation, Reading, Token } from './observation.js';
import { isOpaque, isSecretName, KNOWN_PREFIXES } from './secret-shapes.js';
import { shownText, type TextPlace } from './shown-text.js';
import { readJson } from './syntax/json.js';
import { OBSERVATIONS_MAX, REDACTED, type Syntax } from './vocabulary.js';

/** A piece of the text, and what is shown of it. */
interface Piece {
  readonly from: number;
  readonly to: number;
  readonly shown: string;
}

/**
 * A text of which only what is proved harmless is shown. Every character passes through here on its
 * way out: what no token covers, and what no rule knows, is replaced. Lines keep their numbers.
 */
export class Mask {
  private readonly pieces: readonly Piece[];

  constructor(
    private readonly content: string,
    syntax: Syntax,
    reading: Reading,
  ) {
    this.pieces = piecesOf(content, syntax, reading, 0);
  }

  /** What is shown of a part of the text. A piece that the part cuts is shown where it begins. */
  part(from: number, to: number): string {
    let shown = '';
    for (let index = this.firstAfter(from); index < this.pieces.length; index += 1) {
      const piece = this.pieces[index];
      if (!piece || piece.from >= to) break;
      if (this.content.slice(piece.from, piece.to) === piece.shown) {
        shown += this.content.slice(Math.max(from, piece.from), Math.min(to, piece.to));
      } else if (piece.from >= from) shown += piece.shown;
    }
    return shown;
  }

  /** The first piece that ends behind a place. */
  private firstAfter(at: number): number {
    let low = 0;
    let high = this.pieces.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.pieces[middle]?.to ?? 0) <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Texts inside texts, such as JSON bodies in a workflow, are read so deep. */
const NESTED_MAX = 2;

function piecesOf(content: string, syntax: Syntax, reading: Reading, level: number): Piece[] {
  const view = new View(content, syntax, reading, level);
  const pieces: Piece[] = [];
  let at = 0;
  for (const token of reading.tokens) {
    if (token.from < at) continue;
    if (token.from > at) pieces.push(gap(content, at, token.from));
    pieces.push({ from: token.from, to: token.to, shown: view.shown(token) });
    at = token.to;
  }
  return [...pieces, gap(content, at, content.length)];
}

/** Between two tokens, white space is shown and nothing else but the marks of comments. */
function gap(content: string, from: number, to: number): Piece {
  const lines = content.slice(from, to).split('\n').map(blanked);
  return { from, to, shown: lines.join('\n') };
}

function blanked(line: string): string {
  const text = line.trim();
  if (text === '') return line;
  const [open = ''] = /^(?:#|\/\/|\/\*)/.exec(text) ?? [];
  const close = text.length > open.length + 1 && text.endsWith('*/') ? '*/' : '';
  const blanks = line.length - line.trimStart().length;
  const inside = text.length === open.length ? '' : open === '' ? REDACTED : ` ${REDACTED}`;
  const end = line.slice(line.trimEnd().length);
  return line.slice(0, blanks) + open + inside + (close && ` ${close}`) + end;
}

/** True for literals that stand under the name of a secret, at whatever depth. */
export function isSecretPlace({ name, path, variable }: Observation): boolean {
  return variable === undefined && [name, ...path].some(isSecretName);
}

/** What of each token may be shown, by what was observed at its place. */
class View {
  private readonly places: ReadonlyMap<string, Observation>;
  private readonly variables: ReadonlySet<string>;
  private readonly isWhole: boolean;

  constructor(
    private readonly content: string,
    private readonly syntax: Syntax,
    { observations }: Reading,
    private readonly level: number,
  ) {
    const direct = observations.filter(({ isNested }) => !isNested);
    this.places = new Map(direct.map((place) => [`${place.from}:${place.to}`, place]));
    this.variables = new Set(observations.flatMap(({ variable }) => variable ?? []));
    this.isWhole = observations.length < OBSERVATIONS_MAX;
  }

  shown(token: Token): string {
    const source = this.content.slice(token.from, token.to);
    const meant = token.text ?? source;
    switch (token.kind) {
      case 'mark':
        return source;
      case 'identifier':
        return isSecretShaped(source) ? REDACTED : source;
      case 'name':
        return isHarmlessName(meant) ? source : this.marked(source, REDACTED);
      case 'number':
        return isHarmlessNumber(meant, this.placeOf(token)?.name ?? '') ? source : this.number();
      default:
        return this.text(token, source, meant);
    }
  }

  private number(): string {
    return this.syntax === 'json' ? JSON.stringify(REDACTED) : REDACTED;
  }

  private placeOf({ from, to }: Token): Observation | undefined {
    return this.places.get(`${from}:${to}`);
  }

  private text(token: Token, source: string, meant: string): string {
    const observed = this.placeOf(token);
    if (!observed && !this.isWhole) return this.marked(source, REDACTED);
    const place = this.textPlace(token, observed, meant);
    const nested = place.isSecret ? undefined : this.nested(meant);
    const shown = nested ?? shownText(meant, place);
    return shown === meant ? source : this.marked(source, shown);
  }

  private textPlace(token: Token, observed: Observation | undefined, meant: string): TextPlace {
    const name = observed?.name || (token.under ?? '');
    if (!observed) return { name, isSecret: isSecretName(name) };
    const isVariable = observed.kind === 'text' && this.variables.has(meant);
    return { name, isSecret: isSecretName(name) || (!isVariable && isSecretPlace(observed)) };
  }

  /** A body that is JSON itself is shown as far as its own literals are harmless. */
  private nested(meant: string): string | undefined {
    if (this.level >= NESTED_MAX || !/^=?\s{0,9}[{[]/.test(meant)) return undefined;
    const inner = meant.replace(/^=/, '');
    const reading = readJson(inner);
    if (reading.faults.length > 0) return undefined;
    const pieces = piecesOf(inner, 'json', reading, this.level + 1);
    return (meant.startsWith('=') ? '=' : '') + pieces.map(({ shown }) => shown).join('');
  }

  /** What is shown instead of a literal: in its quotes, and with as many lines. */
  private marked(source: string, shown: string): string {
    const [open = '', quote = ''] = /^[a-zA-Z]{0,2}("""|'''|["'`])/.exec(source) ?? [];
    const lines = Math.max(0, linesIn(source) - linesIn(shown));
    const isQuoted = quote !== '' && source.length > open.length && source.endsWith(quote);
    const end = '\n'.repeat(lines);
    if (!isQuoted) return shown + end;
    if (this.syntax === 'json') return JSON.stringify(shown) + end;
    return open + escaped(shown, quote, this.syntax) + quote + end;
  }
}

function linesIn(text: string): number {
  return text.split('\n').length - 1;
}

/** In a shell, single quotes know no escapes, and nothing that is shown holds one. */
function escaped(text: string, quote: string, syntax: Syntax): string {
  const mark = quote[0] ?? '';
  if (syntax === 'yaml' && mark === "'") return text.replaceAll("'", "''");
  if (syntax === 'shell' && mark === "'") return text.replaceAll("'", '');
  return text.replaceAll('\\', '\\\\').replaceAll(mark, `\\${mark}`);
}

/** Names that a person has chosen do not look like keys. */
function isSecretShaped(identifier: string): boolean {
  return KNOWN_PREFIXES.test(identifier) || isOpaque(identifier);
}
