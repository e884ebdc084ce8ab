import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MACHINE_DOCUMENTS } from '../../../src/growth/devex/documents.js';
import { STACKS } from '../../../src/growth/devex/vocabulary.js';
import { ERRORS } from '../../../src/kernel/errors/catalogue.js';
import { startApp, type TestApp } from '../../support/app.js';
import { type ServedPages, servePages } from './served.js';

let app: TestApp;
let small: ServedPages;
beforeAll(async () => {
  app = await startApp();
  small = await servePages();
});
afterAll(async () => {
  await small?.close();
  await app?.stop();
});

async function text(path: string): Promise<string> {
  const response = await fetch(app.url + path);
  expect([path, response.status]).toEqual([path, 200]);
  return response.text();
}

/** Addresses of this server that a text links to. */
function linksIn(markdown: string, base: string): string[] {
  const links = [...markdown.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '');
  return links.map((link) => {
    expect(link.startsWith(`${base}/`)).toBe(true);
    return link.slice(base.length);
  });
}

describe('the documents for agents', () => {
  it.each(['/agents.md', '/docs/operations.md', '/docs/errors.md', '/docs/quickstart.md'])(
    '%s is Markdown at the address of the caller, readable from everywhere',
    async (path) => {
      const response = await fetch(app.url + path);
      expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      const found = await response.text();
      expect(found).toContain(app.url);
      expect(found).not.toContain('{base_url}');
    },
  );

  it('lead from the start page and from each other to every document there is', async () => {
    const paths = MACHINE_DOCUMENTS.map(({ path }) => path);
    const start = await text('/');
    for (const path of paths) expect(start).toContain(`href="${path}"`);
    for (const from of ['/agents.md', '/llms.txt']) {
      const links = linksIn(await text(from), app.url);
      const others = paths.filter((path) => path !== from);
      expect(links.filter((link) => others.includes(link)).sort()).toEqual([...others].sort());
    }
    for (const path of paths) await text(path);
  });

  it('have a page for every operation, error and stack, and none for else', async () => {
    const openapi = JSON.parse(await text('/openapi.json')) as {
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    const ids = Object.values(openapi.paths).flatMap((item) =>
      Object.values(item).map(({ operationId }) => operationId),
    );
    const listed = linksIn(await text('/docs/operations.md'), app.url);
    for (const id of ids) expect(listed).toContain(`/docs/operations/${id}.md`);
    const errors = linksIn(await text('/docs/errors.md'), app.url);
    for (const code of Object.keys(ERRORS)) expect(errors).toContain(`/docs/errors/${code}.md`);
    const stacks = linksIn(await text('/docs/quickstart.md'), app.url);
    expect(stacks).toEqual(STACKS.codes.map((code) => `/docs/quickstart/${code}.md`));
    for (const path of [...stacks, ...errors.slice(0, 5)]) await text(path);
    for (const path of [
      '/docs/operations/nope.md',
      '/docs/operations/constructor.md',
      '/docs/errors/__proto__.md',
      '/docs/quickstart/golang.md',
    ]) {
      expect((await fetch(app.url + path)).status).toBe(404);
    }
  });

  it('say what every operation takes, gives and fails with', async () => {
    const listed = linksIn(await text('/docs/operations.md'), app.url);
    const pages = listed.filter((path) => path.startsWith('/docs/operations/'));
    for (const path of pages) {
      const page = await text(path);
      expect([path, page.includes('## Example request'), page.includes('## Errors')]).toEqual([
        path,
        true,
        true,
      ]);
      expect([path, page.includes('{base_url}')]).toEqual([path, false]);
      const codes = [...page.matchAll(/docs\/errors\/(\w+)\.md/g)].map((match) => match[1] ?? '');
      for (const code of codes) expect(Object.keys(ERRORS)).toContain(code);
    }
    const chat = await text('/docs/operations/createChatCompletion.md');
    for (const code of ['insufficient_balance', 'model_not_found', 'missing_credential']) {
      expect(chat).toContain(`/docs/errors/${code}.md`);
    }
    const quote = await text('/docs/operations/quotePriceBook.md');
    expect(quote).toContain('Access: public');
    expect(quote).not.toContain('insufficient_balance');
  }, 60_000);
});

describe('the page of an operation', () => {
  it('is what the description says of it', async () => {
    const page = await (await small.get('/docs/operations/changeThing.md')).text();
    expect(page).toContain('# POST /things/{id}\n\nChanges a thing.\n\nTwice the same is once.');
    expect(page).toContain('- `id` (path, string, required)');
    expect(page).toContain(`curl -sS -X POST '${small.baseUrl}/things/{id}'`);
    expect(page).toContain('-d \'{\n  "size": "small"\n}\'');
    expect(page).toContain('```json\n{\n  "name": "…"\n}\n```');
    expect(page).toContain(`| 400 | [\`invalid_request\`](${small.baseUrl}/docs/errors/`);
  });

  it('lets no address end a text of code', async () => {
    const hostile = await servePages({ baseUrlOf: () => `http://x'$(id)\`"` });
    for (const path of ['/agents.md', '/docs/quickstart/php.md', '/docs/operations/readOpen.md']) {
      const page = await (await hostile.get(path)).text();
      expect(page).not.toContain(`x'$(id)`);
    }
    await hostile.close();
  });
});
