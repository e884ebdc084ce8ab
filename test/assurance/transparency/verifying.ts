import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../../src/platform/database/project-root.js';

const VERIFIER = join(projectRoot(), 'tools/verify-transparency-log.mjs');
const run = promisify(execFile);

/** What the verifier has said, and how it ended. */
export interface Verified {
  readonly code: number;
  readonly text: string;
}

/**
 * Runs the verifier on these keys and texts, each as a file; it gets nothing of the environment,
 * and nothing of the project but its own file.
 */
export function verified(keys: unknown, ...texts: readonly (string | Buffer)[]): Promise<Verified> {
  return runOn([], keys, texts);
}

/** Runs it as a holder of proofs does, who has no leaves. */
export function verifiedWithoutLeaves(keys: unknown, ...texts: readonly string[]) {
  return runOn(['--without-leaves'], keys, texts);
}

async function runOn(
  options: readonly string[],
  keys: unknown,
  texts: readonly (string | Buffer)[],
): Promise<Verified> {
  const folder = await mkdtemp(join(tmpdir(), 'gw-log-'));
  try {
    const names = ['keys.json', ...texts.map((_, index) => `${index}.ndjson`)];
    const files = names.map((name) => join(folder, name));
    const contents = [JSON.stringify(keys), ...texts];
    await Promise.all(contents.map((text, index) => writeFile(files[index] ?? '', text)));
    return await run(process.execPath, [VERIFIER, ...options, ...files], {
      env: {},
      cwd: folder,
    }).then(
      ({ stdout }) => ({ code: 0, text: stdout.trim() }),
      ({ code, stderr }: { code: number; stderr: string }) => ({ code, text: stderr.trim() }),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
