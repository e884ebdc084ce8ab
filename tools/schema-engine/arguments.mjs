import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Options that say nothing to the WASM build, each with a value. */
const IGNORED = new Set(['--enabled-preview-features', '--extension-types']);

/**
 * Reads the engine's command line as Prisma writes it.
 * @param {readonly string[]} words
 * @returns {{ datamodels: string[], datasource: { url?: string, shadowDatabaseUrl?: string },
 *   command: string | undefined }}
 */
export function readArguments(words) {
  const options = { datamodels: [], datasource: {}, command: undefined };
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (word === '--version') printVersion();
    else if (word === '--datamodels') options.datamodels.push(words[++at]);
    else if (word === '--datasource') options.datasource = JSON.parse(words[++at]);
    else if (IGNORED.has(word)) at += 1;
    else if (word === 'cli') {
      options.command = words[at + 1];
      break;
    }
  }
  return options;
}

function printVersion() {
  console.log(`schema-engine-cli ${require('@prisma/engines-version').enginesVersion} (wasm)`);
  process.exit(0);
}
