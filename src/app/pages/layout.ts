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

/** What a page adds to the frame. */
interface Frame {
  readonly title: string;
  /** The place that the header marks; empty for a page that it does not lead to. */
  readonly path: string;
  readonly styles: readonly string[];
  readonly scripts: readonly string[];
  readonly bodyClass: string;
  readonly body: Html;
}

/** A page of text in the frame that all pages share; `scripts` are files of this server. */
export function page(
  title: string,
  path: string,
  content: Html,
  scripts: readonly string[] = [],
): string {
  return framed({
    title,
    path,
    styles: ['/assets/pages.css'],
    scripts: ['/assets/copy.js', ...scripts],
    bodyClass: 'text',
    body: html`<main id="content" tabindex="-1">
${content}
</main>`,
  });
}

/**
 * A page that a script fills: the tools. Nothing but that script's own files is loaded. A tool that
 * draws a main part with a heading of its own stands in a section and scrolls with the window; any
 * other stands in the main part and keeps to the height that is left.
 */
export function toolPage(
  title: string,
  path: string,
  place: 'main' | 'section',
  files: { readonly styles: readonly string[]; readonly scripts: readonly string[] },
): string {
  const root = html`<div id="root"></div>`;
  const named = html`<h1 class="unseen">${title}</h1>${root}`;
  return framed({
    title,
    path,
    ...files,
    bodyClass: place === 'main' ? 'tool' : 'tool flowing',
    body: html`<noscript><p>This tool needs JavaScript. Without it:
<a href="/llms-full.txt">all operations as text</a>, <a href="/openapi.json">OpenAPI</a>,
<a href="/schema.graphql">GraphQL schema</a>.</p></noscript>
${
  place === 'main'
    ? html`<main id="content" tabindex="-1">${named}</main>`
    : html`<section id="content" tabindex="-1">${root}</section>`
}`,
  });
}

/** A table that scrolls by itself where the screen is narrow, also by keyboard. */
export function scrolled(name: string, table: Html): Html {
  return html`<div class="scroll" role="region" aria-label="${name}" tabindex="0">${table}</div>`;
}

function framed({ title, path, styles, scripts, bodyClass, body }: Frame): string {
  const loaded = [
    ...['/assets/frame.css', ...styles].map(
      (file) => html`<link rel="stylesheet" href="${file}">\n`,
    ),
    ...scripts.map((file) => html`<script src="${file}" defer></script>\n`),
  ];
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · gw</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
${loaded}</head>
<body class="${bodyClass}" data-word-copy="Copy" data-word-copied="Copied">
${header(path)}
${body}
</body>
</html>
`.text;
}

/** The header of every page: home, the other pages, and for keyboards a way past it. */
function header(path: string): Html {
  const links = PLACES.map((place) =>
    place.path === path
      ? html`<a href="${place.path}" aria-current="page">${place.name}</a>`
      : html`<a href="${place.path}">${place.name}</a>`,
  );
  return html`<header class="site-header">
<a class="skip" href="#content">Skip to the content</a>
<a class="mark" href="/"><b>gw</b> LLM gateway</a>
<nav aria-label="Pages">${links}</nav>
</header>`;
}
