import { createHash } from 'node:crypto';

/** Markup that is safe to send: everything that was put into it has been escaped. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = Html | string | number | undefined | readonly Part[];

/** Writes markup. Every value is escaped unless it is markup itself; lists are joined. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const text = strings.reduce((all, string, index) => all + textOf(parts[index - 1]) + string);
  return new Html(text);
}

function textOf(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(textOf).join('');
  return String(part).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Prose of the catalogue: what stands between back-ticks is code. */
export function prose(text: string): Html {
  const pieces = text
    .split('`')
    .map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : piece));
  return html`${pieces}`;
}

/**
 * The policy of a page that is printed as it is: nothing is loaded, nothing is run and nothing is
 * sent, whatever people have written; its one style is known by its hash.
 */
export function printedPolicy(style: string): string {
  const hash = createHash('sha256').update(style).digest('base64');
  return (
    `default-src 'none'; style-src 'sha256-${hash}'; ` +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
  );
}
