import { type Html, html } from '../../kernel/html.js';
import { LANGUAGES, type Language } from '../../kernel/language/languages.js';
import { FRAME, LANGUAGE_NAMES } from './texts/frame.js';

/** A page of text in the frame that all pages share; `scripts` are files of this server. */
export function page(
  language: Language,
  title: string,
  path: string,
  content: Html,
  scripts: readonly string[] = [],
): string {
  const loaded = scripts.map((script) => html`<script src="${script}" defer></script>\n`);
  const { product, pages, places } = FRAME[language];
  const links = Object.entries(places).map(([place, name]) =>
    place === path
      ? html`<a href="${place}" aria-current="page">${name}</a>`
      : html`<a href="${place}">${name}</a>`,
  );
  return html`<!doctype html>
<html lang="${language}">
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
<a class="mark" href="/"><b>gw</b> ${product}</a>
<nav aria-label="${pages}">${links}</nav>
${languageSwitch(language)}
</header>
<main>
${content}
</main>
</body>
</html>
`.text;
}

/** Leads to the same page in each language; the choice is remembered. */
function languageSwitch(language: Language): Html {
  const links = LANGUAGES.map((each) => {
    const current = each === language ? html` aria-current="true"` : '';
    return html`<a href="?lang=${each}" lang="${each}" hreflang="${each}"${current}>${
      LANGUAGE_NAMES[each]
    }</a>`;
  });
  return html`<nav class="languages" aria-label="${FRAME[language].language}">${links}</nav>`;
}

/** A page that a script fills: the tools. Nothing but that script's own files is loaded. */
export function toolPage(
  language: Language,
  title: string,
  files: { readonly styles: readonly string[]; readonly scripts: readonly string[] },
): string {
  const styles = files.styles.map((path) => html`<link rel="stylesheet" href="${path}">\n`);
  const scripts = files.scripts.map((path) => html`<script src="${path}"></script>\n`);
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · gw</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
${styles}</head>
<body>
<noscript>${FRAME[language].noScript}</noscript>
<div id="root"></div>
${scripts}</body>
</html>
`.text;
}
