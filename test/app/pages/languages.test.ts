import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KEY_TYPES, ROLES } from '../../../src/graph/permissions.js';
import { STACKS } from '../../../src/growth/devex/vocabulary.js';
import { ERRORS } from '../../../src/kernel/errors/catalogue.js';
import { LANGUAGES, type Language } from '../../../src/kernel/language/languages.js';
import { englishWords, saidBy } from '../../support/english-words.js';
import { type ServedPages, servePages } from './served.js';

let pages: ServedPages;
beforeAll(async () => {
  pages = await servePages();
});
afterAll(() => pages.close());

/** The title of each page, by language. */
const TITLES: Readonly<Record<string, Readonly<Record<Language, string>>>> = {
  '/': { en: 'LLM gateway', ru: 'LLM-шлюз' },
  '/docs': { en: 'API reference', ru: 'Справочник API' },
  '/graphiql': { en: 'GraphQL explorer', ru: 'Обозреватель GraphQL' },
  '/docs/errors': { en: 'Errors', ru: 'Ошибки' },
  '/docs/errors/not_found': { en: 'not_found', ru: 'not_found' },
  '/docs/access': { en: 'Access', ru: 'Доступ' },
  '/cockpit': { en: 'Migration cockpit', ru: 'Проверка миграции' },
};
const PAGES = Object.keys(TITLES);

const DOCUMENTS = [
  '/llms.txt',
  '/llms-full.txt',
  '/agents.md',
  '/docs/operations.md',
  '/docs/operations/changeThing.md',
  '/docs/errors.md',
  '/docs/errors/not_found.md',
  '/docs/quickstart.md',
  ...STACKS.codes.map((code) => `/docs/quickstart/${code}.md`),
];

/** Names of the table of rights and of the stacks, which are codes. */
const STACK_WORDS = STACKS.codes.flatMap((code) => code.split('-'));
const CODES = [...ROLES.codes, ...KEY_TYPES.codes, ...STACK_WORDS, 'bash'];

async function read(path: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await pages.get(path, { accept: 'text/html', ...headers });
  return { response, text: await response.text() };
}

/** What the head and the header of a page say of its language. */
function frameOf(markup: string) {
  const all = (pattern: RegExp) => [...markup.matchAll(pattern)].map((match) => match[1]);
  const header = /<header[\s\S]*<\/header>/.exec(markup)?.[0] ?? '';
  return {
    lang: /<html lang="(\w+)">/.exec(markup)?.[1],
    title: /<title>(.*) · gw<\/title>/.exec(markup)?.[1],
    alternates: all(/<link rel="alternate" hreflang="([\w-]+" href="[^"]+)">/g),
    switch: [
      ...header.matchAll(/href="\?lang=(\w+)" lang="\w+"\s+hreflang="(\w+)"([^>]*)>([^<]+)</g),
    ].map(([, to, hreflang, current, name]) => [to, hreflang, current?.trim(), name]),
    links: [...header.matchAll(/href="(\/[^"]*)"/g)].map((match) => match[1]),
  };
}

const PLACES = ['/', '/', '/docs', '/graphiql', '/docs/errors', '/docs/access', '/cockpit'];

/** The frame of a page that is read in a language. */
function expectedFrame(path: string, language: Language, isChosen: boolean) {
  const current = (of: Language) => (of === language ? 'aria-current="true"' : '');
  return {
    lang: language,
    title: TITLES[path]?.[language],
    alternates: [
      `en" href="${path}?lang=en`,
      `ru" href="${path}?lang=ru`,
      `x-default" href="${path}`,
    ],
    switch: [
      ['en', 'en', current('en'), 'English'],
      ['ru', 'ru', current('ru'), 'Русский'],
    ],
    links: PLACES.map((place) => (isChosen ? `${place}?lang=${language}` : place)),
  };
}

describe.each(PAGES)('the page %s', (path) => {
  it.each(LANGUAGES)(
    'is in %s where the browser prefers it, and its links name none',
    async (of) => {
      const { response, text } = await read(path, { 'accept-language': `${of};q=0.9, de` });
      expect(frameOf(text)).toEqual(expectedFrame(path, of, false));
      expect(response.headers.get('content-language')).toBe(of);
      expect(response.headers.get('vary')?.toLowerCase()).toContain('accept-language');
    },
  );

  it.each(LANGUAGES)('is in %s where its address says so, and its links do too', async (of) => {
    const { response, text } = await read(`${path}?lang=${of}`, {
      'accept-language': of === 'ru' ? 'en' : 'ru',
    });
    expect(frameOf(text)).toEqual(expectedFrame(path, of, true));
    expect(response.headers.get('content-language')).toBe(of);
    const own = [...text.matchAll(/<a [^>]*href="(\/[^"]*)"/g)].map((match) => match[1] ?? '');
    const silent = own.filter((link) => !link.endsWith(`?lang=${of}`));
    const described = ['/openapi.json', '/postman.json', '/schema.graphql'];
    // The place of a link that the script of the cockpit fills in.
    expect(silent.filter((link) => !described.includes(link) && link !== '/cockpit')).toEqual([]);
  });

  it('is in the preferred language where its address names none of ours', async () => {
    for (const query of ['?lang=de', '?lang=', '?lang=ru&lang=en', '?lang[]=ru', '?lang=RU']) {
      const { text } = await read(path + query, { 'accept-language': 'ru' });
      expect([query, frameOf(text)]).toEqual([query, expectedFrame(path, 'ru', false)]);
    }
  });

  it('has no Russian word in English but the name of the other language', async () => {
    const { text } = await read(path);
    expect(text.match(/[А-Яа-яЁё]+/g)).toEqual(['Русский']);
  });

  it('has no English word in Russian but names and code', async () => {
    const { text } = await read(`${path}?lang=ru`);
    expect(englishWords(saidBy(text), CODES)).toEqual([]);
    const comments = [...text.matchAll(/^# \d\. (.*)$/gm)].map((match) => match[1] ?? '');
    expect(englishWords(comments.join('\n'))).toEqual([]);
  });
});

describe('pages of errors', () => {
  it('have no English word in Russian, and no Russian one in English', async () => {
    const found: [string, string[]][] = [];
    for (const code of Object.keys(ERRORS)) {
      const russian = await read(`/docs/errors/${code}?lang=ru`);
      const words = englishWords(saidBy(russian.text));
      if (words.length > 0) found.push([code, words]);
      const english = await read(`/docs/errors/${code}`);
      expect([code, english.text.match(/[А-Яа-яЁё]+/g)]).toEqual([code, ['Русский']]);
    }
    expect(found).toEqual([]);
  });
});

describe('what stands where there is no page', () => {
  it.each([
    ['en', 'There is no page here', 'Unknown path GET /nowhere. All paths are listed in'],
    ['ru', 'Такой страницы нет', 'Неизвестный путь: GET /nowhere. Все пути перечислены в'],
  ])('is in %s, for people and for programs', async (of, heading, message) => {
    const { response, text } = await read(`/nowhere?lang=${of}`);
    expect(response.headers.get('content-language')).toBe(of);
    expect(text).toContain(`<h1>${heading}</h1>`);
    expect(text).not.toContain('rel="alternate"');
    const program = await pages.get('/nowhere', { 'accept-language': of });
    const { error } = (await program.json()) as { error: { message: string } };
    expect(error.message).toContain(message);
    expect(program.headers.get('content-language')).toBe(of);
  });

  it('is in Russian where a page fails', async () => {
    const broken = await servePages({
      schemaSdl() {
        throw new Error('no schema');
      },
    });
    const response = await broken.get('/schema.graphql?lang=ru', { accept: 'text/html' });
    const text = await response.text();
    await broken.close();
    expect(text).toContain('<h1>Не удалось показать страницу</h1>');
    const id = response.headers.get('x-request-id') ?? '';
    expect(englishWords(saidBy(text).replace(id, ''))).toEqual([]);
  });
});

/** What a document says in its own words: no code, no addresses, nothing of the description. */
function proseOf(markdown: string): string {
  return markdown
    .replace(/^(`{3,})[\s\S]*?^\1$/gm, '')
    .replace(/\]\([^)]*\)/g, ']')
    .replaceAll(/Changes a thing\.|Reads what is open\.|Twice the same is once\.|How large\./g, '')
    .replaceAll(/Everything about it\.|## things|\(path, string|\bobject\b|\bstring\b/g, '')
    .replaceAll(/size|small|large|application\/json/g, '');
}

describe.each(DOCUMENTS)('the document %s', (path) => {
  it('is in each language by its address and by the header, with links that keep it', async () => {
    for (const language of LANGUAGES) {
      const chosen = await read(`${path}?lang=${language}`);
      const preferred = await read(path, { 'accept-language': language });
      for (const { response } of [chosen, preferred]) {
        expect(response.headers.get('content-language')).toBe(language);
        expect(response.headers.get('vary')?.toLowerCase()).toContain('accept-language');
        expect(response.headers.get('link')).toBe(
          `<${path}?lang=en>; rel="alternate"; hreflang="en", ` +
            `<${path}?lang=ru>; rel="alternate"; hreflang="ru"`,
        );
      }
      expect(
        chosen.text.replaceAll(`?lang=${language})`, ')').replaceAll(`.md?lang=${language}`, '.md'),
      ).toBe(preferred.text);
      const links = [...chosen.text.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '');
      const silent = links.filter((link) => !link.endsWith(`?lang=${language}`));
      expect(silent.filter((link) => !/\.(json|graphql)$/.test(link))).toEqual([]);
    }
  });

  it('has the words of one language besides names, code and the description', async () => {
    const english = await read(path);
    expect(english.text.match(/[А-Яа-яЁё]+/g)).toBeNull();
    const russian = await read(`${path}?lang=ru`);
    expect(russian.text).toMatch(/[а-яё]{3}/);
    expect(englishWords(proseOf(russian.text), CODES)).toEqual([]);
  });
});

describe('a quickstart', () => {
  it('has the same code in both languages', async () => {
    const codeOf = (markdown: string) => markdown.match(/^(`{3,})[\s\S]*?^\1$/gm);
    for (const code of STACKS.codes) {
      const [en, ru] = await Promise.all(
        LANGUAGES.map((language) => read(`/docs/quickstart/${code}.md?lang=${language}`)),
      );
      expect(codeOf(en?.text ?? '')).toEqual(codeOf(ru?.text ?? ''));
      expect(codeOf(en?.text ?? '')?.length).toBeGreaterThan(4);
    }
  });
});
