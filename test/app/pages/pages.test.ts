import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KEY_TYPES, PERMISSIONS, ROLES } from '../../../src/graph/permissions.js';
import { MACHINE_DOCUMENTS } from '../../../src/growth/devex/documents.js';
import { ERRORS } from '../../../src/kernel/errors/catalogue.js';
import { OPENAPI, type ServedPages, servePages } from './served.js';

let pages: ServedPages;

beforeAll(async () => {
  pages = await servePages();
});
afterAll(() => pages.close());

const TEXT_PAGES = ['/', '/docs/errors', '/docs/errors/not_found', '/docs/access'];
const TOOL_PAGES = ['/docs', '/graphiql', '/cockpit'];
const BROWSER = { accept: 'text/html,application/xhtml+xml' };

/** Everything that a browser loads for a page, by the attributes that make it load. */
function loadedBy(markup: string): string[] {
  const elements = /<(?:script|link(?! rel="alternate")|img|iframe)\b[^>]*?(?:src|href)="([^"]+)"/g;
  const attributes = markup.matchAll(elements);
  return [...attributes].map((match) => match[1] ?? '');
}

describe('what a page may load', () => {
  it.each([...TEXT_PAGES, ...TOOL_PAGES])('%s loads files of this server only', async (path) => {
    const response = await pages.get(path, BROWSER);
    expect(response.status).toBe(200);
    const loaded = loadedBy(await response.text());
    expect(loaded.length).toBeGreaterThan(0);
    for (const file of loaded) {
      expect(file).toMatch(/^\/assets\/[\w.-]+$/);
      expect((await pages.get(file)).status).toBe(200);
    }
  });

  it.each([...TEXT_PAGES, ...TOOL_PAGES])('%s forbids every other host', async (path) => {
    const policy = (await pages.get(path, BROWSER)).headers.get('content-security-policy') ?? '';
    const sources = policy.split(';').flatMap((directive) => directive.trim().split(' ').slice(1));
    const own = ["'self'", "'none'", 'data:', 'blob:', "'unsafe-inline'"];
    expect(sources.filter((source) => !own.includes(source))).toEqual([]);
    expect(policy).toMatch(/^default-src 'none';/);
    expect(policy).toMatch(/frame-ancestors 'none'$/);
  });

  it.each(TEXT_PAGES)('%s runs the script of its copy buttons alone', async (path) => {
    const response = await pages.get(path, BROWSER);
    const scripts = (await response.text()).match(/<script[^>]*>/g);
    expect(scripts).toEqual(['<script src="/assets/copy.js" defer>']);
  });

  it('runs no inline script', async () => {
    for (const path of [...TEXT_PAGES, ...TOOL_PAGES]) {
      const response = await pages.get(path, BROWSER);
      expect(response.headers.get('content-security-policy')).toContain("script-src 'self';");
      expect(await response.text()).not.toMatch(/<script(?![^>]*\ssrc=)/);
    }
  });
});

describe('the header', () => {
  const PLACES = ['/', '/docs', '/graphiql', '/docs/errors', '/docs/access', '/cockpit'];

  it.each([...TEXT_PAGES, ...TOOL_PAGES])(
    'of %s leads home and to every other page',
    async (path) => {
      const text = await (await pages.get(path, BROWSER)).text();
      const header = /<header class="site-header">([\s\S]*?)<\/header>/.exec(text)?.[1] ?? '';
      const nav = /<nav[^>]*>([\s\S]*?)<\/nav>/.exec(header)?.[1] ?? '';
      expect(header).toContain('<a class="mark" href="/">');
      expect([...nav.matchAll(/href="([^"]+)"/g)].map((match) => match[1])).toEqual(PLACES);
      const marked = /href="([^"]+)" aria-current="page"/.exec(nav)?.[1];
      expect(marked).toBe(PLACES.includes(path) ? path : undefined);
    },
  );
});

describe('every answer', () => {
  it('carries an id of its own and does not name its software', async () => {
    const first = await pages.get('/');
    const second = await pages.get('/nowhere');
    const ids = [first, second].map((response) => response.headers.get('x-request-id'));
    expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(ids).size).toBe(2);
    expect(first.headers.get('x-powered-by')).toBeNull();
  });

  it.each([...TEXT_PAGES, ...TOOL_PAGES, '/assets/pages.css', '/llms.txt'])(
    '%s is not sent again to a browser that has it',
    async (path) => {
      const etag = (await pages.get(path)).headers.get('etag') ?? '';
      expect(etag).toMatch(/^"/);
      // Without a cache-control of its own, fetch adds one that asks for the file anew.
      const known = { 'if-none-match': etag, 'cache-control': 'max-age=0' };
      const again = await pages.get(path, known);
      expect([again.status, await again.text()]).toEqual([304, '']);
    },
  );

  it('sends the same file compressed and plain', async () => {
    const compressed = await pages.get('/assets/pages.css', { 'accept-encoding': 'gzip' });
    const plain = await pages.get('/assets/pages.css', { 'accept-encoding': 'identity' });
    expect(compressed.headers.get('content-encoding')).toBe('gzip');
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(await compressed.text()).toBe(await plain.text());
  });
});

describe('the start page', () => {
  it('shows the address that the caller used', async () => {
    const text = await (await pages.get('/')).text();
    expect(text).toContain(`<code data-copy>${pages.baseUrl}/v1</code>`);
    expect(text).toContain(`GW=&#39;${pages.baseUrl}&#39;`);
  });

  it('lets no address become markup or a command', async () => {
    const hostile = await servePages({ baseUrlOf: () => `http://x'$(id)<script>alert(1)` });
    const text = await (await hostile.get('/')).text();
    await hostile.close();
    expect(text).not.toContain('<script>');
    expect(text).toContain('GW=&#39;http://x%27%24%28id%29%3Cscript%3Ealert%281%29&#39;');
  });
});

describe('pages of errors', () => {
  it('list every code of the catalogue, each with a page of its own', async () => {
    const list = await (await pages.get('/docs/errors')).text();
    const linked = [...list.matchAll(/href="\/docs\/errors\/(\w+)"/g)].map((match) => match[1]);
    expect(linked.sort()).toEqual(Object.keys(ERRORS).sort());
    for (const [code, { fix }] of Object.entries(ERRORS)) {
      const page = await (await pages.get(`/docs/errors/${code}`)).text();
      expect(page).toContain(`<h1><code>${code}</code></h1>`);
      expect(page.match(/<li>/g)).toHaveLength(fix.length);
    }
  });

  it.each(['nope', 'constructor', '__proto__', 'toString'])('have none for %s', async (code) => {
    expect((await pages.get(`/docs/errors/${code}`, BROWSER)).status).toBe(404);
  });
});

describe('the page of access', () => {
  it('marks exactly the permissions that the table grants', async () => {
    const text = await (await pages.get('/docs/access')).text();
    const rows = Object.values(PERMISSIONS);
    const granted = rows.reduce((sum, { roles, keys }) => sum + roles.length + keys.length, 0);
    const cells = (ROLES.codes.length + KEY_TYPES.codes.length) * rows.length;
    expect(text.match(/aria-label="yes"/g)).toHaveLength(granted);
    expect(text.match(/aria-label="no"/g)).toHaveLength(cells - granted);
  });
});

describe('a path that leads nowhere', () => {
  it.each(['/nowhere', '/assets/nowhere.js', '/assets/constructor', '/%E0%A4'])(
    '%s is a page to a browser and the envelope of errors to a program',
    async (path) => {
      const page = await pages.get(path, BROWSER);
      expect(page.status).toBe(404);
      expect(await page.text()).toContain('There is no page here');
      const program = await pages.get(path);
      const request_id = program.headers.get('x-request-id');
      expect(program.status).toBe(404);
      expect(await program.json()).toEqual({
        error: {
          message: `Unknown path GET ${path}. All paths are listed in /openapi.json.`,
          type: 'not_found_error',
          param: null,
          code: 'unknown_url',
          request_id,
          doc_url: `${pages.baseUrl}/docs/errors/unknown_url`,
        },
      });
    },
  );
});

describe('a page that cannot be made', () => {
  it('tells the operator the cause and the caller only an id', async () => {
    const told: [unknown, string][] = [];
    const fault = new Error('the secret reason');
    const broken = await servePages({
      schemaSdl() {
        throw fault;
      },
      onFailure: (error, requestId) => told.push([error, requestId]),
    });
    const response = await broken.get('/schema.graphql', BROWSER);
    const text = await response.text();
    await broken.close();
    const requestId = response.headers.get('x-request-id') ?? '';
    expect(response.status).toBe(500);
    expect(told).toEqual([[fault, requestId]]);
    expect(text).toContain(requestId);
    expect(text).not.toContain('secret reason');
  });
});

describe('documents for programs', () => {
  it('are all led to by the start page', async () => {
    const text = await (await pages.get('/')).text();
    for (const { path, en } of MACHINE_DOCUMENTS) {
      expect(text).toContain(`<a href="${path}">${en.name}</a>`);
    }
  });

  it('can be read by pages of other hosts', async () => {
    for (const path of ['/openapi.json', '/openapi.yaml', '/schema.graphql', '/llms.txt']) {
      expect((await pages.get(path)).headers.get('access-control-allow-origin')).toBe('*');
    }
  });

  it('are the sources, unchanged', async () => {
    expect(await (await pages.get('/openapi.json')).json()).toEqual(OPENAPI);
    expect(await (await pages.get('/openapi.yaml')).text()).toBe('openapi: 3.1.0\n');
    expect(await (await pages.get('/schema.graphql')).text()).toBe('type Query {\n  a: Int\n}\n');
  });
});
