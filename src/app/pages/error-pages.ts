import { ERRORS, type ErrorCode } from '../../kernel/errors/catalogue.js';
import type { ErrorRow, ErrorTexts } from '../../kernel/errors/row.js';
import { describedIn } from '../../kernel/errors/told.js';
import { type Html, html, prose } from '../../kernel/html.js';
import type { Language } from '../../kernel/language/languages.js';
import { docUrl } from '../doc-url.js';
import { page } from './layout.js';
import { ERROR_PAGES } from './texts/error-pages.js';

const PATH = '/docs/errors';

/** The list of all codes, by status. */
export function errorListPage(language: Language): string {
  const { title, about, heads } = ERROR_PAGES[language].list;
  const rows = Object.entries<ErrorRow>(ERRORS).sort(
    ([left, a], [right, b]) => a.status - b.status || left.localeCompare(right),
  );
  const content = html`<h1>${title}</h1>
<p>${about}</p>
<div class="scroll"><table>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr>
</thead>
<tbody>${rows.map(
    ([code, row]) => html`<tr><td>${row.status}</td>
<th scope="row"><a href="${docUrl('', code)}"><code>${code}</code></a></th>
<td>${prose(describedIn(row, language).cause)}</td></tr>
`,
  )}</tbody></table></div>`;
  return page(language, title, PATH, content);
}

/** The page of one code; undefined for a code that the catalogue lacks. */
export function errorPage(code: string): ((language: Language) => string) | undefined {
  if (!Object.hasOwn(ERRORS, code)) return undefined;
  const row: ErrorRow = ERRORS[code as ErrorCode];
  return (language) => page(language, code, '', errorContent(language, code, row));
}

function errorContent(language: Language, code: string, row: ErrorRow): Html {
  const texts = ERROR_PAGES[language].one;
  const described = describedIn(row, language);
  const example = JSON.stringify(envelope(code, row, described), null, 2);
  return html`<p class="soft"><a href="${PATH}">${texts.all}</a></p>
<h1><code>${code}</code></h1>
<dl>
<dt>${texts.status}</dt><dd>${row.status}</dd>
<dt>${texts.type}</dt><dd><code>${row.type}</code></dd>
<dt>${texts.message}</dt><dd>${prose(described.message)}</dd>
<dt>${texts.cause}</dt><dd>${prose(described.cause)}</dd>
</dl>
<h2>${texts.fix}</h2>
<ul>${described.fix.map((step) => html`<li>${prose(step)}</li>`)}</ul>
<h2>${texts.looks}</h2>
<pre tabindex="0"><code>${example}</code></pre>
<p class="soft">${texts.places}</p>`;
}

function envelope(code: string, { type }: ErrorRow, { message }: ErrorTexts): object {
  const request_id = '{request_id}';
  return {
    error: { message, type, param: null, code, request_id, doc_url: docUrl('{base_url}', code) },
  };
}

/** The page for a path that leads nowhere. */
export function notFoundPage(language: Language, path: string): string {
  const { title, heading, about, start } = ERROR_PAGES[language].notFound;
  const content = html`<h1>${heading}</h1>
<p>${about(path.slice(0, 200))}</p>
<p><a href="/">${start}</a></p>`;
  return page(language, title, '', content);
}

/** The page for a fault of our own. */
export function failurePage(language: Language, requestId: string): string {
  const { title, heading, about } = ERROR_PAGES[language].failed;
  return page(language, title, '', html`<h1>${heading}</h1>\n<p>${about(requestId)}</p>`);
}
