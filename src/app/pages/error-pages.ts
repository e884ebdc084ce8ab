import { ERRORS, type ErrorCode } from '../../kernel/errors/catalogue.js';
import { docUrl } from '../../kernel/errors/doc-url.js';
import type { ErrorRow } from '../../kernel/errors/row.js';
import { describedIn } from '../../kernel/errors/told.js';
import { type Html, html, prose } from '../../kernel/html.js';
import type { Language } from '../../kernel/language/languages.js';
import { ERROR_PAGES, NO_PAGES } from './error-page-texts.js';
import { page, scrolled } from './layout.js';
import { linkFrom, madeOnce, type Reading } from './reading.js';

const PATH = '/docs/errors';

/** The rows of the catalogue, by status. */
export function errorsByStatus(): (readonly [string, ErrorRow])[] {
  return Object.entries<ErrorRow>(ERRORS).sort(
    ([left, a], [right, b]) => a.status - b.status || left.localeCompare(right),
  );
}

/** The list of all codes, by status. */
export const errorListPage = madeOnce((reading) => {
  const { title, idea, tableName } = ERROR_PAGES[reading.language];
  const content = html`<h1>${title}</h1>
<p>${idea(reading)}</p>
${scrolled(tableName, errorTable(reading))}`;
  return page(reading, { title, path: PATH, content });
});

function errorTable(reading: Reading): Html {
  const { status, code: codeHead, cause } = ERROR_PAGES[reading.language];
  return html`<table class="cards">
<thead><tr><th scope="col">${status}</th><th scope="col">${codeHead}</th>
<th scope="col">${cause}</th></tr>
</thead>
<tbody>${errorsByStatus().map(
    ([code, row]) => html`<tr><td>${row.status}</td>
<th scope="row"><a href="${linkFrom(reading, docUrl('', code))}"><code>${code}</code></a></th>
<td>${prose(describedIn(row, reading.language).cause)}</td></tr>
`,
  )}</tbody></table>`;
}

/** The page of one code; undefined for a code that the catalogue lacks. */
export function errorPage(code: string, reading: Reading): string | undefined {
  if (!Object.hasOwn(ERRORS, code)) return undefined;
  const row: ErrorRow = ERRORS[code as ErrorCode];
  const content = errorContent(code, row, reading);
  return page(reading, { title: code, path: docUrl('', code), content });
}

function errorContent(code: string, row: ErrorRow, reading: Reading): Html {
  const { language } = reading;
  const texts = ERROR_PAGES[language];
  const { message, cause, fix } = describedIn(row, language);
  return html`<p class="soft"><a href="${linkFrom(reading, PATH)}">${texts.all}</a></p>
<h1><code>${code}</code></h1>
<dl>
<dt>${texts.status}</dt><dd>${row.status}</dd>
<dt>${texts.type}</dt><dd><code>${row.type}</code></dd>
<dt>${texts.message}</dt><dd>${prose(message)}</dd>
<dt>${texts.cause}</dt><dd>${prose(cause)}</dd>
</dl>
<h2>${texts.whatToDo}</h2>
<ul>${fix.map((step) => html`<li>${prose(step)}</li>`)}</ul>
<h2>${texts.howItLooks}</h2>
<pre tabindex="0"><code>${JSON.stringify(envelope(code, row, language), null, 2)}</code></pre>
<p class="soft"><a href="${linkFrom(reading, `/docs/errors/${code}.md`)}">${texts.asText}</a>.
${texts.filledIn} ${texts.requestId}</p>`;
}

/** A failure as a program sees it, with the places that are filled in. */
export function envelope(code: string, row: ErrorRow, language: Language): object {
  const { message } = describedIn(row, language);
  const { type } = row;
  const request_id = '{request_id}';
  return {
    error: { message, type, param: null, code, request_id, doc_url: docUrl('{base_url}', code) },
  };
}

/** The page for a path that leads nowhere. */
export function notFoundPage(path: string, reading: Reading): string {
  const texts = NO_PAGES[reading.language];
  return page(reading, {
    title: texts.notFound,
    path: '',
    content: html`<h1>${texts.notFoundHeading}</h1>
<p>${texts.leadsNowhere(path.slice(0, 200), reading)}</p>
<p><a href="${linkFrom(reading, '/')}">${texts.toStart}</a></p>`,
  });
}

/** The page for a fault of our own. */
export function failurePage(requestId: string, reading: Reading): string {
  const texts = NO_PAGES[reading.language];
  return page(reading, {
    title: texts.failed,
    path: '',
    content: html`<h1>${texts.failedHeading}</h1>
<p>${texts.ourFault(requestId)}</p>`,
  });
}
