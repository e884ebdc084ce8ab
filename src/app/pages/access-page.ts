import {
  KEY_TYPES,
  type KeyType,
  PERMISSIONS,
  type Permission,
  ROLES,
  type Role,
} from '../../graph/permissions.js';
import { type Html, html } from '../../kernel/html.js';
import type { Language } from '../../kernel/language/languages.js';
import { page } from './layout.js';
import { ACCESS } from './texts/access.js';

/** The table of who may do what: the very one that every operation asks. */
export function accessPage(language: Language): string {
  const { title, about, holders, who, members, keys } = ACCESS[language];
  const content = html`<h1>${title}</h1>
<p>${about}</p>
<h2>${holders}</h2>
<dl>${[...ROLES.rows, ...KEY_TYPES.rows].map(
    ({ code }) => html`<dt><code>${code}</code></dt><dd>${who[code]}</dd>`,
  )}</dl>
<h2>${members}</h2>
${table(ROLES.codes, language)}
<h2>${keys}</h2>
${table(KEY_TYPES.codes, language)}`;
  return page(language, title, '/docs/access', content);
}

function table(columns: readonly (Role | KeyType)[], language: Language): Html {
  const texts = ACCESS[language];
  const sentences = texts.permissions();
  const head = columns.map((who) => html`<th scope="col" class="mark-cell">${who}</th>`);
  const rows = Object.entries(PERMISSIONS).map(([permission, { roles, keys }]) => {
    const holders: readonly string[] = [...roles, ...keys];
    const cells = columns.map((who) => cell(holders.includes(who), texts));
    return html`<tr><th scope="row"><code>${permission}</code>
<span class="soft">${sentences[permission as Permission]}</span></th>${cells}</tr>
`;
  });
  return html`<div class="scroll"><table>
<thead><tr><th scope="col">${texts.permission}</th>${head}</tr></thead>
<tbody>${rows}</tbody></table></div>`;
}

function cell(granted: boolean, { yes, no }: { readonly yes: string; readonly no: string }): Html {
  return granted
    ? html`<td class="mark-cell yes" aria-label="${yes}">✓</td>`
    : html`<td class="mark-cell soft" aria-label="${no}">–</td>`;
}
