import { variableIn } from './observation.js';
import { isOpaque, isSecretName, KNOWN_PREFIXES } from './secret-shapes.js';
import { REDACTED } from './vocabulary.js';

/** A part of the text that holds a secret. */
export interface SecretRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Removes secrets from whatever leaves the parser: by where they stand, by their value, and by
 * their shape. Lines keep their numbers.
 */
export class Redactor {
  private readonly ranges: readonly SecretRange[];
  private readonly values: readonly string[];

  /** `values` are secrets as they mean, which may be written with escapes in the text. */
  constructor(
    private readonly content: string,
    ranges: readonly SecretRange[],
    values: readonly string[],
  ) {
    this.ranges = [...ranges].sort((one, other) => one.from - other.from);
    const words = values.flatMap((value) => value.split(/\s+/)).filter((word) => /\d/.test(word));
    this.values = [...new Set([...values, ...words])]
      .filter((value) => value.length >= VALUE_LENGTH_MIN && !PLACEHOLDERS.test(value))
      .sort((one, other) => other.length - one.length);
  }

  /** A part of the text without its secrets. */
  part(from: number, to: number): string {
    let shown = '';
    let at = from;
    for (const range of this.ranges) {
      if (range.to <= at || range.from >= to) continue;
      shown += this.content.slice(at, Math.max(at, range.from));
      const hidden = this.content.slice(Math.max(at, range.from), Math.min(to, range.to));
      shown += blank(hidden);
      at = Math.min(to, range.to);
    }
    return this.clean(shown + this.content.slice(at, to));
  }

  /** Any text on its way out without what looks like a secret or is a known one. */
  clean(text: string): string {
    let cleaned = text;
    for (const value of this.values) cleaned = cleaned.replaceAll(value, REDACTED);
    return withoutSecretShapes(cleaned);
  }
}

/** Shorter values are too common in other places to be searched for. */
const VALUE_LENGTH_MIN = 5;
const PLACEHOLDERS = /^(?:true|false|none|null|undefined|bearer|basic|\[redacted\])$/i;

const PRIVATE_KEY =
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY[A-Z ]{0,20}-----[\s\S]*?(?:-----END [A-Z ]{0,60}-----|$)/g;
const URL_WITH_MORE = /[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'`<>]+/gi;
const SCHEME = /\b(bearer|basic|api-key|oauth)([\s:]+["']?)([^\s"'`,;]{4,})/gi;
const RUN = /[A-Za-z0-9+/=_~%-]{20,}/g;

/** A text without whatever has the shape of a secret. */
export function withoutSecretShapes(text: string): string {
  return withoutNamedValues(
    text
      .replace(PRIVATE_KEY, blank)
      .replace(URL_WITH_MORE, safeUrl)
      .replace(KNOWN_PREFIXES, REDACTED)
      .replace(SCHEME, (whole, scheme: string, gap: string, value: string) =>
        isReference(value) ? whole : `${scheme}${gap}${REDACTED}`,
      ),
  ).replace(RUN, (run) => (isOpaque(run) ? REDACTED : run));
}

/** What stands in the place of a secret: its quotes and the number of its lines stay. */
function blank(hidden: string): string {
  const quote = hidden[0] ?? '';
  const isQuoted = hidden.length > 1 && QUOTES.has(quote) && hidden.endsWith(quote);
  const lines = '\n'.repeat(hidden.split('\n').length - 1);
  return isQuoted ? `${quote}${REDACTED}${quote}${lines}` : REDACTED + lines;
}

function isReference(value: string): boolean {
  return variableIn(value) !== undefined || /^\$?\{{1,2}[\w.$ ]{1,60}\}{0,2}$/.test(value);
}

/** A URL whose userinfo and query values are gone. */
export function safeUrl(url: string): string {
  const [, start = '', rest = ''] = /^([^:]+:\/\/)(.*)$/s.exec(url) ?? [];
  const end = rest.search(/[/?#]/);
  const authority = end < 0 ? rest : rest.slice(0, end);
  const tail = end < 0 ? '' : rest.slice(end);
  const at = authority.lastIndexOf('@');
  const host = at < 0 ? authority : `${REDACTED}@${authority.slice(at + 1)}`;
  return start + host + tail.replace(/([?&#][\w.%-]{1,60}=)[^&#]*/g, `$1${REDACTED}`);
}

const WORD = /[\p{L}_$][\p{L}\d_$.-]*/gu;
const SEPARATOR = /["'`\])]{0,3}[ \t]{0,20}(?::=|=>|[:=]|is\b)[ \t]{0,20}/y;
const OPTION_GAP = /[ \t]{1,4}/y;

/** Removes what stands behind a secret name: `api_key = …`, `"token": …`, `--password …`. */
function withoutNamedValues(text: string): string {
  let shown = '';
  let at = 0;
  WORD.lastIndex = 0;
  for (let word = WORD.exec(text); word; word = WORD.exec(text)) {
    if (word.index < at || !isSecretName(word[0])) continue;
    const from = valueStart(text, word.index, WORD.lastIndex);
    if (from === undefined) continue;
    const before = text[word.index - 1] ?? '';
    const isInside = QUOTES.has(before) && text[WORD.lastIndex] !== before;
    const to = isInside ? insideEnd(text, from, before) : valueEnd(text, from);
    const value = text.slice(from, to).trimEnd();
    if (isHarmless(value)) continue;
    const gap = text.slice(from + value.length, to);
    shown += text.slice(at, from) + hiddenValue(value) + gap;
    at = to;
    WORD.lastIndex = to;
  }
  return shown + text.slice(at);
}

function valueStart(text: string, wordFrom: number, wordTo: number): number | undefined {
  SEPARATOR.lastIndex = wordTo;
  if (SEPARATOR.test(text)) return SEPARATOR.lastIndex;
  if (text.slice(Math.max(0, wordFrom - 2), wordFrom) !== '--') return undefined;
  OPTION_GAP.lastIndex = wordTo;
  return OPTION_GAP.test(text) ? OPTION_GAP.lastIndex : undefined;
}

const CLOSERS = new Set([',', ';', ')', ']', '}']);
const OPENERS = new Set(['(', '[', '{']);
const QUOTES = new Set(['"', "'", '`']);

/** The end of a value that stands in the same quotes as its name, as headers do. */
function insideEnd(text: string, from: number, quote: string): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\n' || text[at] === quote) return at;
    if (text[at] === '\\' && text[at + 1] === quote) at += 1;
  }
  return text.length;
}

/** The end of a value on its line: quotes and brackets inside it are passed as a whole. */
function valueEnd(text: string, from: number): number {
  let depth = 0;
  let quote = '';
  for (let at = from; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (character === '\n') return at;
    if (quote !== '') {
      if (character === '\\' && text[at + 1] !== '\n') at += 1;
      else if (character === quote) quote = '';
    } else if (QUOTES.has(character)) quote = character;
    else if (OPENERS.has(character)) depth += 1;
    else if (CLOSERS.has(character)) {
      if (depth === 0) return at;
      depth -= 1;
    }
  }
  return text.length;
}

const CALL_REFERENCE = /^[\w.]{1,60}[[(]\s*["']?[\w.]{1,60}["']?\s*[\])](?:\s*!)?$/;
const NOTHING = /^(?:["'`]{0,2}|true|false|none|null|undefined|-?\d{1,9}(?:\.\d+)?)$/i;

/** Nothing, a flag, a number, or a reference to where the value is: these may be shown. */
function isHarmless(value: string): boolean {
  if (NOTHING.test(value)) return true;
  if (value === REDACTED || /^["'`](?:\w{1,10} )?\[redacted\]["'`]$/.test(value)) return true;
  const bare = value.replace(/^["'`](.*)["'`]$/s, '$1').replace(/^(?:bearer|api-key)\s+/i, '');
  if (bare === REDACTED) return true;
  if (/^\$?\{?\{?\s*\$?(?:env\.)?[A-Z_][A-Z0-9_]{0,60}\s*\}{0,2}$/.test(bare)) {
    return bare.startsWith('$') || bare.startsWith('{');
  }
  if (/^os\.environ\/[A-Z_][A-Z0-9_]{0,60}$/.test(bare)) return true;
  return CALL_REFERENCE.test(value) ? variableIn(value) !== undefined : isProcessEnv(value);
}

function isProcessEnv(value: string): boolean {
  const form =
    /^(?:process|import\.meta)\.env\.[A-Za-z_]\w{0,60}!?(?:\s*(?:\?\?|\|\|)\s*(?:""|''))?$/;
  return form.test(value);
}

const QUOTED = /(["'`])(?:\\.|(?!\1)[^\\])*\1(\s{0,9}:)?/g;

/** An object or a list keeps its form, and loses every text inside it. */
function hiddenValue(value: string): string {
  if (!value.startsWith('{') && !value.startsWith('[')) return blank(value);
  const inside = value.replace(QUOTED, (text, _quote: string, colon?: string) =>
    colon !== undefined || isHarmless(text) ? text : blank(text),
  );
  return /["'`]/.test(inside) ? inside : REDACTED;
}
