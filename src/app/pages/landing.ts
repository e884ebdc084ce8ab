import { MACHINE_DOCUMENTS } from '../../growth/devex/documents.js';
import { ACCOUNT_STEPS, addressLine } from '../../growth/devex/quickstart/account-steps.js';
import { STACKS } from '../../growth/devex/vocabulary.js';
import { type Html, html } from '../../kernel/html.js';
import { page } from './layout.js';

/** The page at the root: what this is, and the first requests with the caller's own address. */
export function landingPage(baseUrl: string): string {
  return page('LLM gateway', '/', content(baseUrl));
}

function content(baseUrl: string): Html {
  return html`<h1>One address for language models, billed in rubles</h1>
<p>Chat, embeddings and models on the chat-completions wire: a client moves here by changing its
base address and its key. Behind it stand policies, budgets, a data firewall, routing with
fallbacks, and a prepaid ledger that provably equals the usage. Everything is one GraphQL API; the
REST paths are named operations of it.</p>

<dl>
<dt>SDK base address</dt><dd><code data-copy>${baseUrl}/v1</code></dd>
<dt>GraphQL</dt><dd><code data-copy>${baseUrl}/graphql</code></dd>
<dt>Credential</dt><dd><code>Authorization: Bearer gw_sk_…</code></dd>
</dl>

<h2>First request</h2>
<p>Four steps in a shell. Registering makes an organization, a project, a ruble account and you as
its owner; pasted again, it logs you in.</p>
<pre tabindex="0"><code>${firstRequest(baseUrl)}</code></pre>
<p class="soft">The answer carries <code>gw_routing</code>, <code>gw_slo</code> and
<code>gw_firewall</code>: which model was chosen and why, how long it took, and what the firewall
found. In other stacks:
${STACKS.codes.map((code) => html` <a href="/docs/quickstart/${code}.md">${code}</a>`)}.</p>

<h2>Where to go on</h2>
${tiles(DESTINATIONS)}

<h2>For programs and agents</h2>
${tiles(MACHINE_DOCUMENTS)}`;
}

interface Tile {
  readonly path: string;
  readonly name: string;
  readonly about: string;
}

function tiles(places: readonly Tile[]): Html {
  return html`<ul class="tile-list">${places.map(
    ({ path, name, about }) => html`<li><a href="${path}">${name}</a><span>${about}</span></li>`,
  )}</ul>`;
}

/** Pasted as it is: the address is quoted, so that nothing in it can be read as a command. */
export function firstRequest(baseUrl: string): string {
  const steps = ACCOUNT_STEPS.map(({ title, note, command }, index) =>
    [`# ${index + 1}. ${title}${note ? ` ${note}` : ''}`, command].join('\n'),
  );
  return [addressLine(baseUrl), ...steps, `# ${steps.length + 1}. ${ASK}`].join('\n\n');
}

const ASK = `Ask. gw:auto lets the gateway choose the model.
curl -s "$GW/v1/chat/completions" -H "authorization: Bearer $KEY" \\
  -H 'content-type: application/json' \\
  -d '{"model": "gw:auto", "messages": [{"role": "user", "content": "Hello!"}]}'`;

const DESTINATIONS: readonly Tile[] = [
  { path: '/docs', name: 'API reference', about: 'Every REST path, to read and to try.' },
  { path: '/graphiql', name: 'GraphQL explorer', about: 'Every type, query and subscription.' },
  { path: '/docs/errors', name: 'Errors', about: 'Every code, its cause and what to do.' },
  { path: '/docs/access', name: 'Access', about: 'What each role and each type of key may do.' },
  { path: '/cockpit', name: 'Migration cockpit', about: 'Live checks with your own key.' },
];
