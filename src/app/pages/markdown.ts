/** Text in a cell of a table: on one line, and its bars are no borders. */
function cell(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('|', '\\|');
}

/** A table of texts. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}

/** Code that is shown as it is; its fence is longer than any within it. */
export function fenced(language: string, code: string): string[] {
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return [fence + language, code.trimEnd(), fence];
}

/** A part with its heading; nothing where it has no lines. */
export function part(heading: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [heading, '', ...lines, ''];
}
