import { accountSteps, addressLine } from '../../growth/devex/quickstart/account-steps.js';
import { STACKS } from '../../growth/devex/vocabulary.js';
import { type Html, html } from '../../kernel/html.js';
import type { Language } from '../../kernel/language/languages.js';
import { documentTiles } from './document-lines.js';
import { LANDING } from './landing-texts.js';
import { page } from './layout.js';
import { linkFrom, type Reading } from './reading.js';

/** The page at the root: what this is, and the first requests with the caller's own address. */
export function landingPage(baseUrl: string, reading: Reading): string {
  const { title } = LANDING[reading.language];
  return page(reading, { title, path: '/', content: content(baseUrl, reading) });
}

function content(baseUrl: string, reading: Reading): Html {
  const texts = LANDING[reading.language];
  const stacks = STACKS.codes.map(
    (code) => html` <a href="${linkFrom(reading, `/docs/quickstart/${code}.md`)}">${code}</a>`,
  );
  const destinations = Object.entries(texts.destinations).map(([path, tile]) => ({
    path: linkFrom(reading, path),
    ...tile,
  }));
  return html`<h1>${texts.heading}</h1>
<p>${texts.idea}</p>

<dl>
<dt>${texts.sdkAddress}</dt><dd><code data-copy>${baseUrl}/v1</code></dd>
<dt>GraphQL</dt><dd><code data-copy>${baseUrl}/graphql</code></dd>
<dt>${texts.credential}</dt><dd><code>Authorization: Bearer gw_sk_…</code></dd>
</dl>

<h2>${texts.firstRequest}</h2>
<p>${texts.steps}</p>
<pre tabindex="0"><code>${firstRequest(baseUrl, reading.language)}</code></pre>
<p class="soft">${texts.receipts}
${stacks}.</p>

<h2>${texts.next}</h2>
${tiles(destinations)}

<h2>${texts.programs}</h2>
${tiles(documentTiles(reading))}`;
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
export function firstRequest(baseUrl: string, language: Language): string {
  const steps = [
    ...accountSteps(language).map(({ title, note, command }) => ({
      said: note ? `${title} ${note}` : title,
      command,
    })),
    { said: LANDING[language].ask, command: ASK },
  ].map(({ said, command }, index) => `# ${index + 1}. ${said}\n${command}`);
  return [addressLine(baseUrl), ...steps].join('\n\n');
}

const ASK = `curl -s "$GW/v1/chat/completions" -H "authorization: Bearer $KEY" \\
  -H 'content-type: application/json' \\
  -d '{"model": "gw:auto", "messages": [{"role": "user", "content": "Hello!"}]}'`;
