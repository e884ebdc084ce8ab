import { CST, Lexer } from 'yaml';
import type { Token } from '../observation.js';
import { unquoted } from './quotes.js';

const MARKS = new Set([
  ...['doc-start', 'doc-end', 'seq-item-ind', 'explicit-key-ind', 'map-value-ind', 'comma'],
  ...['flow-map-start', 'flow-map-end', 'flow-seq-start', 'flow-seq-end'],
]);

/** What is read at the moment: the next plain text, and the name that stands before it. */
interface State {
  readonly tokens: Token[];
  isPlain: boolean;
  isBlock: boolean;
  under: string;
}

/** The tokens of YAML. Comments, tags, texts of several lines and what is odd are none. */
export function yamlTokens(content: string): Token[] {
  const state: State = { tokens: [], isPlain: false, isBlock: false, under: '' };
  let at = 0;
  for (const lexeme of new Lexer().lex(content)) {
    const type = CST.tokenType(lexeme);
    if (type === 'scalar') state.isPlain = true;
    if (type === 'scalar' || type === 'doc-mode' || type === 'flow-error-end') continue;
    const to = at + lexeme.length;
    take(state, state.isPlain ? 'plain' : (type ?? ''), lexeme, at, to);
    at = to;
  }
  return state.tokens;
}

function take(state: State, type: string, lexeme: string, from: number, to: number): void {
  const { tokens, isBlock } = state;
  state.isPlain = false;
  if (type === 'block-scalar-header') {
    state.isBlock = true;
    tokens.push({ kind: 'mark', from, to: from + 1 });
  } else if (type === 'plain' && isBlock) state.isBlock = false;
  else if (lexeme === '<<') tokens.push({ kind: 'mark', from, to });
  else if (type === 'plain') text(state, from, to, lexeme);
  else if (type.endsWith('-quoted-scalar')) text(state, from, to, meaning(lexeme));
  else if (type === 'anchor' || type === 'alias') {
    tokens.push({ kind: 'mark', from, to: from + 1 }, { kind: 'name', from: from + 1, to });
  } else if (MARKS.has(type)) {
    tokens.push({ kind: 'mark', from, to });
    if (type === 'map-value-ind') nameBefore(state);
  }
}

function text(state: State, from: number, to: number, meant: string): void {
  state.tokens.push({ kind: 'text', from, to, text: meant, under: state.under });
  state.under = '';
}

/** The text before a colon is a name. */
function nameBefore(state: State): void {
  const at = state.tokens.length - 2;
  const before = state.tokens[at];
  if (before?.kind !== 'text') return;
  state.under = before.text ?? '';
  state.tokens[at] = { ...before, kind: 'name', under: undefined };
}

function meaning(literal: string): string {
  return literal.startsWith("'") ? literal.slice(1, -1).replaceAll("''", "'") : unquoted(literal);
}
