import type { CheckCode } from '../../delivery/cockpit/vocabulary.js';
import { type Html, html } from '../../kernel/html.js';
import type { Language } from '../../kernel/language/languages.js';
import { CHECK_TEXTS } from './cockpit-texts.js';
import { scrolled } from './layout.js';

/** The table of live checks: empty where they are run, filled where a report tells of them. */
export function checksTable(language: Language, rows: readonly Html[]): Html {
  const { tableName, check, result, time, cost, seen } = CHECK_TEXTS[language];
  return scrolled(
    tableName,
    html`<table class="checks cards">
<thead><tr><th scope="col">${check}</th><th scope="col">${result}</th><th scope="col">${time}</th>
<th scope="col">${cost}</th><th scope="col">${seen}</th></tr></thead>
<tbody id="checks">${rows}</tbody>
</table>`,
  );
}

/** The first cell of the row of a check: its code, and what it shows. */
export function checkHead(language: Language, code: CheckCode): Html {
  const description = CHECK_TEXTS[language].description(code);
  return html`<th scope="row"><code>${code}</code><br>
<span class="soft">${description}</span></th>`;
}
