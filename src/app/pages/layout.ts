import { type Html, html } from '../../kernel/html.js';

/** The places that every page leads to. */
const PLACES = [
  { path: '/', name: 'Start' },
  { path: '/docs', name: 'API reference' },
  { path: '/graphiql', name: 'GraphQL explorer' },
  { path: '/docs/errors', name: 'Errors' },
  { path: '/docs/access', name: 'Access' },
  { path: '/cockpit', name: 'Cockpit' },
] as const;

/** A page of text in the frame that all pages share; `scripts` are files of this server. */
export function page(
  title: string,
  path: string,
  content: Html,
  scripts: readonly string[] = [],
): string {
  const loaded = scripts.map((script) => html`<script src="${script}" defer></script>\n`);
  const links = PLACES.map((place) =>
    place.path === path
      ? html`<a href="${place.path}" aria-current="page">${place.name}</a>`
      : html`<a href="${place.path}">${place.name}</a>`,
  );
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · gw</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/pages.css">
${loaded}</head>
<body>
<header>
<a class="mark" href="/"><b>gw</b> LLM gateway</a>
<nav aria-label="Pages">${links}</nav>
</header>
<main>
${content}
</main>
</body>
</html>
`.text;
}

/** A page that a script fills: the tools. Nothing but that script's own files is loaded. */
export function toolPage(
  title: string,
  files: { readonly styles: readonly string[]; readonly scripts: readonly string[] },
): string {
  const styles = files.styles.map((path) => html`<link rel="stylesheet" href="${path}">\n`);
  const scripts = files.scripts.map((path) => html`<script src="${path}"></script>\n`);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · gw</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
${styles}</head>
<body>
<noscript>This tool needs JavaScript. Without it:
<a href="/llms-full.txt">all operations as text</a>, <a href="/openapi.json">OpenAPI</a>,
<a href="/schema.graphql">GraphQL schema</a>.</noscript>
<div id="root"></div>
${scripts}</body>
</html>
`.text;
}
