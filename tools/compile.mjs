import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { GENERATED_STAMP, install } from './install.mjs';
import { withLock } from './lock.mjs';
import { fingerprint, ROOT, readStamp, runStep, writeStamp } from './project.mjs';

/** The gateway in one file, made from all that decides what is in it. */
const STAMP = 'dist/.stamp';
const BUILDERS = ['compile', 'bundle', 'gateway', 'rehearse', 'query-compiler'].map(
  (name) => `tools/${name}.mjs`,
);

/** Each source as a module of its own, for the tool that asks which of them does what. */
const MODULES = 'dist/modules';
const MODULES_STAMP = `${MODULES}/.stamp`;

/** Installs, then makes the gateway in `dist` when it was not made from the sources as they are. */
export async function compile() {
  await install();
  if (!gatewayFits()) await withLock('compile', compileGateway);
}

async function compileGateway() {
  if (gatewayFits()) return;
  const stamp = compiledFrom();
  // A build that is killed has left parts of two: what was stamped before stands no more.
  rmSync(join(ROOT, STAMP), { force: true });
  // Loaded late: the tools start before anything is installed.
  const { bundleGateway } = await import('./bundle.mjs');
  await bundleGateway();
  await runStep(process.execPath, ['tools/rehearse.mjs']);
  writeStamp(STAMP, stamp);
}

/** Installs, then compiles each source by itself. @returns the folder of what is made of them */
export async function compileModules() {
  await install();
  if (!modulesFit()) await withLock('compile-modules', emitModules);
  return MODULES;
}

async function emitModules() {
  if (modulesFit()) return;
  const stamp = compiledFrom();
  await runStep('tsc', ['-p', 'tsconfig.json', '--noCheck', '--outDir', MODULES]);
  writeStamp(MODULES_STAMP, stamp);
}

function gatewayFits() {
  return readStamp(STAMP) === compiledFrom();
}

function modulesFit() {
  return readStamp(MODULES_STAMP) === compiledFrom();
}

/**
 * The generated code is large and follows from its stamp, so the stamp stands for it. Packages are
 * part of the gateway, and what V8 compiles is good for one version of Node.
 */
function compiledFrom() {
  const paths = ['src', 'rest-compat', 'prisma', 'tsconfig.json', 'package-lock.json', ...BUILDERS];
  const isRead = (path) => !path.startsWith('src/generated/') || path === GENERATED_STAMP;
  return `${fingerprint(paths, isRead)} ${process.version} ${process.arch}`;
}
