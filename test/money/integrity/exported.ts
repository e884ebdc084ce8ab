import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../../src/platform/database/project-root.js';

const run = promisify(execFile);
const TOOL = join(projectRoot(), 'tools', 'verify-integrity-export.mjs');

/** What the verifier of an export says of a file, and with which code it ends. */
export async function verified(text: string): Promise<{ code: number; out: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'gw-export-'));
  try {
    const file = join(folder, 'export.ndjson');
    await writeFile(file, text);
    const { stdout } = await run(process.execPath, [TOOL, file]);
    return { code: 0, out: stdout };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout + stderr };
  } finally {
    await rm(folder, { recursive: true });
  }
}
