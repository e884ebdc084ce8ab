import { KEY_TYPES, type KeyType, PERMISSIONS, ROLES, type Role } from '../../graph/permissions.js';
import { type Html, html } from '../../kernel/html.js';
import { ACCESS } from './access-texts.js';
import { page, scrolled } from './layout.js';
import { madeOnce, type Reading } from './reading.js';
import { descriptionOfHolder, descriptionOfPermission } from './right-texts.js';

/** The table of who may do what: the very one that every operation asks. */
export const accessPage = madeOnce((reading) => {
  const { title, idea, holders, byRole, byKey } = ACCESS[reading.language];
  const content = html`<h1>${title}</h1>
<p>${idea}</p>
<h2>${holders}</h2>
<dl>${[...ROLES.codes, ...KEY_TYPES.codes].map(
    (code) => html`<dt><code>${code}</code></dt>
<dd>${descriptionOfHolder(code, reading.language)}</dd>`,
  )}</dl>
<h2>${byRole}</h2>
${table(reading, byRole, ROLES.codes)}
<h2>${byKey}</h2>
${table(reading, byKey, KEY_TYPES.codes)}`;
  return page(reading, { title, path: '/docs/access', content });
});

function table({ language }: Reading, name: string, columns: readonly (Role | KeyType)[]): Html {
  const texts = ACCESS[language];
  const head = columns.map((who) => html`<th scope="col" class="mark-cell">${who}</th>`);
  const rows = Object.entries(PERMISSIONS).map(([permission, { roles, keys }]) => {
    const holders: readonly string[] = [...roles, ...keys];
    const cells = columns.map((who) =>
      holders.includes(who)
        ? html`<td class="mark-cell yes"><span role="img" aria-label="${texts.yes}">✓</span></td>`
        : html`<td class="mark-cell soft"><span role="img" aria-label="${texts.no}">–</span></td>`,
    );
    const description = descriptionOfPermission(permission, language);
    return html`<tr><th scope="row"><code>${permission}</code>
<span class="soft">${description}</span></th>${cells}</tr>
`;
  });
  return scrolled(
    name,
    html`<table class="permissions">
<thead><tr><th scope="col">${texts.permission}</th>${head}</tr></thead>
<tbody>${rows}</tbody></table>`,
  );
}
