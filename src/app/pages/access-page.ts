import { KEY_TYPES, type KeyType, PERMISSIONS, ROLES, type Role } from '../../graph/permissions.js';
import { type Html, html } from '../../kernel/html.js';
import { page, scrolled } from './layout.js';

/** The table of who may do what: the very one that every operation asks. */
export function accessPage(): string {
  const content = html`<h1>Access</h1>
<p>A caller is a member with a role, known by an access token, or an API key with a type. Each
operation asks for one permission; REST and GraphQL ask the same table, which is this one. Programs
read it as <code>accessTable</code>.</p>
<h2>Roles and key types</h2>
<dl>${[...ROLES.rows, ...KEY_TYPES.rows].map(
    ({ code, description }) => html`<dt><code>${code}</code></dt><dd>${description}</dd>`,
  )}</dl>
<h2>Members, by role</h2>
${table('Members, by role', ROLES.codes)}
<h2>API keys, by type</h2>
${table('API keys, by type', KEY_TYPES.codes)}`;
  return page('Access', '/docs/access', content);
}

function table(name: string, columns: readonly (Role | KeyType)[]): Html {
  const head = columns.map((who) => html`<th scope="col" class="mark-cell">${who}</th>`);
  const rows = Object.entries(PERMISSIONS).map(([permission, { description, roles, keys }]) => {
    const holders: readonly string[] = [...roles, ...keys];
    const cells = columns.map((who) => cell(holders.includes(who)));
    return html`<tr><th scope="row"><code>${permission}</code>
<span class="soft">${description}</span></th>${cells}</tr>
`;
  });
  return scrolled(
    name,
    html`<table class="permissions">
<thead><tr><th scope="col">Permission</th>${head}</tr></thead>
<tbody>${rows}</tbody></table>`,
  );
}

function cell(granted: boolean): Html {
  return granted
    ? html`<td class="mark-cell yes"><span role="img" aria-label="yes">✓</span></td>`
    : html`<td class="mark-cell soft"><span role="img" aria-label="no">–</span></td>`;
}
