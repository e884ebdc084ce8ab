import { describe, expect, it } from 'vitest';
import { inspectRequest } from '../../../src/inference/firewall/inspect.js';
import { DEFAULT_MODES } from '../../../src/kernel/firewall/vocabulary.js';

const PNG = `iVBORw0KGgo${'Ab9+'.repeat(40)}`;
const SECRET = '<p>Паспорт 4509 123456</p>';

const inFile = (text: string, media = '') => ({
  model: 'm',
  messages: [
    {
      role: 'user',
      content: [
        {
          type: 'file',
          file: {
            file_data: `${media && `data:${media};base64,`}${Buffer.from(text).toString('base64')}`,
          },
        },
      ],
    },
  ],
});
const inText = (content: string) => ({ model: 'm', messages: [{ role: 'user', content }] });
const kindsOf = (body: object) => {
  const { unread, dataClass } = inspectRequest(body, DEFAULT_MODES);
  return { unread: unread.map(({ kind }) => kind), dataClass };
};

const svg = (inner: string) => `<svg xmlns="http://www.w3.org/2000/svg">${inner}</svg>`;
const html = (inner: string) => `<!DOCTYPE html><html><body>${inner}</body></html>`;

const SHOWN: readonly string[] = [
  svg('<foreignObject><img src="https://a.example/scan.png"/></foreignObject>'),
  svg('<foreignObject><body><iframe srcdoc="a"></iframe></body></foreignObject>'),
  svg('<style>@import "https://a.example/a.css";</style><text>a</text>'),
  svg('<style>@font-face { src: url(https://a.example/f.woff) }</style><text>a</text>'),
  svg('<image xlink:href="https://a.example/scan.png"/>'),
  svg(`<image href="data:image/png;base64,${PNG}"/>`),
  svg('<use href="#a"/>'),
  svg('<script>draw()</script>'),
  svg('<set attributeName="d"/>'),
  `<s:svg xmlns:s="http://www.w3.org/2000/svg"><s:path d="M0 0"/></s:svg>`,
  `<?xml-stylesheet href="a.css"?>${svg('<text>a</text>')}`,
  `<!DOCTYPE svg [<!ENTITY a SYSTEM "https://a.example/a">]>${svg('<text>&a;</text>')}`,
  html('<img src="https://a.example/scan.png">'),
  html(`<img src="data:image/png;base64,${PNG}">`),
  html('<object data="scan.pdf"></object>'),
  html('<div style="background: url(scan.png)"></div>'),
  html('<picture><source srcset="scan.webp"></picture>'),
  html('<link rel="stylesheet" href="a.css">'),
  `<!-- a page -->\n${html('<embed src="a.pdf">')}`,
];

describe('a page or a drawing in a file that shows more than its letters', () => {
  it.each(SHOWN)('counts as unread: %s', (text) => {
    expect(kindsOf(inFile(text)).unread).toEqual(['file']);
    expect(kindsOf(inFile(text, 'text/html')).unread).toEqual(['file']);
  });

  it('is read all the same', () => {
    for (const text of [
      svg(`<foreignObject>${SECRET}</foreignObject>`),
      html(`${SECRET}<img src="a">`),
    ]) {
      expect(kindsOf(inFile(text)).dataClass).toBe('C3');
    }
  });

  it('has a picture within that is text read, too', () => {
    const hidden = Buffer.from('Паспорт 4509 123456 и больше ничего').toString('base64');
    const text = html(`<img src="data:text/plain;base64,${hidden}">`);
    expect(kindsOf(inFile(text))).toEqual({ unread: ['file'], dataClass: 'C3' });
  });
});

describe('a page or a drawing in a file that is nothing but letters', () => {
  it.each([
    svg('<text x="1">Добрый день</text><rect width="2"/>'),
    svg(`<foreignObject><p>Добрый день</p></foreignObject>`),
    html('<h1>Отчёт</h1><table><tr><td>1</td></tr></table><a href="https://a.example">a</a>'),
    '# Markdown\n\nA picture is written as `<img src="a.png">`, a style as `url(a.png)`.',
    'import a from "./a.js";\nconst b = "<img>";',
    '<?xml version="1.0"?><rss><link>https://a.example</link><image>a</image></rss>',
  ])('is read: %s', (text) => {
    expect(kindsOf(inFile(text))).toEqual({ unread: [], dataClass: 'C0' });
  });
});

describe('markup in a message', () => {
  it.each([
    `<img src="data:image/png;base64,${PNG}">`,
    `<img src='data:image/png;base64,${PNG}'>`,
    `![a](data:image/png;base64,${PNG})`,
    svg(`<image href="data:image/png;base64,${PNG}"/>`),
    `<div style="background-image: url(data:image/png;base64,${PNG})">`,
  ])('carries a picture that nothing reads: %s', (text) => {
    expect(kindsOf(inText(text)).unread).toEqual(['image']);
  });

  it('carries nothing but its letters where a picture lies elsewhere', () => {
    const text = 'Исправь вёрстку: <img src="https://a.example/a.png"> и ![a](b.png)';
    expect(kindsOf(inText(text))).toEqual({ unread: [], dataClass: 'C0' });
  });
});
