import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseStartFailure } from '../../src/platform/database/start-failure.js';
import { makeFolder } from '../../src/platform/folders.js';
import { codeBelow } from '../tidy/files.js';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'gw-folders-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function refusalOf(path: string): unknown {
  try {
    makeFolder(path);
    return undefined;
  } catch (error) {
    return error;
  }
}

describe('a folder that is made', () => {
  it('has those above it, and may be there already', () => {
    const folder = join(root, 'one', 'two', 'three');
    makeFolder(folder);
    makeFolder(folder);
    expect(statSync(folder).isDirectory()).toBe(true);
  });

  it('is refused where there can be none, and nothing turns for ever', () => {
    writeFileSync(join(root, 'file'), '');
    symlinkSync(join(root, 'nowhere'), join(root, 'link'));
    const paths = [join(root, 'file'), join(root, 'file', 'in'), join(root, 'link', 'in')];
    // A folder that exists, and in which none can be made.
    if (existsSync('/proc/self')) paths.push('/proc/gw/in');
    const said = paths.map((path) => databaseStartFailure(refusalOf(path)));
    expect(said).toEqual(
      paths.map(() => expect.stringMatching(/cannot be written \((EEXIST|ENOTDIR|ENOENT)\)/)),
    );
  });

  it('is made by nothing else in the product', () => {
    const own = 'src/platform/folders.ts';
    const makers = codeBelow('src').filter(({ text }) => /\bmkdir(Sync)?\(/.test(text));
    expect(makers.map(({ path }) => path)).toEqual([own]);
  });
});
