import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../src/platform/database/project-root.js';

const ROOT = projectRoot();
const TEST_MS_MAX = 120_000;

/** Starts the gateway with a port that is none, and shows where it left. */
const LEAVE = `
  import { loadGateway } from './tools/gateway.mjs';
  const { gateway } = loadGateway();
  process.exit = () => { throw new Error('left'); };
  await gateway.serve().catch(({ stack }) => console.log(stack));`;

function node(...words: string[]): string {
  const env = { PATH: process.env.PATH, NODE_ENV: 'test', PORT: 'none' };
  return execFileSync(process.execPath, words, { cwd: ROOT, env, encoding: 'utf8', stdio: 'pipe' });
}

describe('the built gateway', () => {
  beforeAll(() => node('tools/build.mjs'), TEST_MS_MAX);

  it(
    'starts where what V8 has compiled of it is damaged',
    () => {
      const path = join(ROOT, 'dist', 'gateway.compiled');
      const whole = readFileSync(path);
      const damaged = Buffer.from(whole);
      damaged.fill(0, damaged.length - 4_096);
      writeFileSync(path, damaged);
      try {
        expect(node('--input-type=module', '--eval', LEAVE)).toContain('src/app/main.ts');
      } finally {
        writeFileSync(path, whole);
      }
    },
    TEST_MS_MAX,
  );

  it('ends a command of the operator that has no database by a line with what helps', () => {
    const url = 'postgresql://gw:word@127.0.0.1:1/gw';
    const env = { PATH: process.env.PATH, GW_SECRET: 'x'.repeat(32), DATABASE_URL: url };
    const words = ['tools/command.mjs', 'books'];
    const ended = spawnSync(process.execPath, words, { cwd: ROOT, env, encoding: 'utf8' });
    expect([ended.status, ended.stderr]).toEqual([
      1,
      'the database of DATABASE_URL cannot be reached (ECONNREFUSED 127.0.0.1:1); start it, ' +
        'correct DATABASE_URL, or leave it out to use the embedded database\n',
    ]);
  });

  it.each([
    ['with what V8 has compiled of it', []],
    ['without it, since the flags of V8 are others', ['--no-opt']],
  ])(
    '%s names lines of the sources in its stacks',
    (_how, flags) => {
      const stack = node(...flags, '--input-type=module', '--eval', LEAVE);
      const [path = '', line] = /\S+src\/app\/main\.ts:\d+/.exec(stack)?.[0].split(':') ?? [];
      const text = readFileSync(join(ROOT, 'src/app/main.ts'), 'utf8').split('\n');
      expect(path.endsWith(join(ROOT, 'src/app/main.ts'))).toBe(true);
      expect(text[Number(line) - 1]?.trim()).toBe('process.exit(FATAL);');
    },
    TEST_MS_MAX,
  );
});
