import { CHECKS } from '../../delivery/cockpit/vocabulary.js';
import { type Html, html } from '../../kernel/html.js';
import type { Language } from '../../kernel/language/languages.js';
import { checkHead, checksTable } from './checks-table.js';
import { CHECK_TEXTS, COCKPIT } from './cockpit-texts.js';
import { page } from './layout.js';
import type { Reading } from './reading.js';

/** The page of the migration cockpit: a key goes in, and live checks run through this server. */
export function cockpitPage(baseUrl: string, reading: Reading): string {
  return page(reading, {
    title: COCKPIT[reading.language].title,
    path: '/cockpit',
    content: content(baseUrl, reading.language),
    scripts: ['/assets/cockpit.js'],
  });
}

/** What the script of the page says, as it finds it there. */
function wordsOf(language: Language): string {
  const { statuses, runStatuses, simulated, ms, rub } = CHECK_TEXTS[language];
  return JSON.stringify({
    ...COCKPIT[language].words,
    statuses: { ...statuses, waiting: '…' },
    runStatuses,
    simulated,
    ms,
    rub,
  });
}

function content(baseUrl: string, language: Language): Html {
  const texts = COCKPIT[language];
  return html`<h1>${texts.title}</h1>
<p>${texts.idea(baseUrl)}</p>
<p class="soft">${texts.keyStays}</p>
<noscript><p>${texts.needsScripts(baseUrl)}</p></noscript>
<form id="cockpit" autocomplete="off" class="form" data-words="${wordsOf(language)}">
<label for="key">${texts.key}</label>
<input id="key" type="password" required autocomplete="off" spellcheck="false"
 placeholder="gw_sk_…">
<label for="model">${texts.model}</label>
<input id="model" type="text" value="gw:auto" maxlength="200" autocomplete="off"
 spellcheck="false">
<button type="submit">${texts.run}</button>
</form>
<p id="outcome" role="status" aria-live="polite"></p>
<div id="share" hidden>
<p>${texts.share}</p>
<div class="form one-line"><button type="button" id="open-link">${texts.makeLink}</button>
<button type="button" id="take-link" class="second" hidden>${texts.takeBack}</button></div>
<p id="shared" role="status" aria-live="polite"></p>
<p id="link-line" hidden><a id="link" href="/cockpit" data-copy></a></p>
</div>
${checksTable(
  language,
  CHECKS.codes.map(
    (code) => html`<tr data-check="${code}">
${checkHead(language, code)}
<td data-part="status">–</td><td data-part="time"></td><td data-part="cost"></td>
<td data-part="seen"></td></tr>`,
  ),
)}
<section id="readiness" hidden aria-labelledby="readiness-title">
<h2 id="readiness-title">${texts.ready} <span id="percent"></span></h2>
<p class="soft">${texts.readyAbout}</p>
<ul id="items" class="item-list"></ul>
</section>`;
}
