import { ERRORS, type ErrorCode } from '../../kernel/errors/catalogue.js';
import { docUrl } from '../../kernel/errors/doc-url.js';
import type { ErrorRow } from '../../kernel/errors/row.js';
import { type Html, html, prose } from '../../kernel/html.js';
import { page, scrolled } from './layout.js';

const PATH = '/docs/errors';

/** The list of all codes, by status. */
export function errorListPage(): string {
  const rows = Object.entries<ErrorRow>(ERRORS).sort(
    ([left, a], [right, b]) => a.status - b.status || left.localeCompare(right),
  );
  const content = html`<h1>Errors</h1>
<p>Every failure has a code of this list: in REST as <code>error.code</code>, in GraphQL as
<code>extensions.code</code>. <code>error.doc_url</code> leads to the page of the code. Programs
read the list from <code>GET /v1/gw/errors</code>, agents <a href="/docs/errors.md">as text</a>.
What made a request fail, and what makes it pass, answers
<code>POST /v1/gw/devex/debug</code>.</p>
${scrolled('All errors, by status', errorTable(rows))}`;
  return page('Errors', PATH, content);
}

function errorTable(rows: readonly (readonly [string, ErrorRow])[]): Html {
  return html`<table class="cards">
<thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Cause</th></tr>
</thead>
<tbody>${rows.map(
    ([code, row]) => html`<tr><td>${row.status}</td>
<th scope="row"><a href="${docUrl('', code)}"><code>${code}</code></a></th>
<td>${prose(row.cause)}</td></tr>
`,
  )}</tbody></table>`;
}

/** The page of one code; undefined for a code that the catalogue lacks. */
export function errorPage(code: string): string | undefined {
  if (!Object.hasOwn(ERRORS, code)) return undefined;
  const row: ErrorRow = ERRORS[code as ErrorCode];
  return page(code, '', errorContent(code, row));
}

function errorContent(code: string, row: ErrorRow): Html {
  return html`<p class="soft"><a href="${PATH}">All errors</a></p>
<h1><code>${code}</code></h1>
<dl>
<dt>Status</dt><dd>${row.status}</dd>
<dt>Type</dt><dd><code>${row.type}</code></dd>
<dt>Message</dt><dd>${prose(row.message)}</dd>
<dt>Cause</dt><dd>${prose(row.cause)}</dd>
</dl>
<h2>What to do</h2>
<ul>${row.fix.map((step) => html`<li>${prose(step)}</li>`)}</ul>
<h2>How it looks</h2>
<pre tabindex="0"><code>${JSON.stringify(envelope(code, row), null, 2)}</code></pre>
<p class="soft"><a href="/docs/errors/${code}.md">As text, for agents</a>.
Words in braces are filled in. <code>x-request-id</code> of the answer is the id to
quote to support.</p>`;
}

/** A failure as a program sees it, with the places that are filled in. */
export function envelope(code: string, row: ErrorRow): object {
  const { message, type } = row;
  const request_id = '{request_id}';
  return {
    error: { message, type, param: null, code, request_id, doc_url: docUrl('{base_url}', code) },
  };
}

/** The page for a path that leads nowhere. */
export function notFoundPage(path: string): string {
  return page(
    'Not found',
    '',
    html`<h1>There is no page here</h1>
<p><code>${path.slice(0, 200)}</code> leads nowhere. The <a href="/docs">API reference</a> lists
every path of the API; SDK clients use the base address that ends with <code>/v1</code>.</p>
<p><a href="/">To the start page</a></p>`,
  );
}

/** The page for a fault of our own. */
export function failurePage(requestId: string): string {
  return page(
    'Failed',
    '',
    html`<h1>This page could not be made</h1>
<p>The fault is ours, not yours. Try again; if it stays, quote <code>${requestId}</code> to
support.</p>`,
  );
}
