import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { GENERATED_STAMP, install } from './install.mjs';
import { withLock } from './lock.mjs';
import { fingerprint, ROOT, readStamp, runStep, writeStamp } from './project.mjs';

const STAMP = 'dist/.stamp';

/** Installs, then compiles into `dist` when a source is not the one that `dist` was made from. */
export async function compile() {
  await install();
  if (!distFits()) await withLock('compile', compileSources);
}

async function compileSources() {
  if (distFits()) return;
  const stamp = compiledFrom();
  await runStep('tsc', ['-p', 'tsconfig.json']);
  await checkCatalogue();
  writeStamp(STAMP, stamp);
}

/** A manifest that the schema refuses ends the build as a type error does, not its first reader. */
async function checkCatalogue() {
  const file = join(ROOT, 'dist', 'src', 'delivery', 'blueprints', 'catalogue.js');
  const { builtIns } = await import(pathToFileURL(file).href);
  builtIns();
}

function distFits() {
  return readStamp(STAMP) === compiledFrom();
}

/** The generated code is large and follows from its stamp, so the stamp stands for it. */
function compiledFrom() {
  const paths = ['src', 'rest-compat', 'tsconfig.json', 'package-lock.json'];
  const isSource = (path) => !path.startsWith('src/generated/') || path === GENERATED_STAMP;
  const isRead = (path) => isSource(path) && !path.endsWith('.graphql');
  return fingerprint(paths, isRead);
}
