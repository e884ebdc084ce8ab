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
<dt>SDK base address</dt><dd><code>${baseUrl}/v1</code></dd>
<dt>GraphQL</dt><dd><code>${baseUrl}/graphql</code></dd>
<dt>Credential</dt><dd><code>Authorization: Bearer gw_sk_…</code></dd>
</dl>

<h2>First request</h2>
<p>Four steps in a shell. Registering makes an organization, a project, a ruble account and you as
its owner.</p>
<pre tabindex="0"><code>${firstRequest(baseUrl)}</code></pre>
<p class="soft">The answer carries <code>gw_routing</code>, <code>gw_slo</code> and
<code>gw_firewall</code>: which model was chosen and why, how long it took, and what the firewall
found.</p>

<h2>Where to go on</h2>
<ul class="tile-list">${DESTINATIONS.map(
    ({ path, name, about }) => html`<li><a href="${path}">${name}</a><span>${about}</span></li>`,
  )}</ul>`;
}

/** Pasted as it is: the address is quoted, so that nothing in it can be read as a command. */
export function firstRequest(baseUrl: string): string {
  return `GW='${baseUrl.replaceAll("'", '%27')}'

# 1. Register. The answer holds an access token.
TOKEN=$(curl -s "$GW/auth/register" -H 'content-type: application/json' -d '{
  "email": "owner@example.com",
  "password": "correct horse battery",
  "organization": "My company"
}' | sed -E 's/.*"accessToken":"([^"]+)".*/\\1/')

# 2. Create a key. Its value is shown this once.
KEY=$(curl -s "$GW/api-keys" -H "authorization: Bearer $TOKEN" \\
  -H 'content-type: application/json' \\
  -d '{"keyType": "standard", "name": "first key"}' | sed -E 's/.*"key":"([^"]+)".*/\\1/')

# 3. Top up by hand. A production server answers 403 here unless its operator allows it.
curl -s "$GW/billing/top-up/manual" -H "authorization: Bearer $KEY" \\
  -H 'content-type: application/json' -d '{"amount_rub": 500}'

# 4. Ask. gw:auto lets the gateway choose the model.
curl -s "$GW/v1/chat/completions" -H "authorization: Bearer $KEY" \\
  -H 'content-type: application/json' \\
  -d '{"model": "gw:auto", "messages": [{"role": "user", "content": "Hello!"}]}'`;
}

const DESTINATIONS = [
  { path: '/docs', name: 'API reference', about: 'Every REST path, to read and to try.' },
  { path: '/graphiql', name: 'GraphQL explorer', about: 'Every type, query and subscription.' },
  { path: '/docs/errors', name: 'Errors', about: 'Every code, its cause and what to do.' },
  { path: '/docs/access', name: 'Access', about: 'What each role and each type of key may do.' },
  { path: '/cockpit', name: 'Migration cockpit', about: 'Live checks with your own key.' },
  { path: '/openapi.json', name: 'OpenAPI 3.1', about: 'The same for programs; also as YAML.' },
  { path: '/postman.json', name: 'Postman', about: 'A collection with a request for each path.' },
  { path: '/schema.graphql', name: 'GraphQL schema', about: 'The schema as text.' },
  { path: '/llms.txt', name: 'llms.txt', about: 'The short index for language models.' },
  {
    path: '/llms-full.txt',
    name: 'llms-full.txt',
    about: 'All operations and the schema as text.',
  },
] as const;
