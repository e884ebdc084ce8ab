import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../../src/platform/database/project-root.js';
import { servePages } from './served.js';

const ROOT = projectRoot();

/** CONTRIBUTING.md shows the way with a module that does not have to be there. */
const EXAMPLE = /pric(e-book|ing)/;

const DOCUMENTS = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'src/app/README.md',
  'src/access/README.md',
  'src/inference/README.md',
  'src/routing/README.md',
];

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Files and folders that a document names: by link, or in back-ticks with the folder in front. */
function namedPaths(path: string): string[] {
  const text = read(path);
  const linked = [...text.matchAll(/\]\((?!https?:|#)([^)\s]+)\)/g)].map((match) => match[1] ?? '');
  const quoted = [...text.matchAll(/`((?:src|rest-compat|prisma|test|tools|bench)\/[\w./-]+)`/g)];
  const below = quoted.map((match) => match[1] ?? '').filter((name) => !EXAMPLE.test(name));
  return [...linked.map((name) => join(dirname(path), name)), ...below];
}

/** What stands in a page as code, as a reader sees it. */
function shownCode(markup: string): string {
  const code = /<pre[^>]*><code>([\s\S]*?)<\/code><\/pre>/.exec(markup)?.[1] ?? '';
  return code
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

describe('the documents', () => {
  it.each(DOCUMENTS)('%s names only files that exist', (path) => {
    const missing = namedPaths(path).filter((name) => !existsSync(join(ROOT, name)));
    expect(missing).toEqual([]);
  });

  it('name only commands that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = DOCUMENTS.flatMap((path) => [...read(path).matchAll(/`npm run ([\w:-]+)/g)]);
    const unknown = named.map((match) => match[1] ?? '').filter((name) => !(name in scripts));
    expect(unknown).toEqual([]);
  });

  it('show the first request that the start page shows', async () => {
    const pages = await servePages({ baseUrlOf: () => 'http://localhost:8080' });
    const shown = shownCode(await (await pages.get('/')).text());
    await pages.close();
    const written = read('README.md').match(/```sh\n(GW=[\s\S]*?)```/)?.[1];
    expect(written?.trim()).toBe(shown.trim());
  });
});
