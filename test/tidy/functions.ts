import { endsValue, type Token } from './lexer.js';

/** A function, method or arrow with a body, and the lines that it covers. */
export interface FunctionSpan {
  readonly name: string;
  readonly line: number;
  readonly lineCount: number;
}

const OPENING = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
  ['${', '}'],
]);
const CLOSING = new Set(OPENING.values());

/** Heads of blocks that look like the head of a method. */
const CONTROL = new Set('if for while switch catch with await'.split(' '));

/** Marks after which a brace begins a type literal, not a body. */
const BEFORE_TYPE = new Set([':', '|', '&', '<', ',', '=>', '(']);

/** The brackets of a file. */
interface Brackets {
  /** For every bracket the index of the other one of its pair. */
  readonly partner: readonly number[];
  /** For every token the index of the bracket that it stands in. */
  readonly around: readonly (number | undefined)[];
}

/** Every function of a file, nested ones too. Sections of a test (`describe`) are none. */
export function functionsOf(tokens: readonly Token[]): FunctionSpan[] {
  const brackets = bracketsOf(tokens);
  return tokens.flatMap((token, index) => {
    if (token.kind !== 'mark') return [];
    const span =
      token.text === '('
        ? methodAt(tokens, brackets, index)
        : token.text === '=>'
          ? arrowAt(tokens, brackets, index)
          : undefined;
    return span ? [span] : [];
  });
}

function bracketsOf(tokens: readonly Token[]): Brackets {
  const partner: number[] = [];
  const around: (number | undefined)[] = [];
  const open: number[] = [];
  tokens.forEach((token, index) => {
    const closes = token.kind === 'mark' && CLOSING.has(token.text);
    const start = closes ? open.pop() : undefined;
    around[index] = open.at(-1);
    if (token.kind === 'mark' && OPENING.has(token.text)) open.push(index);
    if (start === undefined) return;
    partner[start] = index;
    partner[index] = start;
  });
  return { partner, around };
}

function methodAt(
  tokens: readonly Token[],
  { partner }: Brackets,
  open: number,
): FunctionSpan | undefined {
  const head = tokens[open - 1];
  const close = partner[open];
  if (!head || close === undefined || CONTROL.has(head.text)) return undefined;
  const body = bodyAfter(tokens, partner, close);
  const end = body === undefined ? undefined : partner[body];
  return end === undefined ? undefined : spanOf(tokens, nameBefore(tokens, open), end);
}

/** The index of the name before a list of parameters, over `<…>` in between. */
function nameBefore(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let at = open - 1; at >= 0; at -= 1) {
    if (isMark(tokens[at], '>')) depth += 1;
    if (isMark(tokens[at], '<')) depth -= 1;
    else if (depth === 0) return at;
  }
  return open;
}

/** The index of the brace that opens the body after a list of parameters, if there is a body. */
function bodyAfter(
  tokens: readonly Token[],
  partner: readonly number[],
  close: number,
): number | undefined {
  if (isMark(tokens[close + 1], '{')) return close + 1;
  if (!isMark(tokens[close + 1], ':')) return undefined;
  for (let at = close + 2; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token?.kind !== 'mark') continue;
    if (['{', '(', '['].includes(token.text)) {
      const isType = token.text !== '{' || BEFORE_TYPE.has(tokens[at - 1]?.text ?? '');
      if (!isType) return at;
      at = partner[at] ?? tokens.length;
    } else if ([';', ',', '=', ')', '}', '?'].includes(token.text)) {
      if (token.text !== ',' || !insideAngles(tokens, close, at)) return undefined;
    }
  }
  return undefined;
}

function insideAngles(tokens: readonly Token[], from: number, to: number): boolean {
  let depth = 0;
  for (const token of tokens.slice(from, to)) {
    if (isMark(token, '<')) depth += 1;
    if (isMark(token, '>')) depth -= 1;
  }
  return depth > 0;
}

/**
 * An arrow that only builds an object, as tables of fields are, decides nothing and may be as long
 * as it has rows; what stands in a row is counted for itself.
 */
function isTable(tokens: readonly Token[], { partner }: Brackets, arrow: number): boolean {
  const opens = isMark(tokens[arrow + 1], '(') && isMark(tokens[arrow + 2], '{');
  return opens && partner[arrow + 2] === (partner[arrow + 1] ?? 0) - 1;
}

function arrowAt(
  tokens: readonly Token[],
  brackets: Brackets,
  arrow: number,
): FunctionSpan | undefined {
  const { partner } = brackets;
  const closed = isMark(tokens[arrow - 1], ')') ? partner[arrow - 1] : undefined;
  const start = closed ?? arrow - 1;
  if (isSection(tokens, brackets, start)) return undefined;
  if (isTable(tokens, brackets, arrow)) return undefined;
  if (isMark(tokens[arrow + 1], '{')) {
    return spanOf(tokens, start, partner[arrow + 1] ?? arrow);
  }
  let end = arrow + 1;
  while (end < tokens.length) {
    const text = tokens[end]?.kind === 'mark' ? (tokens[end]?.text ?? '') : '';
    if (CLOSING.has(text) || text === ',' || text === ';') break;
    // No expression puts a brace behind a value: this arrow stands in the type of a result.
    const behind = tokens[end - 1];
    if (text === '{' && (endsValue(behind) || isMark(behind, '>'))) return undefined;
    end = (OPENING.has(text) ? (partner[end] ?? end) : end) + 1;
  }
  return spanOf(tokens, start, end - 1);
}

/** True for an argument of `describe(…)` and its forms, such as `describe.skipIf(…)(…)`. */
function isSection(tokens: readonly Token[], brackets: Brackets, start: number): boolean {
  let at = (brackets.around[start] ?? 0) - 1;
  while (at >= 0) {
    const token = tokens[at];
    if (token?.kind === 'word' && token.text === 'describe') return true;
    const isChain = token?.kind === 'word' || isMark(token, '.') || isMark(token, ')');
    if (!isChain) return false;
    at = (isMark(token, ')') ? (brackets.partner[at] ?? 0) : at) - 1;
  }
  return false;
}

function spanOf(tokens: readonly Token[], start: number, end: number): FunctionSpan {
  const line = tokens[start]?.line ?? 1;
  const lineCount = (tokens[end]?.endLine ?? line) - line + 1;
  const named = tokens[start]?.kind === 'word' ? tokens[start]?.text : undefined;
  return { name: named ?? 'a function', line, lineCount };
}

function isMark(token: Token | undefined, text: string): boolean {
  return token?.kind === 'mark' && token.text === text;
}
