import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../../src/platform/database/project-root.js';

/** A gateway's database part, compiled, for tests that have to kill the process that runs it. */
export interface Program {
  readonly path: string;
  remove(): void;
}

const PROGRAM = `
import pg from 'pg';
import { startEmbedded } from './src/platform/database/embedded.js';

const [folder, work, archive] = process.argv.slice(2);
const server = await startEmbedded(folder, {}, () => archive);
const { connection, owner } = server;
const client = new pg.Client(connection);
await client.connect();
const { rows } = await client.query('SELECT system_identifier FROM pg_control_system()');
console.log(JSON.stringify({ owner, cluster: rows[0].system_identifier }));
if (work === 'leave') {
  await client.end();
  await server.stop();
  console.log('left');
  process.exit();
}
if (work === 'write') {
  await client.query('CREATE TABLE acknowledged (id int PRIMARY KEY)');
  for (let id = 1; ; id += 1) {
    await client.query('INSERT INTO acknowledged VALUES ($1)', [id]);
    console.log(String(id));
  }
}
process.stdin.resume();
`;

/**
 * Compiles a program that runs `startEmbedded(<first argument>)`, prints who it is as a line of
 * JSON and stays; with the second argument `write` it inserts rows and prints each one's id once
 * it is committed, and with `leave` it stops what it has started, says so and ends. The third is
 * the archive of a prepared cluster.
 */
export function compileProgram(): Program {
  const cache = join(projectRoot(), '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'program-'));
  const source = join(projectRoot(), 'src', 'platform', 'database', 'embedded.ts');
  const configuration = {
    extends: join(projectRoot(), 'tsconfig.json'),
    compilerOptions: { rootDir: projectRoot(), outDir: folder },
    include: [],
    files: [source],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(configuration));
  const compiler = join(projectRoot(), 'node_modules', '.bin', 'tsc');
  execFileSync(compiler, ['-p', join(folder, 'tsconfig.json')], { encoding: 'utf8' });
  const path = join(folder, 'program.js');
  writeFileSync(path, PROGRAM);
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
