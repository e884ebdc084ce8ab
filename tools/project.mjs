// What the tools share. Node's own modules only: the tools run before anything is installed.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of package.json. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The programs of the installed packages. Prisma looks for its generators on the path too. */
const PROGRAMS = join(ROOT, 'node_modules', '.bin');

/**
 * Runs a command in the project's folder and returns its exit code. A signal to this process goes
 * on to the command; Ctrl-C reaches both by itself.
 * @param {string} command
 * @param {readonly string[]} words
 * @param {import('node:child_process').StdioOptions} stdio
 * @returns {Promise<number>}
 */
export function run(command, words, stdio = 'inherit') {
  const env = { ...process.env, PATH: `${PROGRAMS}${delimiter}${process.env.PATH}` };
  const child = spawn(command, words, { cwd: ROOT, stdio, env });
  const onTerminate = () => child.kill('SIGTERM');
  const onInterrupt = () => {};
  process.on('SIGTERM', onTerminate).on('SIGINT', onInterrupt);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      process.off('SIGTERM', onTerminate).off('SIGINT', onInterrupt);
      if (signal) process.kill(process.pid, signal);
      else resolve(code);
    });
  });
}

/**
 * Runs a command whose output is progress, not an answer: all of it goes to standard error.
 * @throws Error when the command fails
 */
export async function runStep(command, words) {
  const code = await run(command, words, ['ignore', 2, 2]);
  if (code !== 0) throw new Error(`${[command, ...words].join(' ')} ended with code ${code}`);
}

/** sha256 over the names and contents of files and folders, paths from the project's folder. */
export function fingerprint(paths, isWanted = () => true) {
  const hash = createHash('sha256');
  for (const path of paths.flatMap((each) => filesIn(each)).filter(isWanted)) {
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(ROOT, path)))
      .update('\0');
  }
  return hash.digest('hex');
}

/** The files of a folder and of those in it, by their names, from the project's folder. */
export function filesIn(path) {
  const found = statSync(join(ROOT, path), { throwIfNoEntry: false });
  if (!found) return [];
  if (!found.isDirectory()) return [path];
  const names = readdirSync(join(ROOT, path)).sort();
  return names.flatMap((name) => filesIn(`${path}/${name}`));
}

/** What a step wrote with `writeStamp` when it last succeeded. */
export function readStamp(path) {
  try {
    return readFileSync(join(ROOT, path), 'utf8');
  } catch {
    return undefined;
  }
}

/** Notes beside a step's output what the output was made from. */
export function writeStamp(path, stamp) {
  mkdirSync(dirname(join(ROOT, path)), { recursive: true });
  writeFileSync(join(ROOT, path), stamp);
}

/** Ends the process with a message instead of a stack trace when a tool's work fails. */
export async function main(work) {
  try {
    process.exitCode = (await work()) ?? 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
