import { CHECKS } from '../../delivery/cockpit/vocabulary.js';
import { type Html, html } from '../../kernel/html.js';
import { page } from './layout.js';

/** The page of the migration cockpit: a key goes in, and live checks run through this server. */
export function cockpitPage(baseUrl: string): string {
  return page('Migration cockpit', '/cockpit', content(baseUrl), ['/assets/cockpit.js']);
}

function content(baseUrl: string): Html {
  return html`<h1>Migration cockpit</h1>
<p>Checks through this server, with your own key, what a client of the chat-completions wire relies
on. Its base address is <code>${baseUrl}/v1</code>. The checks are real requests and billed as
ordinary traffic, under the feature <code>gw_cockpit</code>.</p>
<p class="soft">The key stays in this page: it is sent with the requests, kept nowhere, and
forgotten when the page is closed.</p>
<noscript><p>The page needs JavaScript. Without it, your key runs the same checks by
<code>POST ${baseUrl}/v1/gw/migration/cockpit</code>.</p></noscript>
<form id="cockpit" autocomplete="off" class="form">
<label for="key">Key or access token</label>
<input id="key" type="password" required autocomplete="off" spellcheck="false"
 placeholder="gw_sk_…">
<label for="model">Model</label>
<input id="model" type="text" value="gw:auto" maxlength="200" autocomplete="off"
 spellcheck="false">
<button type="submit">Run the checks</button>
</form>
<p id="outcome" role="status" aria-live="polite"></p>
<div class="scroll"><table>
<thead><tr><th scope="col">Check</th><th scope="col">Result</th><th scope="col">Time</th>
<th scope="col">Cost</th><th scope="col">What was seen</th></tr></thead>
<tbody id="checks">${CHECKS.rows.map(
    ({ code, description }) => html`<tr data-check="${code}">
<th scope="row"><code>${code}</code><br><span class="soft">${description}</span></th>
<td data-part="status">–</td><td data-part="time"></td><td data-part="cost"></td>
<td data-part="seen"></td></tr>`,
  )}</tbody>
</table></div>`;
}
