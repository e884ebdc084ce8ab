/**
 * The look of the pages of text. Fonts are those of the reader's system, all of which have
 * Cyrillic letters; colours follow the reader's choice of light or dark.
 */
export const PAGES_CSS = `:root {
  color-scheme: light dark;
  --ink: #1c2127; --soft: #5b6672; --line: #dfe3e8; --paper: #ffffff; --raised: #f5f7f9;
  --accent: #0b63c5; --good: #1d7a3e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e6e9ed; --soft: #9aa6b2; --line: #333b44; --paper: #14181d; --raised: #1d232a;
    --accent: #6db3ff; --good: #6fd08c;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans",
    "DejaVu Sans", sans-serif;
}
header {
  display: flex; flex-wrap: wrap; gap: .4rem 1.5rem; align-items: baseline;
  padding: .8rem 1.25rem; border-bottom: 1px solid var(--line);
}
.mark { color: inherit; text-decoration: none; }
.mark b { font-size: 1.2rem; letter-spacing: -.02em; }
nav { display: flex; flex-wrap: wrap; gap: .3rem 1rem; }
nav a { text-decoration: none; }
nav a[aria-current] { color: var(--ink); font-weight: 600; }
main { max-width: 62rem; margin: 0 auto; padding: 1.5rem 1.25rem 4rem; }
a { color: var(--accent); }
a:focus-visible, summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: .5rem 0 1rem; letter-spacing: -.015em; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; }
p, li { max-width: 46rem; }
.soft { color: var(--soft); }
code, pre {
  font-family: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "Liberation Mono",
    "DejaVu Sans Mono", monospace;
  font-size: .9em;
}
code { overflow-wrap: anywhere; }
pre {
  background: var(--raised); border: 1px solid var(--line); border-radius: 6px;
  padding: .8rem 1rem; overflow-x: auto; line-height: 1.5;
}
pre code { font-size: 1em; overflow-wrap: normal; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .35rem 1.25rem; }
dt { color: var(--soft); }
dd { margin: 0; min-width: 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .45rem .7rem .45rem 0; }
tr { border-bottom: 1px solid var(--line); }
thead th { color: var(--soft); font-weight: 600; font-size: .9rem; }
tbody th { font-weight: 400; }
table code { white-space: nowrap; }
td.mark-cell, th.mark-cell { text-align: center; padding-right: .4rem; }
.yes { color: var(--good); font-weight: 700; }
.tile-list { list-style: none; padding: 0; display: grid; gap: .7rem;
  grid-template-columns: repeat(auto-fill, minmax(16rem, 1fr)); }
.tile-list li { border: 1px solid var(--line); border-radius: 6px; padding: .7rem .9rem; }
.tile-list a { font-weight: 600; text-decoration: none; }
.tile-list span { display: block; color: var(--soft); font-size: .93rem; }
.form { display: grid; gap: .3rem; max-width: 28rem; margin: 1.2rem 0; }
.form input, .form button { font: inherit; padding: .45rem .6rem; border-radius: 6px; }
.form input { color: inherit; background: var(--paper); border: 1px solid var(--line); }
.form button { margin-top: .5rem; border: 0; color: #fff; background: #0b63c5; cursor: pointer; }
.form button:disabled { opacity: .6; cursor: default; }
.form :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media (max-width: 34rem) {
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: .5rem; }
}
`;

/** The sign of the product in the browser's tab. */
export const ICON_SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#0b63c5"/>
<path d="M7 16h11m0 0-5-5m5 5-5 5M24 7v18" fill="none" stroke="#fff" stroke-width="3"
 stroke-linecap="round" stroke-linejoin="round"/>
</svg>
`;
