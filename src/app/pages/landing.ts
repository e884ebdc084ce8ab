import { type Html, html } from '../../kernel/html.js';
import type { Language } from '../../kernel/language/languages.js';
import { page } from './layout.js';
import { LANDING } from './texts/landing.js';

/** The page at the root: what this is, and the first requests with the caller's own address. */
export function landingPage(language: Language, baseUrl: string): string {
  return page(language, LANDING[language].title, '/', content(language, baseUrl));
}

function content(language: Language, baseUrl: string): Html {
  const texts = LANDING[language];
  return html`<h1>${texts.heading}</h1>
<p>${texts.about}</p>

<dl>
<dt>${texts.address}</dt><dd><code>${baseUrl}/v1</code></dd>
<dt>GraphQL</dt><dd><code>${baseUrl}/graphql</code></dd>
<dt>${texts.credential}</dt><dd><code>Authorization: Bearer gw_sk_…</code></dd>
</dl>

<h2>${texts.first}</h2>
<p>${texts.steps}</p>
<pre tabindex="0"><code>${firstRequest(baseUrl, language)}</code></pre>
<p class="soft">${texts.answer}</p>

<h2>${texts.further}</h2>
<ul class="tile-list">${Object.entries(texts.destinations).map(
    ([path, [name, about]]) => html`<li><a href="${path}">${name}</a><span>${about}</span></li>`,
  )}</ul>`;
}

/** Pasted as it is: the address is quoted, so that nothing in it can be read as a command. */
export function firstRequest(baseUrl: string, language: Language = 'en'): string {
  const says = LANDING[language].request;
  return `GW='${baseUrl.replaceAll("'", '%27')}'

# 1. ${says.register}
TOKEN=$(curl -s "$GW/auth/register" -H 'content-type: application/json' -d '{
  "email": "owner@example.com",
  "password": "correct horse battery",
  "organization": "${says.organization}"
}' | sed -E 's/.*"accessToken":"([^"]+)".*/\\1/')

# 2. ${says.key}
KEY=$(curl -s "$GW/api-keys" -H "authorization: Bearer $TOKEN" \\
  -H 'content-type: application/json' \\
  -d '{"keyType": "standard", "name": "${says.keyName}"}' | sed -E 's/.*"key":"([^"]+)".*/\\1/')

# 3. ${says.topUp}
curl -s "$GW/billing/top-up/manual" -H "authorization: Bearer $KEY" \\
  -H 'content-type: application/json' -d '{"amount_rub": 500}'

# 4. ${says.ask}
curl -s "$GW/v1/chat/completions" -H "authorization: Bearer $KEY" \\
  -H 'content-type: application/json' \\
  -d '{"model": "gw:auto", "messages": [{"role": "user", "content": "${says.hello}"}]}'`;
}
