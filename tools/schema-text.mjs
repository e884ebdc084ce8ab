import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compile } from './compile.mjs';
import { ROOT } from './project.mjs';

const FILE = join(ROOT, 'schema.graphql');
const BYTES_MAX = 64 * 1024 * 1024;

/** The schema as the sources build it now: what the command `schema` prints. */
async function printedSchema() {
  await compile();
  const options = { cwd: ROOT, encoding: 'utf8', maxBuffer: BYTES_MAX };
  return execFileSync(process.execPath, ['tools/command.mjs', 'schema'], {
    ...options,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Prints the schema into schema.graphql. */
export async function writeSchema() {
  writeFileSync(FILE, await printedSchema());
}

/** True when schema.graphql is the schema of the sources, byte for byte. */
export async function isSchemaFresh() {
  const printed = await printedSchema();
  try {
    return readFileSync(FILE, 'utf8') === printed;
  } catch {
    return false;
  }
}
