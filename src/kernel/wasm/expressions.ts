/** An expression of the text format: a word, or a list in brackets. */
export type Expression = string | readonly Expression[];

/** Spaces, comments to the end of the line, brackets, texts in quotation marks, words. */
const TOKEN = /\s+|;;[^\n]*|([()]|"[^"\\]*"|[^\s()";]+)/gy;

/**
 * The only expression that a text in the format of WebAssembly (S-expressions) holds.
 * @throws TypeError where brackets do not match or a character fits nowhere
 */
export function expressionIn(source: string): Expression {
  const open: Expression[][] = [[]];
  let end = 0;
  for (const { 0: whole, 1: token, index } of source.matchAll(TOKEN)) {
    end = index + whole.length;
    if (token === undefined) continue;
    if (token === '(') open.push([]);
    else if (token === ')') {
      const closed = open.pop() ?? [];
      open.at(-1)?.push(closed);
    } else open.at(-1)?.push(token);
  }
  const [only, ...more] = open[0] ?? [];
  if (end !== source.length || open.length !== 1 || only === undefined || more.length > 0) {
    throw new TypeError(`the text is not one expression; it was read up to place ${end}`);
  }
  return only;
}
