import { CHECKS } from '../../delivery/cockpit/vocabulary.js';
import { type Html, html } from '../../kernel/html.js';
import { checksTable } from './checks-table.js';
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
<div id="share" hidden>
<p>The run can be shown to others as a sealed report. Its link is public for 30 days: whoever has it
sees the checks, and neither the key nor a text of an answer.</p>
<div class="form one-line"><button type="button" id="open-link">Make the link</button>
<button type="button" id="take-link" class="second" hidden>Take the link back</button></div>
<p id="shared" role="status" aria-live="polite"></p>
<p id="link-line" hidden><a id="link" href="/cockpit" data-copy></a></p>
</div>
${checksTable(
  CHECKS.rows.map(
    ({ code, description }) => html`<tr data-check="${code}">
<th scope="row"><code>${code}</code><br><span class="soft">${description}</span></th>
<td data-part="status">–</td><td data-part="time"></td><td data-part="cost"></td>
<td data-part="seen"></td></tr>`,
  ),
)}
<section id="readiness" hidden aria-labelledby="readiness-title">
<h2 id="readiness-title">Ready for production: <span id="percent"></span></h2>
<p class="soft">Read from the rows of your organization. Simulated answers close no item.</p>
<ul id="items" class="item-list"></ul>
</section>`;
}
