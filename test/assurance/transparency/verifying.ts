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

/** What it is given beside keys and lines. */
export interface Given {
  readonly flags?: readonly string[];
  /** Notes, each as a file of its own. */
  readonly notes?: readonly string[];
}

type Text = string | Buffer;

/**
 * Runs the verifier on these keys and texts, each as a file; it gets nothing of the environment,
 * and nothing of the project but its own file.
 */
export function verified(keys: unknown, ...texts: readonly Text[]): Promise<Verified> {
  return runOn({}, keys, texts);
}

/** Runs it as a holder of proofs does, who has no leaves. */
export function verifiedWithoutLeaves(keys: unknown, ...texts: readonly string[]) {
  return runOn({ flags: ['--without-leaves'] }, keys, texts);
}

/** Runs it as an auditor does who has notes and knows witnesses. */
export function verifiedNotes(given: Given, keys: unknown, ...texts: readonly Text[]) {
  return runOn(given, keys, texts);
}

async function runOn(
  { flags = [], notes = [] }: Given,
  keys: unknown,
  texts: readonly Text[],
): Promise<Verified> {
  const folder = await mkdtemp(join(tmpdir(), 'gw-log-'));
  try {
    const written = async (name: string, text: Text) => {
      const file = join(folder, name);
      await writeFile(file, text);
      return file;
    };
    const ofKeys = await written('keys.json', JSON.stringify(keys));
    const files = texts.map((text, index) => written(`${index}.ndjson`, text));
    const noted = notes.map((text, index) => written(`${index}.note`, text));
    const ofNotes = (await Promise.all(noted)).flatMap((file) => ['--note', file]);
    const args = [...flags, ...ofNotes, ofKeys, ...(await Promise.all(files))];
    return await run(process.execPath, [VERIFIER, ...args], { env: {}, cwd: folder }).then(
      ({ stdout }) => ({ code: 0, text: stdout.trim() }),
      ({ code, stderr }: { code: number; stderr: string }) => ({ code, text: stderr.trim() }),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
