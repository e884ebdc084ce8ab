import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PERMISSIONS } from '../../../src/graph/permissions.js';
import { ERRORS } from '../../../src/kernel/errors/catalogue.js';
import type { ErrorRow } from '../../../src/kernel/errors/row.js';
import { describedIn } from '../../../src/kernel/errors/told.js';
import { html, prose } from '../../../src/kernel/html.js';
import { type ServedPages, servePages } from './served.js';

let pages: ServedPages;
beforeAll(async () => {
  pages = await servePages();
});
afterAll(() => pages.close());

const BROWSER = { accept: 'text/html,application/xhtml+xml' };
const RUSSIAN = { ...BROWSER, 'accept-language': 'ru-RU,ru;q=0.9,en;q=0.8' };
const ENGLISH = { ...BROWSER, 'accept-language': 'en-GB,en;q=0.9,ru;q=0.1' };

/** Every page with a word that stands on it in each language. */
const WORDS: readonly (readonly [path: string, english: string, russian: string])[] = [
  ['/', 'One address for language models', 'Один адрес для языковых моделей'],
  ['/docs', 'This tool needs JavaScript', 'Для этой страницы нужен JavaScript'],
  ['/graphiql', 'GraphQL explorer', 'Запросы GraphQL'],
  ['/docs/errors', 'Every failure has a code', 'У каждой ошибки есть код'],
  ['/docs/errors/api_key_revoked', 'The API key was revoked.', 'Ключ API отозван.'],
  ['/docs/access', 'Members, by role', 'Участники по ролям'],
  ['/cockpit', 'Run the checks', 'Запустить проверки'],
  ['/nowhere', 'There is no page here', 'Такой страницы нет'],
];

describe('every page', () => {
  it.each(WORDS)('%s is in the language that the browser prefers', async (path, en, ru) => {
    const russian = await pages.get(path, RUSSIAN);
    const english = await pages.get(path, ENGLISH);
    for (const [answer, language] of [[russian, 'ru'] as const, [english, 'en'] as const]) {
      expect(answer.headers.get('content-language')).toBe(language);
      expect(answer.headers.get('vary')).toBe('accept-language, cookie');
      expect(answer.headers.get('set-cookie')).toBeNull();
    }
    const [inRussian, inEnglish] = [await russian.text(), await english.text()];
    expect(inRussian).toContain('<html lang="ru">');
    expect(inEnglish).toContain('<html lang="en">');
    expect([inRussian.includes(ru), inRussian.includes(en)]).toEqual([true, false]);
    expect([inEnglish.includes(en), inEnglish.includes(ru)]).toEqual([true, false]);
  });

  it('is English for who prefers nothing, or another language', async () => {
    for (const headers of [BROWSER, { ...BROWSER, 'accept-language': 'de, fr;q=0.5' }]) {
      expect(await (await pages.get('/', headers)).text()).toContain('<html lang="en">');
    }
  });
});

describe('the switch', () => {
  it('leads to the same page in each language and marks the one that is shown', async () => {
    const text = await (await pages.get('/docs/errors', RUSSIAN)).text();
    expect(text).toContain('<a href="?lang=en" lang="en" hreflang="en">English</a>');
    expect(text).toContain(
      '<a href="?lang=ru" lang="ru" hreflang="ru" aria-current="true">Русский</a>',
    );
  });

  it('goes before what the browser prefers, and is remembered', async () => {
    const chosen = await pages.get('/docs/errors?lang=en', RUSSIAN);
    expect(chosen.headers.get('content-language')).toBe('en');
    const cookie = chosen.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(
      /^gw_lang=en; Max-Age=31536000; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/,
    );
    const remembered = { ...RUSSIAN, cookie: 'other=1; gw_lang=en' };
    const later = await pages.get('/', remembered);
    expect(later.headers.get('content-language')).toBe('en');
    const again = await pages.get('/?lang=ru', remembered);
    expect(again.headers.get('content-language')).toBe('ru');
  });

  it.each(['/?lang=de', '/?lang=', '/?lang=ru&lang=en', '/?lang=__proto__'])(
    '%s changes and remembers nothing',
    async (path) => {
      const answer = await pages.get(path, { ...RUSSIAN, cookie: 'gw_lang=de; xgw_lang=en' });
      expect(answer.headers.get('content-language')).toBe('ru');
      expect(answer.headers.get('set-cookie')).toBeNull();
    },
  );
});

describe('caches', () => {
  it('never take a page for the one in the other language', async () => {
    const etag = (await pages.get('/docs/errors', RUSSIAN)).headers.get('etag') ?? '';
    const known = { 'if-none-match': etag, 'cache-control': 'max-age=0' };
    const same = await pages.get('/docs/errors', { ...RUSSIAN, ...known });
    const other = await pages.get('/docs/errors', { ...ENGLISH, ...known });
    expect([same.status, other.status]).toEqual([304, 200]);
    expect(same.headers.get('vary')).toBe('accept-language, cookie');
  });

  it('keep what has no language for everybody', async () => {
    for (const path of ['/assets/pages.css', '/llms.txt', '/schema.graphql']) {
      const { headers } = await pages.get(path, RUSSIAN);
      expect([path, headers.get('content-language')]).toEqual([path, null]);
      expect([path, headers.get('vary')]).not.toEqual([path, expect.stringContaining('language')]);
    }
  });
});

describe('what the pages say in Russian', () => {
  it('is the Russian row of every code', async () => {
    for (const [code, row] of Object.entries<ErrorRow>(ERRORS)) {
      const page = await (await pages.get(`/docs/errors/${code}`, RUSSIAN)).text();
      const { message, cause, fix } = describedIn(row, 'ru');
      for (const text of [message, cause, ...fix]) expect(page).toContain(prose(text).text);
    }
  });

  it('has a sentence for every permission, and no English one', async () => {
    const page = await (await pages.get('/docs/access', RUSSIAN)).text();
    const sentences = [...page.matchAll(/<span class="soft">([^<]*)<\/span>/g)];
    const russian = sentences.filter(([, text]) => /^[А-ЯЁ].+\.$/.test(text ?? ''));
    // Once for members and once for keys.
    expect(sentences).toHaveLength(Object.keys(PERMISSIONS).length * 2);
    expect(russian).toHaveLength(sentences.length);
  });

  it('is told to programs too, which read the envelope', async () => {
    const program = { accept: 'application/json', 'accept-language': 'ru' };
    const answer = await pages.get('/nowhere', program);
    const request_id = answer.headers.get('x-request-id');
    expect(answer.headers.get('content-language')).toBe('ru');
    expect(await answer.json()).toEqual({
      error: {
        message: 'Неизвестный путь: GET /nowhere. Все пути перечислены в /openapi.json.',
        type: 'not_found_error',
        param: null,
        code: 'unknown_url',
        request_id,
        doc_url: `${pages.baseUrl}/docs/errors/unknown_url`,
      },
    });
  });

  it('lets no path become markup', async () => {
    const page = await (await pages.get('/%3Cscript%3E', RUSSIAN)).text();
    expect(page).toContain(html`<code>${'/%3Cscript%3E'}</code>`.text);
    expect(page).not.toContain('<script');
  });
});
