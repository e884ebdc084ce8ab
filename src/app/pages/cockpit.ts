import { CHECKS } from '../../delivery/cockpit/vocabulary.js';
import { type Html, html } from '../../kernel/html.js';
import type { Language } from '../../kernel/language/languages.js';
import { page } from './layout.js';
import { COCKPIT } from './texts/cockpit.js';

/** The page of the migration cockpit: a key goes in, and live checks run through this server. */
export function cockpitPage(language: Language, baseUrl: string): string {
  const { title } = COCKPIT[language];
  return page(language, title, '/cockpit', content(language, baseUrl), ['/assets/cockpit.js']);
}

function content(language: Language, baseUrl: string): Html {
  const { title, about, key, noScript, labels, heads, checks } = COCKPIT[language];
  return html`<h1>${title}</h1>
<p>${about(baseUrl)}</p>
<p class="soft">${key}</p>
<noscript><p>${noScript(baseUrl)}</p></noscript>
<form id="cockpit" autocomplete="off" class="form">
<label for="key">${labels.key}</label>
<input id="key" type="password" required autocomplete="off" spellcheck="false"
 placeholder="gw_sk_…">
<label for="model">${labels.model}</label>
<input id="model" type="text" value="gw:auto" maxlength="200" autocomplete="off"
 spellcheck="false">
<button type="submit">${labels.run}</button>
</form>
<p id="outcome" role="status" aria-live="polite"></p>
<div class="scroll"><table>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody id="checks">${CHECKS.rows.map(
    ({ code }) => html`<tr data-check="${code}">
<th scope="row"><code>${code}</code><br><span class="soft">${checks[code]}</span></th>
<td data-part="status">–</td><td data-part="time"></td><td data-part="cost"></td>
<td data-part="seen"></td></tr>`,
  )}</tbody>
</table></div>`;
}
