/** What parts the rows of base64, and quotes them. */
const BREAK = /(?:(?:\\r)?\\n|[\s>])+/;
const EVERY_BREAK = new RegExp(BREAK.source, 'g');
const OF_LINES = /\n/;
const OF_JSON = /\\n/;
const GROUP = 4;

/**
 * Bytes as base64 in the manner of other base64: in its alphabet, padded where it is, and in rows
 * as wide as its rows.
 * @param lead signs that stand before it in the first row
 */
export function inManner(bytes: Buffer, written: string, lead = ''): string {
  const signs = written.replace(EVERY_BREAK, '');
  return inRowsOf(lead + spelledLike(signs, lead.length, bytes), written);
}

/** `-` and `_` tell the alphabet; without them it is the one that pads. */
function spelledLike(signs: string, lead: number, bytes: Buffer): string {
  const isOfAddresses = /[-_]/.test(signs.slice(lead)) && !/[+/]/.test(signs.slice(lead));
  const padded = bytes.toString('base64');
  const spelled = isOfAddresses ? padded.replaceAll('+', '-').replaceAll('/', '_') : padded;
  const isPadded = signs.endsWith('=') || (!isOfAddresses && (signs.length - lead) % GROUP === 0);
  return isPadded ? spelled : spelled.replace(/=+$/, '');
}

function inRowsOf(signs: string, written: string): string {
  const breaks = written.match(EVERY_BREAK);
  if (!breaks) return signs;
  const widths = written.split(BREAK).map((row) => row.length);
  const [first = 0] = widths;
  const isWrapped =
    breaks.every((each) => OF_LINES.test(each) || OF_JSON.test(each)) &&
    widths.every((width, at) => width === first || (at === widths.length - 1 && width < first));
  return isWrapped ? wrapped(signs, first, breaks) : poured(signs, widths, breaks);
}

function wrapped(signs: string, width: number, breaks: readonly string[]): string {
  let text = '';
  for (let at = 0, row = 0; at < signs.length; at += width, row += 1) {
    text += (row === 0 ? '' : (breaks[row - 1] ?? breaks[0])) + signs.slice(at, at + width);
  }
  return text;
}

/** Rows of several widths keep theirs, and the last one takes what is left. */
function poured(signs: string, widths: readonly number[], breaks: readonly string[]): string {
  let text = '';
  let at = 0;
  for (const [row, width] of widths.entries()) {
    if (at >= signs.length) return text;
    const end = row === widths.length - 1 ? signs.length : at + width;
    text += (row === 0 ? '' : breaks[row - 1]) + signs.slice(at, end);
    at = end;
  }
  return text;
}
