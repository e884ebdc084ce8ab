import { type Html, html } from '../../kernel/html.js';
import { LANGUAGES } from '../../kernel/language/languages.js';
import { LAYOUT, type Place } from './layout-texts.js';
import { LANGUAGE_NAMES, linkFrom, pathIn, type Reading } from './reading.js';

/** The places that every page leads to. */
const PLACES = Object.keys(LAYOUT.en.places) as Place[];

/** What every page has. */
interface Titled {
  readonly title: string;
  /** The path of the page; empty for one that stands in for others, or that is secret. */
  readonly path: string;
}

/** What a page adds to the frame. */
interface Frame extends Titled {
  readonly styles: readonly string[];
  readonly scripts: readonly string[];
  readonly bodyClass: string;
  readonly body: Html;
}

/** A page of text. */
interface TextPage extends Titled {
  readonly content: Html;
  /** Files of this server. */
  readonly scripts?: readonly string[];
}

/** A page that a script fills. */
interface ToolPage extends Titled {
  /**
   * A tool that draws a main part with a heading of its own stands in a section and scrolls with
   * the window; any other stands in the main part and keeps to the height that is left.
   */
  readonly place: 'main' | 'section';
  readonly styles: readonly string[];
  readonly scripts: readonly string[];
  /** What its script says, by name. */
  readonly words: Readonly<Record<string, string>>;
  /** What is to be known of the tool before it is read. */
  readonly note?: string | undefined;
}

/** A page of text in the frame that all pages share. */
export function page(reading: Reading, { title, path, content, scripts = [] }: TextPage): string {
  return framed(reading, {
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

/** A page of a tool. Nothing but its script's own files is loaded. */
export function toolPage(reading: Reading, tool: ToolPage): string {
  const { title, path, place, styles, scripts, words, note } = tool;
  const { needsScripts, operations, schema } = LAYOUT[reading.language];
  const root = html`<div id="root" data-words="${JSON.stringify(words)}"></div>`;
  const named = html`<h1 class="unseen">${title}</h1>${root}`;
  const told = note === undefined ? undefined : html`<aside class="tool-note">${note}</aside>\n`;
  return framed(reading, {
    title,
    path,
    styles,
    scripts,
    bodyClass: place === 'main' ? 'tool' : 'tool flowing',
    body: html`<noscript><p>${needsScripts}
<a href="${linkFrom(reading, '/llms-full.txt')}">${operations}</a>,
<a href="/openapi.json">OpenAPI</a>,
<a href="/schema.graphql">${schema}</a>.</p></noscript>
${told}${
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

function framed(reading: Reading, frame: Frame): string {
  const { title, path, styles, scripts, bodyClass, body } = frame;
  const { copy, copied } = LAYOUT[reading.language];
  const loaded = [
    ...['/assets/frame.css', ...styles].map(
      (file) => html`<link rel="stylesheet" href="${file}">\n`,
    ),
    ...scripts.map((file) => html`<script src="${file}" defer></script>\n`),
  ];
  return html`<!doctype html>
<html lang="${reading.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · gw</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
${path === '' ? undefined : alternates(path)}${loaded}</head>
<body class="${bodyClass}" data-word-copy="${copy}" data-word-copied="${copied}">
${header(reading, path)}
${body}
</body>
</html>
`.text;
}

/** Where the same page is read in each language, and where it is read in the preferred one. */
function alternates(path: string): Html[] {
  return [
    ...LANGUAGES.map(
      (language) =>
        html`<link rel="alternate" hreflang="${language}" href="${pathIn(language, path)}">\n`,
    ),
    html`<link rel="alternate" hreflang="x-default" href="${path}">\n`,
  ];
}

/** The header of every page: home, the other pages, languages, and for keyboards a way past it. */
function header(reading: Reading, path: string): Html {
  const { brand, skip, pages, languages, places } = LAYOUT[reading.language];
  const links = PLACES.map((place) => {
    const current = place === path ? html` aria-current="page"` : undefined;
    return html`<a href="${linkFrom(reading, place)}"${current}>${places[place]}</a>`;
  });
  // Relative, so that pages without a path of their own stay where they are.
  const choices = LANGUAGES.map((language) => {
    const current = language === reading.language ? html` aria-current="true"` : undefined;
    const name = LANGUAGE_NAMES[language];
    return html`<a href="?lang=${language}" lang="${language}"
 hreflang="${language}"${current}>${name}</a>`;
  });
  return html`<header class="site-header">
<a class="skip" href="#content">${skip}</a>
<a class="mark" href="${linkFrom(reading, '/')}"><b>gw</b> ${brand}</a>
<nav aria-label="${pages}">${links}</nav>
<nav class="languages" aria-label="${languages}">${choices}</nav>
</header>`;
}
