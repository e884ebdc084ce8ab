import { Script } from 'node:vm';
import { parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSchema } from '../../../src/app/schema.js';
import { CHECKS } from '../../../src/delivery/cockpit/vocabulary.js';
import { type ServedPages, servePages } from './served.js';

const schema = await openSchema();

let pages: ServedPages;
let markup: string;
let policy: string;

beforeAll(async () => {
  pages = await servePages();
  const response = await pages.get('/cockpit', { accept: 'text/html' });
  markup = await response.text();
  policy = response.headers.get('content-security-policy') ?? '';
});
afterAll(() => pages.close());

describe('the page of the migration cockpit', () => {
  it('has a row for every check, in order', () => {
    const rows = [...markup.matchAll(/data-check="(\w+)"/g)].map(([, code]) => code);
    expect(rows).toEqual(CHECKS.codes);
  });

  it('is led to from the start page and from every other page', async () => {
    const start = await (await pages.get('/')).text();
    expect(start.match(/href="\/cockpit"/g)).toHaveLength(2);
    expect(await (await pages.get('/docs/errors')).text()).toContain('href="/cockpit"');
  });

  it('names no outside host and forbids every other one', async () => {
    const script = await (await pages.get('/assets/cockpit.js')).text();
    const shown = markup.replaceAll(pages.baseUrl, '');
    for (const text of [shown, script]) expect(text).not.toMatch(/https?:\/\/|\/\/\w+\./);
    expect(policy).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(policy).toContain("connect-src 'self'");
  });

  it('has a script that parses, and none inside the page', async () => {
    const script = await (await pages.get('/assets/cockpit.js')).text();
    expect(() => new Script(script)).not.toThrow();
    expect(markup).not.toMatch(/<script(?![^>]*\ssrc=)|\son\w+=/);
  });

  it('asks what the schema knows', async () => {
    const script = await (await pages.get('/assets/cockpit.js')).text();
    const asked = ['RUN', 'FOLLOW'].map((name) => {
      const [, text = ''] = new RegExp(`const ${name} =\\s+([^;]+);`).exec(script) ?? [];
      return String(new Script(text).runInNewContext());
    });
    expect(asked.map((document) => validate(schema, parse(document)))).toEqual([[], []]);
  });

  it('keeps the key in the page alone', async () => {
    const script = await (await pages.get('/assets/cockpit.js')).text();
    expect(script).not.toMatch(/localStorage|sessionStorage|cookie|indexedDB|history|innerHTML/);
    expect(markup).toMatch(/<input id="key" type="password" required autocomplete="off"/);
    expect(markup).not.toMatch(/<form[^>]*(?:action|method)=/);
  });

  it('lets no address become markup', async () => {
    const hostile = await servePages({ baseUrlOf: () => 'http://x<script>alert(1)' });
    const text = await (await hostile.get('/cockpit')).text();
    await hostile.close();
    expect(text).not.toContain('<script>');
  });
});
