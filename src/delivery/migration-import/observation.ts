import { LineCounter } from 'yaml';

/** One place of a text that may say something about the client. Positions are in UTF-16 units. */
export interface Observation {
  /** `pair` is a name with a value, `text` a value alone. */
  readonly kind: 'import' | 'call' | 'pair' | 'text';
  /** The module, the callee, or the name of the pair, as written; empty for a text alone. */
  readonly name: string;
  /** The names around it, outermost first. */
  readonly path: readonly string[];
  /** A literal value as it means; flags and numbers as text. */
  readonly text?: string;
  /** The environment variable that the value is read from. */
  readonly variable?: string;
  /** What the value is. */
  readonly shape: 'text' | 'flag' | 'number' | 'list' | 'object' | 'empty' | 'other';
  /** The value in the source, or the whole call or import. */
  readonly from: number;
  readonly to: number;
  /** True inside a text that is JSON itself; its positions are those of that text. */
  readonly isNested?: boolean;
  /** Where the arguments of a call begin, behind the parenthesis. */
  readonly argumentsFrom?: number;
  /** The name that stands before the value inside the same literal, as in `NAME=value`. */
  readonly before?: string;
}

/**
 * A piece of the text by what may be shown of it: a `mark` of the grammar is, an `identifier` where
 * code parsed and names it, a `name` and a `text` as far as their words are known. What no token
 * covers is white space or is not shown.
 */
export interface Token {
  readonly kind: 'mark' | 'identifier' | 'name' | 'text' | 'number';
  readonly from: number;
  readonly to: number;
  /** What a `text` means; what is written, where this is left out. */
  readonly text?: string;
  /** The name under which a text stands, where nothing was observed at its place. */
  readonly under?: string;
}

/** Where a text could not be read, and why; never a part of the text. */
export interface ParseFault {
  readonly at: number;
  readonly message: string;
}

/** What was read. With faults, what was found is kept. */
export interface Reading {
  readonly observations: readonly Observation[];
  readonly faults: readonly ParseFault[];
  /** In the order of the text, none over another. */
  readonly tokens: readonly Token[];
}

/** Turns positions into lines; lines and columns count from 1. */
export function linesOf(content: string): LineCounter {
  const counter = new LineCounter();
  counter.addNewLine(0);
  for (const { index } of content.matchAll(/\n/g)) counter.addNewLine(index + 1);
  return counter;
}

const REFERENCES = [
  /^os\.environ(?:\.get)?[[(]\s*["']([A-Za-z_]\w{0,99})["']\s*[\])]/,
  /^os\.environ\/([A-Za-z_]\w{0,99})$/,
  /^(?:os\.)?getenv\(\s*["']([A-Za-z_]\w{0,99})["']/,
  /^(?:process|import\.meta)\.env\.([A-Za-z_]\w{0,99})/,
  /^process\.env\[["']([A-Za-z_]\w{0,99})["']\]/,
  /^Deno\.env\.get\(["']([A-Za-z_]\w{0,99})["']\)/,
  /^=?\{\{\s*\$(?:env|vars)\.([A-Za-z_]\w{0,99})\s*\}\}$/,
  /^\$\{?([A-Z_][A-Z0-9_]{0,99})\}?$/,
  /^\$\{([A-Z_][A-Z0-9_]{0,99}):?[-?+][^{}]{0,200}\}$/,
];
const WRAPPER = /^(?:[A-Za-z_][\w.]{0,60}\(\s*)?/;
const REFERENCE_LENGTH_MAX = 300;

/** The environment variable that an expression reads, also through one wrapping call. */
export function variableIn(source: string): string | undefined {
  if (source.length > REFERENCE_LENGTH_MAX) return undefined;
  const trimmed = source.trim();
  const inner = trimmed.replace(WRAPPER, '');
  for (const form of [trimmed, inner]) {
    for (const reference of REFERENCES) {
      const name = reference.exec(form)?.[1];
      if (name !== undefined) return name;
    }
  }
  return undefined;
}

/** The words of a name in any spelling, lower-case: `openAIApiKey`, `OPENAI_API_KEY`. */
export function wordsOf(name: string): string[] {
  if (/^[a-z\d_]{0,200}$/.test(name)) return name.split('_').filter(Boolean);
  return name
    .slice(0, 200)
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter(Boolean);
}

/** A name in the one spelling that rules compare: `open_ai_api_key`. */
export function snakeOf(name: string): string {
  return wordsOf(name).join('_');
}
