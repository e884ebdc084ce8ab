import { html } from './html.js';
import { page } from './layout.js';

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
