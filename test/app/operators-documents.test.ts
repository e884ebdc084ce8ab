import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeConfig, readConfig } from '../../src/platform/config.js';
import { projectRoot } from '../../src/platform/database/project-root.js';
import { rest, startApp, type TestApp } from '../support/app.js';
import { alerts } from '../support/operator-views.js';

const PAGES = ['OPERATIONS.md', 'SECURITY.md'].map((name) => [name, read(name)] as const);

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

function read(path: string): string {
  return readFileSync(join(projectRoot(), path), 'utf8');
}

function found(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map((match) => match[1] ?? ''))];
}

describe.each(PAGES)('%s', (name, text) => {
  it('names files and tests that are there', () => {
    const paths = [
      ...found(text, /\]\(([^)#:]+)\)/g),
      ...found(text, /`((?:test|src|tools|deploy)\/[\w./-]+)`/g),
      ...found(text, /`node ((?:tools)\/[\w.-]+)`/g),
    ];
    expect(paths.length).toBeGreaterThan(0);
    expect(paths.filter((path) => !existsSync(join(projectRoot(), path)))).toEqual([]);
  });

  it('names settings, commands and paths of REST that are there', () => {
    const settings = describeConfig(readConfig({ GW_SECRET: 'x'.repeat(32) }));
    const known = new Set(settings.map((line) => line.split('=')[0]));
    expect(
      found(text, /`((?:GW|DATABASE|REDIS)_[A-Z_]+)/g).filter((each) => !known.has(each)),
    ).toEqual([]);
    const { scripts }: { scripts: object } = JSON.parse(read('package.json'));
    expect(found(text, /`npm (?:run )?(\w+)/g).filter((each) => !(each in scripts))).toEqual([]);
    const endpoints = read('docs/endpoints.md');
    const paths = found(text, /`GET (\/v1\/[^\s`]+)`/g);
    expect(paths.filter((path) => !endpoints.includes(`| GET | \`${path}\``))).toEqual([]);
  });

  it('is linked from the README', () => {
    expect(read('README.md')).toContain(`](${name})`);
  });
});

it('every metric of OPERATIONS.md is one of the process', async () => {
  const { body } = await rest<string>(app, 'GET', '/metrics');
  const metrics = found(
    read('OPERATIONS.md'),
    /(gw_(?:ledger|log|upstream|model|webhook|requests|password)_\w+)/g,
  );
  expect(metrics.length).toBeGreaterThan(4);
  expect(metrics.filter((each) => !body.includes(`# TYPE ${each} `))).toEqual([]);
});

it('OPERATIONS.md says of every alert what to do, in the order of the rules', () => {
  const rows = [...read('OPERATIONS.md').matchAll(/^\| `(Gw\w+)` \| ([^|]+) \| ([^|]+) \|$/gm)];
  expect(rows.map(([, name]) => name)).toEqual(alerts().map(({ alert }) => alert));
});
