const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '0': '\0' };
const ESCAPE = /\\(?:u\{([0-9a-f]{1,6})\}|u([0-9a-f]{4})|x([0-9a-f]{2})|(.))/gis;

/**
 * A string literal as it means, in Python or JavaScript. What stands in no quotes, as the rest of a
 * text that does not parse, means all that it is.
 */
export function unquoted(literal: string): string {
  const [, , quote = ''] = /^([a-zA-Z]{0,2})("""|'''|["'`])/.exec(literal) ?? [];
  if (quote === '') return literal;
  const start = literal.indexOf(quote) + quote.length;
  const inside = literal.slice(start, literal.endsWith(quote) ? -quote.length : undefined);
  return inside.replace(
    ESCAPE,
    (_all, braced?: string, four?: string, two?: string, other = '') => {
      const code = braced ?? four ?? two;
      if (code === undefined) return ESCAPES[other] ?? other;
      const point = Number.parseInt(code, 16);
      return point <= 0x10ffff ? String.fromCodePoint(point) : '';
    },
  );
}
