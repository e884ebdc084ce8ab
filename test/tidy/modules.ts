import { posix } from 'node:path';
import type { Token } from './lexer.js';

/** One import or re-export of a file. */
export interface ImportLine {
  /** As written, such as `../kernel/ids.js`. */
  readonly specifier: string;
  readonly line: number;
  /** The names as the other file exports them; `*` for all of them. */
  readonly names: readonly string[];
  /** True for `import type`, which leaves no trace at run time. */
  readonly typeOnly: boolean;
  /** True for `export … from`. */
  readonly reExport: boolean;
}

/** One name that a file exports. */
export interface ExportedName {
  readonly name: string;
  readonly line: number;
  readonly isType: boolean;
}

const DECLARING = new Set(
  'const let var function class interface type enum abstract async declare'.split(' '),
);

/** Every import of a file, static or dynamic, in types too. */
export function importsOf(tokens: readonly Token[]): ImportLine[] {
  return tokens.flatMap((token, index) => {
    const previous = tokens[index - 1];
    if (token.kind !== 'word' || isMark(previous, '.')) return [];
    if (token.text === 'import') return importAt(tokens, index);
    return token.text === 'export' ? reExportAt(tokens, index) : [];
  });
}

function importAt(tokens: readonly Token[], index: number): ImportLine[] {
  const line = tokens[index]?.line ?? 1;
  const after = tokens[index + 1];
  if (isMark(after, '.') || isMark(after, ':')) return [];
  const call = isMark(after, '(');
  const bare = call ? tokens[index + 2] : after;
  if (bare?.kind === 'text') {
    const names = call ? ['*'] : [];
    return [{ specifier: bare.text, line, names, typeOnly: false, reExport: false }];
  }
  if (call) return [];
  const from = tokens.findIndex((token, at) => at > index && isWord(token, 'from'));
  const specifier = tokens[from + 1];
  if (from < 0 || specifier?.kind !== 'text') return [];
  const clause = tokens.slice(index + 1, from);
  const typeOnly = isWord(clause[0], 'type') && clause.length > 1 && !isMark(clause[1], ',');
  const names = namesOf(typeOnly ? clause.slice(1) : clause);
  return [{ specifier: specifier.text, line, names, typeOnly, reExport: false }];
}

function reExportAt(tokens: readonly Token[], index: number): ImportLine[] {
  let at = index + 1;
  const typeOnly = isWord(tokens[at], 'type');
  if (typeOnly) at += 1;
  if (!isMark(tokens[at], '*') && !isMark(tokens[at], '{')) return [];
  const end = tokens.findIndex(
    (token, i) => i > at && (isWord(token, 'from') || isMark(token, ';')),
  );
  const specifier = tokens[end + 1];
  if (end < 0 || !isWord(tokens[end], 'from') || specifier?.kind !== 'text') return [];
  const names = namesOf(tokens.slice(at, end));
  const line = tokens[index]?.line ?? 1;
  return [{ specifier: specifier.text, line, names, typeOnly, reExport: true }];
}

/** `a, { b as c, type d }` and `* as e`, as the names on the exporting side. */
function namesOf(clause: readonly Token[]): string[] {
  const names: string[] = [];
  let inBraces = false;
  clause.forEach((token, index) => {
    if (isMark(token, '{')) inBraces = true;
    if (isMark(token, '*')) names.push('*');
    if (token.kind !== 'word' || isWord(token, 'as')) return;
    const isMarker = isWord(token, 'type') && clause[index + 1]?.kind === 'word';
    if (isMarker || isWord(clause[index - 1], 'as')) return;
    names.push(inBraces ? token.text : 'default');
  });
  return names;
}

/** Every name that a file declares and exports. */
export function exportsOf(tokens: readonly Token[]): ExportedName[] {
  return tokens.flatMap((token, index): ExportedName[] => {
    if (!isWord(token, 'export') || isMark(tokens[index - 1], '.')) return [];
    let at = index + 1;
    if (isWord(tokens[at], 'default')) {
      return [{ name: 'default', line: token.line, isType: false }];
    }
    const isType = ['interface', 'type'].includes(tokens[at]?.text ?? '');
    while (tokens[at] && DECLARING.has(tokens[at]?.text ?? '')) at += 1;
    if (isMark(tokens[at], '{')) return listedNames(tokens, at);
    if (isMark(tokens[at], '*')) at += 1;
    const name = isWord(tokens[at], 'from') ? undefined : tokens[at];
    return name?.kind === 'word' ? [{ name: name.text, line: token.line, isType }] : [];
  });
}

/** `export { a, b as c };` of names that the file declares elsewhere. */
function listedNames(tokens: readonly Token[], open: number): ExportedName[] {
  const close = tokens.findIndex((token, at) => at > open && isMark(token, '}'));
  if (isWord(tokens[close + 1], 'from')) return [];
  return tokens.slice(open + 1, close).flatMap((token, index, list): ExportedName[] => {
    const isLast = !list[index + 1] || isMark(list[index + 1], ',');
    return isLast && token.kind === 'word'
      ? [{ name: token.text, line: token.line, isType: false }]
      : [];
  });
}

/** The path, from the root of the repository, of a file that another one names. */
export function resolveImport(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  return posix.join(posix.dirname(from), specifier).replace(/\.js$/, '.ts');
}

function isMark(token: Token | undefined, text: string): boolean {
  return token?.kind === 'mark' && token.text === text;
}

function isWord(token: Token | undefined, text: string): boolean {
  return token?.kind === 'word' && token.text === text;
}
