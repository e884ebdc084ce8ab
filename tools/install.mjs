// Makes the working tree runnable: packages from the lockfile, code from Prisma's schema.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from './lock.mjs';
import { fingerprint, ROOT, readStamp, runStep, writeStamp } from './project.mjs';

/** What the generated code was made from. The build counts it in place of that code. */
export const GENERATED_STAMP = 'src/generated/.stamp';

/** The lockfile that node_modules was installed from; it goes when node_modules goes. */
const PACKAGES_STAMP = 'node_modules/.gw-stamp';

/** Installs and generates what is missing or no longer fits; does nothing when all is there. */
export async function install() {
  if (!packagesFit()) await withLock('install', installPackages);
  if (!generatedFits()) await withLock('generate', generate);
}

async function installPackages() {
  // Whoever held the lock before may have done it already.
  if (packagesFit()) return;
  console.error('installing packages from package-lock.json');
  await runStep('npm', ['ci', '--include=dev', '--no-audit', '--no-fund']);
  writeStamp(PACKAGES_STAMP, fingerprint(['package-lock.json']));
}

async function generate() {
  if (generatedFits()) return;
  const stamp = generatedFrom();
  await runStep('prisma', ['generate', '--no-hints']);
  writeStamp(GENERATED_STAMP, stamp);
}

function generatedFits() {
  return readStamp(GENERATED_STAMP) === generatedFrom();
}

function generatedFrom() {
  return fingerprint(['prisma/schema', 'prisma.config.ts', 'node_modules/prisma/package.json']);
}

/** An installation by hand has no stamp and is judged by what npm noted of it. */
function packagesFit() {
  return readStamp(PACKAGES_STAMP) === fingerprint(['package-lock.json']) || packagesAreListed();
}

/** npm leaves out packages for other systems, and what the lockfile calls extraneous. */
function packagesAreListed() {
  const wanted = packagesOf('package-lock.json');
  const installed = packagesOf('node_modules/.package-lock.json');
  if (!wanted || !installed) return false;
  const fits = ([path, entry]) => {
    const found = installed[path];
    if (!found) return path === '' || entry.optional === true || entry.extraneous === true;
    return found.version === entry.version && found.integrity === entry.integrity;
  };
  const isKnown = (path) => Object.hasOwn(wanted, path);
  return Object.entries(wanted).every(fits) && Object.keys(installed).every(isKnown);
}

function packagesOf(path) {
  try {
    return JSON.parse(readFileSync(join(ROOT, path), 'utf8')).packages;
  } catch {
    return undefined;
  }
}
