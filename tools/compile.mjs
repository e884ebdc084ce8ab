import { GENERATED_STAMP, install } from './install.mjs';
import { withLock } from './lock.mjs';
import { fingerprint, readStamp, runStep, writeStamp } from './project.mjs';

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
  writeStamp(STAMP, stamp);
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
